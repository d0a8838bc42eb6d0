package adaptive

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// TestPermitsCountOnce: a permit given back twice, one that was never given, one
// of another limiter, and one whose place has a new holder are refused and change
// nothing.
func TestPermitsCountOnce(t *testing.T) {
	l, other := New(compile(t, Defaults(AIMD))), New(compile(t, Defaults(AIMD)))
	p, _ := l.Acquire(at(5))
	foreign, _ := other.Acquire(at(4))
	if l.Report(at(6), foreign, Answered, 0) || l.Report(at(6), Permit{}, Dropped, 0) ||
		l.Report(at(6), Permit{Start: at(5), Slot: 99, Generation: 1}, Dropped, 0) {
		t.Error("a permit that was not given was accepted")
	}
	if !l.Report(at(6), p, NoSample, 0) || l.Report(at(6), p, Dropped, 0) {
		t.Error("a permit was not accepted exactly once")
	}
	again, _ := l.Acquire(at(5))
	if again.Slot != p.Slot || l.Report(at(6), p, Dropped, 0) {
		t.Error("a permit freed the place of the one after it")
	}
	if s := l.Snapshot(at(6)); s.InFlight != 1 || s.Limit != 20 || s.Dropped != 0 || s.Granted != 2 {
		t.Errorf("%+v, want one of two in flight and the first limit", s)
	}
}

// TestGenerationsSkipZero: a place used 2^32 times starts over at 1, because the
// zero permit is never valid.
func TestGenerationsSkipZero(t *testing.T) {
	l := New(compile(t, Defaults(AIMD)))
	p, _ := l.Acquire(0)
	l.Report(0, p, NoSample, 0)
	l.calls.calls[0].generation = 1<<32 - 1
	if p, _ := l.Acquire(0); p.Generation != 1 || p == (Permit{}) {
		t.Errorf("%+v, want generation 1", p)
	}
}

// TestALoweredLimitEvictsNobody: twenty are inside when a drop lowers the limit
// to ten. Nobody passes until fewer than ten are inside, and then one.
func TestALoweredLimitEvictsNobody(t *testing.T) {
	c := Defaults(AIMD)
	c.MinLimit, c.BackoffRatio = 1, 0.5
	l := New(compile(t, c))
	var permits []Permit
	for range 20 {
		p, _ := l.Acquire(0)
		permits = append(permits, p)
	}
	if _, v := l.Acquire(0); v != (Verdict{Limit: 20, InFlight: 20}) {
		t.Errorf("%+v, want refused with 20 of 20", v)
	}
	l.Report(0, permits[0], Dropped, 0)
	for i := 1; i <= 10; i++ {
		if _, v := l.Acquire(0); v.OK || v.Limit != 10 {
			t.Fatalf("%+v, want refused", v)
		}
		l.Report(0, permits[i], NoSample, 0)
	}
	if _, v := l.Acquire(0); !v.OK {
		t.Errorf("%+v, want admitted", v)
	}
	if s := l.Snapshot(0); s.Refused != 11 || s.InFlight != 10 {
		t.Errorf("%+v, want 11 refused and 10 in flight", s)
	}
}

// TestBoundaries holds the rules at the values where they turn: log10 at powers
// of ten, gradient2 at a base of exactly twice the round trip (which is not yet
// too long), and at a drop that came after exactly the base (which is no sample).
func TestBoundaries(t *testing.T) {
	for x, want := range map[float64]float64{1: 1, 9.9: 1, 10: 1, 99.9: 1, 100: 2, 999.9: 2, 1000: 3, 1e6: 6} {
		if got := log10(x); got != want {
			t.Errorf("log10 of %v is %v, want %v", x, got, want)
		}
	}
	c := Defaults(Gradient2)
	c.LongWindow, c.WarmupWindow = 1, 2
	l := New(compile(t, c))
	l.feed(0, sample{rtt: 3000, inFlight: 20, measured: true}, 0)
	l.feed(0, sample{rtt: 1000, inFlight: 20, measured: true}, 0) // the mean is 2000
	if base := l.Snapshot(0).Base; base != 2000 {
		t.Errorf("base %d ns, want 2000: it is not more than twice the round trip", base)
	}
	before := l.Snapshot(0)
	if l.feed(0, sample{rtt: 2000, inFlight: 20, dropped: true}, 0); l.Snapshot(0) != before {
		t.Errorf("a drop after the base changed %+v to %+v", before, l.Snapshot(0))
	}
	if got := cell(1e18); got != cells-1 {
		t.Errorf("the longest durations are in cell %d of %d, want the last", got, cells)
	}
	p, _ := l.Acquire(0)
	l.Report(1, p, Answered, 0)
	if s := l.Snapshot(1); s.Answered != 1 || s.Dropped != 0 {
		t.Errorf("%+v, want one answered", s)
	}
}

