package pipeline

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
)

// arrival is a call that comes to a bulkhead of one slot at an instant.
type arrival struct {
	at, deadline int64 // ms; deadline 0: none
	level        int
}

// served has the calls come while each one needs 10 ms, and returns the order in which
// they get the slot, and how the others end.
func served(t *testing.T, p Policy, calls []arrival) (order []int, ends map[int]error) {
	ends = map[int]error{}
	synctest.Test(t, func(t *testing.T) {
		pipe := mustNew(t, []Policy{p})
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i, c := range calls {
			wg.Go(func() {
				time.Sleep(time.Duration(c.at) * time.Millisecond)
				ctx := WithLevel(t.Context(), c.level)
				if c.deadline > 0 {
					var stop func()
					ctx, stop = context.WithTimeout(ctx, time.Duration(c.deadline-c.at)*time.Millisecond)
					defer stop()
				}
				_, err := Do(ctx, pipe, func(ctx context.Context) (int, error) {
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
					return sleeps(10*time.Millisecond, nil)(ctx)
				})
				mu.Lock()
				ends[i] = err
				mu.Unlock()
			})
		}
		wg.Wait()
		if s := pipe.Bulkheads()[0]; s.InUse != 0 || s.Waiting != 0 {
			t.Errorf("%+v", s)
		}
	})
	return order, ends
}

// TestQueueOrdersOnTheWallClock: call 0 has the only slot while four others come, 1 ms
// apart and of growing level but for the last. Each order serves them as it says.
func TestQueueOrdersOnTheWallClock(t *testing.T) {
	calls := []arrival{{}, {at: 1}, {at: 2, level: 1}, {at: 3, level: 2}, {at: 4}}
	for order, want := range map[bulkhead.Order][]int{
		bulkhead.FIFO:     {0, 1, 2, 3, 4},
		bulkhead.LIFO:     {0, 4, 3, 2, 1},
		bulkhead.Priority: {0, 3, 2, 1, 4},
	} {
		if got, _ := served(t, queueOf(1, 100, order), calls); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", order, got, want)
		}
	}
}

// TestLongQueueTurnsToTheNewest: a queue that has not been empty for 5 ms serves the
// newest and gives those that come 2 ms: of two that come at 7 and 9 ms, the one at 9
// ms still has patience when the slot is free at 10 ms, and the older one has not.
func TestLongQueueTurnsToTheNewest(t *testing.T) {
	got, ends := served(t, queueOf(1, 100, bulkhead.AdaptiveLIFO), []arrival{{}, {at: 1}, {at: 7}, {at: 9}})
	if want := []int{0, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if !errors.Is(ends[2], ErrBulkheadTimeout) {
		t.Errorf("call 2: %v", ends[2])
	}
}

// TestHigherLevelTakesThePlaceOfALower: the queue has one place; the call of level 0
// that waits there is shed when one of level 2 comes, and hears so at that instant.
func TestHigherLevelTakesThePlaceOfALower(t *testing.T) {
	p := queueOf(1, 100, bulkhead.Priority)
	p.QueuedBulkhead.QueueCapacity = 1
	got, ends := served(t, p, []arrival{{}, {at: 1}, {at: 2, level: 2}, {at: 3, level: 1}})
	if want := []int{0, 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if !errors.Is(ends[1], ErrShed) || !errors.Is(ends[3], ErrBulkheadFull) {
		t.Errorf("call 1: %v, call 3: %v", ends[1], ends[3])
	}
}

// TestHopelessCallIsRefusedAtTheDoor: a slot is of use with 8 ms left. A call that
// comes with 5 ms is refused at once, one whose time runs out in the queue leaves it 8
// ms before its deadline, and the breaker outside hears of neither.
func TestHopelessCallIsRefusedAtTheDoor(t *testing.T) {
	p := queueOf(1, 100, bulkhead.FIFO)
	p.QueuedBulkhead.MinRemainingDuration = msd(8)
	f := NewFleet(mustCompile(t, []Policy{breakerOf(5, 100), p}), 1)
	e := Env{Dice: fixedDice(0)}
	var holder, late, waits Call
	holder.Begin(&e, f, 0, 1, never)
	a := late.Begin(&e, f, 0, 2, ms(5))
	if a.Kind != Done || a.Result.Reason != patterns.DeadlineExceeded || a.Result.Outcome != patterns.NotMade {
		t.Errorf("%+v", a)
	}
	waits.Begin(&e, f, 0, 3, ms(20))
	if at := waits.Timer(); at != ms(12) {
		t.Errorf("waits to %d", at)
	}
	e.Now = ms(12)
	if a = waits.Fire(&e); a.Kind != Done || a.Result.Outcome != patterns.NotMade {
		t.Errorf("%+v", a)
	}
	if s := f.Breakers(0)[0].Snapshot(e.Now); s.Buffered != 0 || s.InFlight != 1 {
		t.Errorf("%+v", s)
	}
}

// TestDropAndPatienceAtOneInstant: a waiting call is displaced and its timer fires
// before it has heard so. It ends once, and has no slot.
func TestDropAndPatienceAtOneInstant(t *testing.T) {
	p := queueOf(1, 10, bulkhead.Priority)
	p.QueuedBulkhead.QueueCapacity = 1
	f := NewFleet(mustCompile(t, []Policy{p}), 1)
	e := Env{Dice: fixedDice(0)}
	var holder, low, high Call
	holder.Begin(&e, f, 0, 1, never)
	low.Begin(&e, f, 0, 2, never)
	e.Now = ms(10)
	high.Level = 2
	high.Begin(&e, f, 0, 3, never)
	if len(e.Grants) != 1 || e.Grants[0].Owner != 2 || e.Grants[0].Dropped != patterns.Shed {
		t.Fatalf("%+v", e.Grants)
	}
	if a := low.Fire(&e); a.Kind != Done || a.Result.Reason != patterns.BulkheadTimeout {
		t.Errorf("%+v", a)
	}
	if a := low.Granted(&e, e.Grants[0]); a != (Action{}) {
		t.Errorf("heard twice: %+v", a)
	}
	if s := f.Bulkheads(0)[0].Snapshot(); s.InUse != 1 || s.Waiting != 1 || s.Displaced != 1 {
		t.Errorf("%+v", s)
	}
}

// TestPoolServesItsQueue: two core workers, three at most, a queue of one. Calls 0 and 1
// work, 2 waits, 3 finds the queue full and gets the third worker, 4 is refused.
func TestPoolServesItsQueue(t *testing.T) {
	p := Policy{ThreadPoolBulkhead: &bulkhead.PoolConfig{CoreThreadPoolSize: 2, MaxThreadPoolSize: 3, QueueCapacity: 1}}
	got, ends := served(t, p, []arrival{{}, {at: 1}, {at: 2}, {at: 3}, {at: 4}})
	if want := []int{0, 1, 3, 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if !errors.Is(ends[4], ErrBulkheadFull) {
		t.Errorf("call 4: %v", ends[4])
	}
}
