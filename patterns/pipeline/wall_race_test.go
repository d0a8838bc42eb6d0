package pipeline

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// TestHedgeOnTheWallClockAnswersFirst: the first attempt hangs until it is cancelled,
// the hedge answers 5 ms after the delay of 10: Do returns its value at 15 ms, and the
// loser learns why it was cancelled.
func TestHedgeOnTheWallClockAnswersFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{hedgeOf(1, 10), bulkheadOf(2, 0)})
		var asked atomic.Int32
		var why error
		start := time.Now()
		v, info, err := DoInfo(t.Context(), p, func(ctx context.Context) (int32, error) {
			n := asked.Add(1)
			if n == 1 {
				<-ctx.Done()
				why = context.Cause(ctx)
				return n, ctx.Err()
			}
			time.Sleep(5 * time.Millisecond)
			return n, nil
		})
		if took := time.Since(start); v != 2 || err != nil || info.Attempts != 2 || took != 15*time.Millisecond {
			t.Errorf("%d, %+v, %v after %v", v, info, err, took)
		}
		synctest.Wait()
		if !errors.Is(why, ErrOvertaken) {
			t.Errorf("the loser was cancelled for %v", why)
		}
		if s := p.Bulkheads()[0]; s.InUse != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestPanicOfAnyAttemptOfARaceGoesOn: the first attempt or the hedge panics while the
// other is under way; Do panics with its value at that instant, and nothing is held.
func TestPanicOfAnyAttemptOfARaceGoesOn(t *testing.T) {
	for _, burst := range []int32{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			p := mustNew(t, []Policy{retryOf(3, 10), hedgeOf(1, 10), breakerOf(10, 100), bulkheadOf(2, 0)})
			var asked atomic.Int32
			v := recovered(func() {
				_, _ = Do(t.Context(), p, func(ctx context.Context) (int, error) {
					if asked.Add(1) == burst {
						time.Sleep(20 * time.Millisecond)
						panic("oops")
					}
					return sleeps(time.Hour, nil)(ctx)
				})
			})
			if v != "oops" {
				t.Errorf("recovered %v", v)
			}
			synctest.Wait()
			empty(t, "after a panic", p)
		})
	}
}

// TestDoDoesNotWaitForTheLoser: the first attempt is deaf to its context and runs for
// an hour; Do returns with the hedge's answer, and the slot is free when the deaf one
// returns.
func TestDoDoesNotWaitForTheLoser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{bulkheadOf(1, 0), hedgeOf(1, 10)})
		var asked atomic.Int32
		start := time.Now()
		_, err := Do(t.Context(), p, func(context.Context) (int, error) {
			if asked.Add(1) == 1 {
				time.Sleep(time.Hour)
			}
			return 1, nil
		})
		if took := time.Since(start); err != nil || took != 10*time.Millisecond {
			t.Errorf("%v after %v", err, took)
		}
		if n := p.Bulkheads()[0].InUse; n != 1 {
			t.Errorf("%d slots in use while a function runs", n)
		}
		time.Sleep(2 * time.Hour)
		if n := p.Bulkheads()[0].InUse; n != 0 {
			t.Errorf("%d slots in use after all", n)
		}
	})
}

// TestRudeRacesHoldNothing: functions block, panic, leave or answer, callers give up at
// any time, and hedges start at 15 ms. No Do outlasts its three timeouts of 50 ms,
// and when all functions have returned nothing is held.
func TestRudeRacesHoldNothing(t *testing.T) {
	h := eager(hedgeOf(2, 15))
	h.Hedge.DelayPercentile, h.Hedge.WindowSize, h.Hedge.MinimumNumberOfCalls = patterns.PercentOf(50), 10, 3
	plans := [][]Policy{
		{retryOf(3, 10), timeoutOf(50), h, breakerOf(4, 30), bulkheadOf(6, 20)},
		{bulkheadOf(6, 20), retryOf(3, 10), timeoutOf(50), h, limitOf(5)},
		{retryOf(3, 10), detachedOf(50), h, timeoutOf(20), bulkheadOf(3, 10)},
	}
	for i, ps := range plans {
		for seed := range uint64(25) {
			synctest.Test(t, func(t *testing.T) { rudeRaces(t, ps, seed<<8|uint64(i)) })
			if t.Failed() {
				t.Fatalf("plan %d, seed %d", i, seed)
			}
		}
	}
}

func rudeRaces(t *testing.T, ps []Policy, seed uint64) {
	x := newRude(seed)
	p := mustNew(t, ps)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 15 {
				time.Sleep(time.Duration(x.n(60)) * time.Millisecond)
				var visit sync.WaitGroup // one may leave by Goexit
				visit.Go(func() { x.visit(t, p) })
				visit.Wait()
			}
		})
	}
	wg.Wait()
	time.Sleep(3 * time.Hour)
	synctest.Wait()
	empty(t, "after all", p)
}
