package pipeline

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns/bulkhead"
)

// TestABulkheadGrowsAndShrinksInUse: of four calls one runs and three wait. With three
// slots two more run at once; with one again nobody is put out, and the last one starts
// when all three have left.
func TestABulkheadGrowsAndShrinksInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{withName("slots", bulkheadOf(1, 60_000))})
		var running, most atomic.Int32
		var calls sync.WaitGroup
		end := make(chan bool)
		for range 4 {
			calls.Go(func() {
				if _, err := Do(t.Context(), p, func(context.Context) (int, error) {
					most.Store(max(most.Load(), running.Add(1)))
					defer running.Add(-1)
					<-end
					return 1, nil
				}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		for _, row := range []struct{ slots, running int32 }{{3, 3}, {1, 3}, {-5, 3}} {
			if !p.ResizeBulkhead("slots", int(row.slots)) {
				t.Error("there is no bulkhead of that name")
			}
			synctest.Wait()
			if running.Load() != row.running {
				t.Errorf("with %d slots %d run, want %d", row.slots, running.Load(), row.running)
			}
		}
		for _, left := range []int32{2, 1, 1, 0} {
			end <- true
			synctest.Wait()
			if running.Load() != left {
				t.Errorf("%d run, want %d", running.Load(), left)
			}
		}
		calls.Wait()
		if s, _ := p.Bulkhead("slots"); s.InUse != 0 || s.Waiting != 0 || s.Slots != 1 || most.Load() != 3 {
			t.Errorf("%+v, at most %d ran", s, most.Load())
		}
		if p.ResizeBulkhead("nobody", 1) {
			t.Error("a bulkhead that is not there was resized")
		}
	})
}

// TestGrowingAQueueSparesWhoHasNoTimeLeft: of two calls that wait, the first needs a
// second and has less when the queue grows, but its timer is late: the clock is put
// forward. It is told so, and the slot is the other's.
func TestGrowingAQueueSparesWhoHasNoTimeLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := bulkhead.QueueDefaults()
		c.Order, c.MaxConcurrentCalls, c.MaxWaitDuration, c.MinRemainingDuration = bulkhead.FIFO, 1, msd(10_000), msd(1000)
		p := mustNew(t, []Policy{{Name: "slots", QueuedBulkhead: &c}})
		end := make(chan bool)
		var calls sync.WaitGroup
		calls.Go(func() { Do(t.Context(), p, func(context.Context) (int, error) { <-end; return 1, nil }) })
		synctest.Wait()
		hasty, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		calls.Go(func() {
			if _, info, err := DoInfo(hasty, p, sleeps(0, nil)); !errors.Is(err, ErrDeadline) || info.Attempts != 0 {
				t.Errorf("without time: %v", err)
			}
		})
		synctest.Wait()
		calls.Go(func() {
			if _, err := Do(t.Context(), p, sleeps(0, nil)); err != nil {
				t.Errorf("with time: %v", err)
			}
		})
		synctest.Wait()
		p.origin = p.origin.Add(-501 * time.Millisecond)
		p.ResizeBulkhead("slots", 2)
		synctest.Wait()
		if s, _ := p.Bulkhead("slots"); s.Waiting != 0 || s.InUse != 1 || s.Late != 1 {
			t.Errorf("%+v", s)
		}
		end <- true
		calls.Wait()
	})
}
