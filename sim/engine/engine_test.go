package engine

import (
	"slices"
	"testing"
	"time"
)

const (
	ms  = time.Millisecond
	sec = time.Second
)

// diary notes the arguments of its events, and acts on those that it has a plan for.
type diary struct {
	args  []uint64
	plans map[uint64]func()
}

func (d *diary) Handle(_ time.Duration, arg uint64) {
	d.args = append(d.args, arg)
	if plan := d.plans[arg]; plan != nil {
		plan()
	}
}

func newDiary() (*Engine, *diary, HandlerID) {
	e, d := New(), &diary{plans: map[uint64]func(){}}
	return e, d, e.Register(d)
}

func (d *diary) expect(t *testing.T, want ...uint64) {
	t.Helper()
	if !slices.Equal(d.args, want) {
		t.Errorf("events %v, want %v", d.args, want)
	}
	d.args = nil
}

// TestTiesRunInTheOrderOfScheduling mixes the three ways to schedule at one instant,
// some of them inside an event of that instant.
func TestTiesRunInTheOrderOfScheduling(t *testing.T) {
	e, d, id := newDiary()
	d.plans[1] = func() { e.At(e.Now(), id, 5) }
	e.At(ms, id, 1)
	e.Timer(ms, id, 2)
	e.Func(ms, func() { d.Handle(e.Now(), 3) })
	e.At(ms, id, 4)
	e.At(0, id, 0)
	e.Run(ms)
	d.expect(t, 0, 1, 2, 3, 4, 5)
}

// TestHorizonLeavesLaterEventsUntouched runs to an instant between two events, then
// schedules before, at and after the one that is left.
func TestHorizonLeavesLaterEventsUntouched(t *testing.T) {
	e, d, id := newDiary()
	e.At(ms, id, 1)
	e.At(sec, id, 2)
	e.Run(10 * ms)
	d.expect(t, 1)
	if e.Now() != 10*ms || e.Pending() != 1 {
		t.Errorf("now %v with %d pending, want 10ms with 1", e.Now(), e.Pending())
	}
	e.At(sec+1, id, 5)
	e.At(sec, id, 3)
	e.At(10*ms, id, 4)
	e.Run(sec)
	d.expect(t, 4, 2, 3)
	e.Run(forever)
	d.expect(t, 5)
	if e.Now() != forever || e.Executed() != 5 {
		t.Errorf("now %v after %d events, want the end of time after 5", e.Now(), e.Executed())
	}
}

// TestStopEndsAfterTheCurrentEvent and leaves the rest to the next Run.
func TestStopEndsAfterTheCurrentEvent(t *testing.T) {
	e, d, id := newDiary()
	d.plans[1] = func() { e.Stop(); e.At(ms, id, 3) }
	e.At(ms, id, 1)
	e.At(ms, id, 2)
	e.Run(sec)
	d.expect(t, 1)
	if e.Now() != ms {
		t.Errorf("stopped at %v, want 1ms", e.Now())
	}
	e.Run(sec)
	d.expect(t, 2, 3)
}

// TestStaleHandlesAreHarmless cancels what is pending, cancelled, fired, never was,
// and what had its place taken by another timer.
func TestStaleHandlesAreHarmless(t *testing.T) {
	e, d, id := newDiary()
	first := e.Timer(ms, id, 1)
	second := e.Timer(2*ms, id, 2)
	if !e.Cancel(first) || e.Cancel(first) || e.Cancel(Timer{}) {
		t.Error("a pending timer is cancelled once, and no timer never")
	}
	e.Run(3 * ms)
	d.expect(t, 2)
	third, fourth := e.Timer(5*ms, id, 3), e.Timer(5*ms, id, 4)
	if e.Cancel(first) || e.Cancel(second) {
		t.Error("a stale handle cancelled another timer")
	}
	if third.slot+fourth.slot != first.slot+second.slot {
		t.Error("places were not reused; the test proves nothing")
	}
	d.plans[3] = func() {
		if e.Cancel(third) || !e.Cancel(fourth) {
			t.Error("inside its event a timer has fired; its neighbour has not")
		}
	}
	e.Run(sec)
	d.expect(t, 3)
}

// TestBrokenInvariantsPanic: the past, unknown handlers, a clock that runs backwards
// and nested runs are errors of the program.
func TestBrokenInvariantsPanic(t *testing.T) {
	e, d, id := newDiary()
	d.plans[1] = func() { e.Run(sec) }
	e.Run(ms)
	rows := map[string]func(){
		"event in the past":   func() { e.At(ms-1, id, 0) },
		"timer in the past":   func() { e.Timer(0, id, 0) },
		"func in the past":    func() { e.Func(-1, func() {}) },
		"unknown handler":     func() { e.At(sec, id+1, 0) },
		"no handler":          func() { e.Register(nil) },
		"no function":         func() { e.Func(sec, nil) },
		"clock backwards":     func() { e.Run(0) },
		"run inside an event": func() { e.At(ms, id, 1); e.Run(ms) },
	}
	for name, breach := range rows {
		if !panics(breach) {
			t.Errorf("%s: no panic", name)
		}
	}
	e.At(2*ms, id, 7)
	d.args = nil
	e.Run(2 * ms)
	d.expect(t, 7)
}

