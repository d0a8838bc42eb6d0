package engine

import (
	"math"
	"testing"
	"time"
)

// TestNoAllocationPerEvent counts allocations of 20,000 events at a time, after a
// warm-up in which the pools reached their size, for plain events under every law
// that the benchmarks use, and for timers that are set and cancelled.
func TestNoAllocationPerEvent(t *testing.T) {
	for _, l := range laws {
		h := newHolder(New(), 10_000, l.delay)
		if n := testing.AllocsPerRun(5, func() { h.hold(20_000) }); n != 0 {
			t.Errorf("%s: %v allocations per 20,000 events", l.name, n)
		}
	}
	c := newCaller(1000)
	if n := testing.AllocsPerRun(5, func() { c.run(20_000) }); n != 0 {
		t.Errorf("timers: %v allocations per 20,000 calls", n)
	}
}

// TestKeysAndStreamsDoNotAllocate keeps chance free of garbage.
func TestKeysAndStreamsDoNotAllocate(t *testing.T) {
	request, sum := uint64(0), 0.0
	n := testing.AllocsPerRun(100, func() {
		request++
		s := Seed(1).Key(2, 3, request, 1).Child(1, 1).Stream()
		sum += s.Unit() + s.Open()
	})
	if n != 0 || sum == 0 {
		t.Errorf("%v allocations per key", n)
	}
}

// TestCancelledTimersAreBounded sets a timer of one hour and cancels it, 200,000
// times within a second of the clock, beside 1000 pending events. The bound is the
// one that Cancel promises, and slots and blocks must follow it.
func TestCancelledTimersAreBounded(t *testing.T) {
	const pending = 1000
	e, _, id := newDiary()
	for i := range pending {
		e.At(2*time.Hour, id, uint64(i))
	}
	most := 0
	for range 200_000 {
		e.Cancel(e.Timer(e.Now()+time.Hour, id, 0))
		most = max(most, e.agenda.timers.stale)
		e.Run(e.Now() + 5*time.Microsecond)
	}
	const bound = staleMin + 2*(pending+1)
	if most > bound || most < staleMin {
		t.Errorf("at most %d cancelled timers were held, want %d to %d", most, staleMin, bound)
	}
	if n := len(e.agenda.timers.armed); n > bound+1 {
		t.Errorf("%d slots for %d timers", n, bound+1)
	}
	if n, limit := e.agenda.blocks.inUse(), (bound+pending)/blockEntries+16; n > limit {
		t.Errorf("%d blocks in use, want at most %d", n, limit)
	}
	if e.Pending() != pending {
		t.Errorf("%d events pending, want %d", e.Pending(), pending)
	}
}

// TestMemoryFollowsWhatIsPending holds 100,000 events for a long time: the pool must
// stay near 24 bytes each plus one block for each bucket that can be half full, and
// all blocks must be back when the events are gone.
func TestMemoryFollowsWhatIsPending(t *testing.T) {
	const pending = 100_000
	e := New()
	newHolder(e, pending, exponentialSecond)
	blocks := int(e.agenda.blocks.fresh) - 1
	limit := int(math.Ceil(1.05*pending/blockEntries)) + 4*64
	if blocks > limit {
		t.Errorf("%d blocks at the peak, want at most %d", blocks, limit)
	}
	if bytes := float64(blocks) * 1024 / pending; bytes > 32 {
		t.Errorf("%.1f bytes per pending event, want at most 32", bytes)
	}
	idle := New()
	id := idle.Register(&diary{})
	for i := range pending {
		idle.At(time.Duration(i), id, 0)
	}
	idle.Run(pending)
	checkEmpty(t, idle)
}