// TestSignals holds what each end of a call says.
func TestSignals(t *testing.T) {
	for reason := range patterns.Reason(patterns.Reasons) {
		want := NoSample
		switch reason {
		case patterns.AttemptTimeout, patterns.DeadlineExceeded, patterns.Rejected:
			want = Dropped
		}
		if got := SignalOf(patterns.Result{Outcome: patterns.Failure, Reason: reason}); got != want {
			t.Errorf("failure, %s: %s, want %s", reason, got, want)
		}
		for _, o := range []patterns.Outcome{patterns.Ignored, patterns.NotMade} {
			if got := SignalOf(patterns.Result{Outcome: o, Reason: reason}); got != NoSample {
				t.Errorf("%s, %s: %s, want no sample", o, reason, got)
			}
		}
	}
	if got := SignalOf(patterns.Result{Outcome: patterns.Success}); got != Answered {
		t.Errorf("success: %s, want answered", got)
	}
	for s, want := range []string{"no sample", "answered", "dropped", "unknown"} {
		if got := Signal(s).String(); got != want {
			t.Errorf("signal %d is %s, want %s", s, got, want)
		}
	}
	l := New(compile(t, Defaults(AIMD)))
	p, _ := l.Acquire(0)
	if !l.Report(0, p, Signal(9), 0) || l.Snapshot(0).Answered != 0 {
		t.Error("an unknown signal must end the call without a sample")
	}
}

// TestAQuickRefusalIsNoBase: the dependency refuses in a microsecond what it
// answers in 10 ms. Each algorithm lowers its limit or lets it be, and none takes
// the microsecond for a round trip.
func TestAQuickRefusalIsNoBase(t *testing.T) {
	for _, a := range []Algorithm{Vegas, Gradient, Gradient2} {
		c := Defaults(a)
		c.MinLimit = 1
		l := New(compile(t, c))
		for range 20 {
			l.feed(0, sample{rtt: 1e7, inFlight: l.Limit(), measured: true}, 0.999)
		}
		before := l.Snapshot(0)
		for range 5 {
			l.feed(0, sample{rtt: 1e3, inFlight: l.Limit(), dropped: true}, 0.999)
		}
		after := l.Snapshot(0)
		if after.Base != before.Base || before.Base != 10*time.Millisecond {
			t.Errorf("%s: base %s, then %s, want 10ms", a, before.Base, after.Base)
		}
		if lowered := after.Limit < before.Limit; lowered == (a == Gradient2) || after.Limit > before.Limit {
			t.Errorf("%s: limit %d, then %d", a, before.Limit, after.Limit)
		}
	}
}

// TestTimeoutsLowerEveryLimit: the dependency hangs, and every call is cut off
// after 200 ms where 10 ms is usual, so that nothing is ever answered. Whatever
// the algorithm, with windows and without, the limit falls to its floor.
func TestTimeoutsLowerEveryLimit(t *testing.T) {
	for _, c := range []Config{
		windowed(AIMD), windowed(Vegas), windowed(Gradient), windowed(Gradient2), windowed(Envoy),
		Defaults(AIMD), Defaults(Vegas), Defaults(Gradient), Defaults(Gradient2), Defaults(Envoy),
	} {
		l := New(compile(t, c))
		p := newLoop(&l, 40)
		p.run(5 * time.Second)
		now := p.now
		for _, k := range p.inside {
			l.Report(now, k.permit, NoSample, 0)
		}
		var permits []Permit
		least := l.Limit()
		for range 300 {
			for {
				p, v := l.Acquire(now)
				if !v.OK {
					break
				}
				permits = append(permits, p)
			}
			now = now.Add(200 * time.Millisecond)
			for _, p := range permits {
				l.Report(now, p, Dropped, 0.5)
			}
			permits = permits[:0]
			least = min(least, l.Limit())
		}
		if floor := c.MinLimit; least > floor+5 {
			t.Errorf("%s, windows %v: least limit %d, want near %d", c.Algorithm, c.Window != nil, least, floor)
		}
	}
}

// TestLimitersDoNotAllocate: once as many calls were inside as ever will be, no
// memory is asked for, whatever the algorithm and with all that is optional.
func TestLimitersDoNotAllocate(t *testing.T) {
	for _, a := range []Algorithm{AIMD, Vegas, Gradient2, Gradient, Envoy} {
		c := windowed(a)
		c.InitialLimit, c.MaxLimit = 50, 50
		if a != Envoy {
			c.MedianSamples = 5
			c.Window.Percentile = patterns.PercentOf(90)
		}
		c.Partitions = []Partition{{"a", patterns.PercentOf(50)}}
		l := New(compile(t, c))
		p := newLoop(&l, 40)
		p.run(5 * time.Second)
		permits := make([]Permit, 0, 64)
		if n := testing.AllocsPerRun(500, func() {
			for range 60 {
				if permit, v := l.AcquireIn(p.now, 0); v.OK && len(permits) < cap(permits) {
					permits = append(permits, permit)
				}
			}
			p.now = p.now.Add(13 * time.Millisecond)
			for i, permit := range permits {
				l.Report(p.now, permit, []Signal{Answered, Dropped, NoSample}[i%17%3], 0.5)
			}
			permits = permits[:0]
		}); n != 0 {
			t.Errorf("%s: %v allocations, want 0", a, n)
		}
	}
}

func BenchmarkAcquireReport(b *testing.B) {
	for _, a := range []Algorithm{AIMD, Vegas, Gradient2, Gradient, Envoy} {
		for _, gathered := range []bool{false, true} {
			c, name := Defaults(a), string(a)
			if gathered {
				if a == Envoy {
					continue
				}
				c, name = windowed(a), string(a)+"-windowed"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				l := New(compile(b, c))
				for i := range b.N {
					now := at(2 * i)
					p, _ := l.Acquire(now)
					l.Report(now+patterns.Instant(1_000_000+i&1023), p, Answered, 0.5)
				}
			})
		}
	}
}