func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}

// TestDigestTellsRunsApart changes one instant, argument, handler or order at a
// time; a cancelled timer leaves no trace. The golden value keeps the fold itself.
func TestDigestTellsRunsApart(t *testing.T) {
	run := func(schedule func(e *Engine, a, b HandlerID)) uint64 {
		e := New()
		a, b := e.Register(&diary{}), e.Register(&diary{})
		schedule(e, a, b)
		e.Run(sec)
		return e.Digest()
	}
	base := func(e *Engine, a, b HandlerID) { e.At(1, a, 1); e.At(2, b, 2) }
	want := run(base)
	if got := run(func(e *Engine, a, b HandlerID) {
		gone := e.Timer(1, a, 9)
		base(e, a, b)
		e.Cancel(gone)
	}); got != want {
		t.Errorf("a cancelled timer turns digest %#x into %#x", want, got)
	}
	if golden := uint64(0x178d7c9df7194b9d); want != golden {
		t.Errorf("digest %#x, want %#x", want, golden)
	}
	others := []func(e *Engine, a, b HandlerID){
		func(e *Engine, a, b HandlerID) { e.At(1, a, 1); e.At(3, b, 2) },
		func(e *Engine, a, b HandlerID) { e.At(1, a, 1); e.At(2, a, 2) },
		func(e *Engine, a, b HandlerID) { e.At(1, a, 1); e.At(2, b, 3) },
		func(e *Engine, a, b HandlerID) { e.At(1, b, 2); e.At(2, a, 1) },
		func(e *Engine, a, b HandlerID) { e.At(1, a, 1) },
	}
	for i, other := range others {
		if run(other) == want {
			t.Errorf("run %d has the digest of another", i)
		}
	}
}

// inWideRun returns an engine whose run covers three days, as after a quiet stretch:
// the only event lay far off, so its whole bucket became the run.
func inWideRun(t *testing.T) (*Engine, *diary, HandlerID) {
	t.Helper()
	e, d, id := newDiary()
	e.At(1<<50, id, 0)
	e.Run(1 << 50)
	d.expect(t, 0)
	if width := e.agenda.edge - e.agenda.base; width != 1<<48 {
		t.Fatalf("the run covers %d ns; the test proves nothing", width)
	}
	return e, d, id
}

// TestSparseRunTakesAHerd pins the trap of a wide run: 100,000 events at distinct
// instants land inside it in falling order. They must come out rising, and through
// buckets: insertion into the run alone would be 5e9 moves.
func TestSparseRunTakesAHerd(t *testing.T) {
	const n = 100_000
	e, d, id := inWideRun(t)
	start := e.Now()
	e.At(start+1<<47, id, n)
	for i := range uint64(n) {
		e.At(start+time.Duration(n-i)*ms, id, n-1-i)
		if in := len(e.agenda.run) - e.agenda.head; in > runMax {
			t.Fatalf("the run holds %d events, want at most %d", in, runMax)
		}
	}
	e.Run(start + n*ms)
	if len(d.args) != n || !slices.IsSorted(d.args) || e.Pending() != 1 {
		t.Errorf("%d events, sorted: %v, %d left", len(d.args), slices.IsSorted(d.args), e.Pending())
	}
}

// TestRunDoesNotGrowWithTime lets two chains of events take turns inside one wide
// run, so that it is never empty: what was executed must not stay in memory.
func TestRunDoesNotGrowWithTime(t *testing.T) {
	e, d, id := inWideRun(t)
	again := func() { e.At(e.Now()+10, id, d.args[len(d.args)-1]) }
	d.plans[1], d.plans[2] = again, again
	e.At(e.Now()+1, id, 1)
	e.At(e.Now()+6, id, 2)
	e.Run(e.Now() + 100_000)
	if len(d.args) != 20_000 || cap(e.agenda.run) > 4*runMax {
		t.Errorf("after %d events the run has room for %d, want %d", len(d.args), cap(e.agenda.run), 4*runMax)
	}
}

// A run in pieces of three events does what one run does, and says when it is done:
// at the end, not after the last event.
func TestARunInPiecesIsTheSameRun(t *testing.T) {
	build := func() (*Engine, *int) {
		e, n := New(), new(int)
		for i := range 10 {
			e.Func(time.Duration(i)*time.Second, func() { *n++ })
		}
		return e, n
	}
	whole, _ := build()
	whole.Run(time.Minute)
	e, n := build()
	pieces := 1
	for !e.RunSome(time.Minute, 3) {
		if *n != 3*pieces || e.Now() != time.Duration(*n-1)*time.Second {
			t.Fatalf("after piece %d: %d events, now %v", pieces, *n, e.Now())
		}
		pieces++
	}
	if pieces != 4 || *n != 10 || e.Now() != time.Minute || e.Digest() != whole.Digest() {
		t.Errorf("%d pieces, %d events, now %v, same digest: %v", pieces, *n, e.Now(), e.Digest() == whole.Digest())
	}
}
