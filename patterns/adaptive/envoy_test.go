package adaptive

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// at is an instant in milliseconds.
func at(ms int) patterns.Instant { return patterns.Instant(ms) * patterns.Instant(time.Millisecond) }

func envoyConfig() Config {
	c := Defaults(Envoy)
	c.InitialLimit, c.MinLimit, c.MinRTTConcurrency, c.MaxLimit = 10, 2, 4, 50
	c.MinRTTRequestCount, c.MinRTTJitter = 4, 0
	return c
}

// calls makes n calls at the same instant that all take so long, and returns
// when they end.
func calls(t *testing.T, l *Limiter, begin, n, took int) int {
	t.Helper()
	var permits []Permit
	for range n {
		p, v := l.Acquire(at(begin))
		if !v.OK {
			t.Fatalf("%d ms: refused at %d of %d", begin, v.InFlight, v.Limit)
		}
		permits = append(permits, p)
	}
	for _, p := range permits {
		l.Report(at(begin+took), p, Answered, 0)
	}
	return begin + took
}

// expect compares limit and state at an instant.
func expect(t *testing.T, l *Limiter, ms, limit int, measuring bool) {
	t.Helper()
	if s := l.Snapshot(at(ms)); s.Limit != limit || s.Measuring != measuring {
		t.Errorf("%d ms: limit %d, measuring %v, want %d, %v", ms, s.Limit, s.Measuring, limit, measuring)
	}
}

// TestEnvoyMeasuresPinned: the limit is pinned at 4 until four samples are in,
// then it is what it was before; after the interval it is pinned again, at that
// very instant. A call begun before is not heard, nor is a drop.
func TestEnvoyMeasuresPinned(t *testing.T) {
	l := New(compile(t, envoyConfig()))
	expect(t, &l, 0, 4, true)
	calls(t, &l, 0, 3, 10)
	late, _ := l.Acquire(at(0))
	l.Report(at(15), late, Dropped, 0)
	expect(t, &l, 15, 4, true)
	calls(t, &l, 15, 1, 10)
	expect(t, &l, 25, 10, false)
	if s := l.Snapshot(at(25)); s.Base < 9900*time.Microsecond || s.Base > 10100*time.Microsecond || s.Probes != 1 {
		t.Errorf("base %s after %d probes, want 10ms within a hundredth after 1", s.Base, s.Probes)
	}
	early, _ := l.Acquire(at(60_000))
	due, ok := l.Next()
	if !ok || due != at(60_025) {
		t.Errorf("next change at %d, want the second measurement a minute after the first", due)
	}
	l.Tick(due)
	expect(t, &l, 60_025, 4, true)
	l.Report(at(60_030), early, Answered, 0)
	calls(t, &l, 60_030, 3, 10)
	expect(t, &l, 60_040, 4, true)
	if due, ok := l.Next(); ok || due != patterns.Never {
		t.Errorf("next change at %d, want none while it measures", due)
	}
	calls(t, &l, 60_040, 1, 10)
	expect(t, &l, 60_050, 10, false)
}

// TestEnvoyFollowsTheGradient: base 10 ms, buffer 25 %. Windows of 100 ms with
// round trips of 10 ms, 25 ms and 5 ms give gradients of 1.25, 0.5 and 2 (clamped
// from 2.5); an empty window gives none. Each limit is trunc(Lg + sqrt(Lg)).
func TestEnvoyFollowsTheGradient(t *testing.T) {
	l := New(compile(t, envoyConfig()))
	end := calls(t, &l, 0, 4, 10) // windows end at 110, 210, ...
	expect(t, &l, end, 10, false)
	calls(t, &l, 20, 6, 10)
	expect(t, &l, 109, 10, false)
	expect(t, &l, 110, 16, false) // 12.5 + 3.54
	calls(t, &l, 150, 6, 25)
	expect(t, &l, 210, 10, false) // 8 + 2.83
	expect(t, &l, 310, 10, false)
	calls(t, &l, 320, 6, 5)
	expect(t, &l, 410, 24, false) // 20 + 4.47
	calls(t, &l, 420, 6, 5)
	expect(t, &l, 510, 50, false) // 54.9, the ceiling
	refused, _ := l.Acquire(at(520))
	l.Report(at(525), refused, Dropped, 0) // quicker than the base: says nothing
	expect(t, &l, 610, 50, false)
	timeout, _ := l.Acquire(at(620))
	l.Report(at(650), timeout, Dropped, 0) // 30 ms at least
	expect(t, &l, 710, 30, false)          // 25 + 5
}

// TestEnvoyDoubtsTheFloor: once the limit is at the floor, five windows that
// leave it there start a new measurement at the end of the fifth, long before the
// interval is over. An empty one among them neither counts nor interrupts.
func TestEnvoyDoubtsTheFloor(t *testing.T) {
	l := New(compile(t, envoyConfig()))
	calls(t, &l, 0, 4, 10)
	windows, now := 0, 10
	for ; l.Limit() > 2; now += 100 {
		calls(t, &l, now, 2, 80)
		l.Tick(at(now + 100))
	}
	expect(t, &l, now, 2, false)
	now += 100 // an empty one
	for ; windows < 10 && !l.Snapshot(at(now)).Measuring; windows++ {
		calls(t, &l, now, 2, 80)
		now += 100
	}
	if windows != 5 {
		t.Errorf("measured anew after %d windows, want 5", windows)
	}
	expect(t, &l, now, 4, true)
	calls(t, &l, now, 4, 80)
	if s := l.Snapshot(at(now + 80)); s.Limit != 2 || s.Base < 79*time.Millisecond {
		t.Errorf("limit %d with base %s, want 2 with 80ms", s.Limit, s.Base)
	}
}

// TestTicksChangeNothing: two limiters hear the same calls, one of them is ticked
// at each instant that Next tells. They show the same all the time.
func TestTicksChangeNothing(t *testing.T) {
	c := envoyConfig()
	c.MinRTTInterval, c.MinRTTJitter = patterns.Duration(700*time.Millisecond), patterns.PercentOf(100)
	lazy, ticked := New(compile(t, c)), New(compile(t, c))
	ticks := 0
	for round := range 300 {
		now := at(round * 37)
		if round%20 > 16 {
			continue
		}
		for due, ok := ticked.Next(); ok && due <= now; due, ok = ticked.Next() {
			ticked.Tick(due)
			ticks++
		}
		a, va := lazy.Acquire(now)
		b, vb := ticked.Acquire(now)
		if a != b || va != vb {
			t.Fatalf("round %d: %v and %v", round, va, vb)
		}
		end, draw := now.Add(time.Duration(5+round%40)*time.Millisecond), float64(round%10)/10
		lazy.Report(end, a, Answered, draw)
		ticked.Report(end, b, Answered, draw)
		if lazy.Snapshot(end) != ticked.Snapshot(end) {
			t.Fatalf("round %d: %+v, ticked %+v", round, lazy.Snapshot(end), ticked.Snapshot(end))
		}
	}
	if s := lazy.Snapshot(0); ticks < 40 || s.Probes < 5 {
		t.Errorf("%d ticks and %d probes: the run did not go far enough", ticks, s.Probes)
	}
}

// TestEnvoyAtTheEndOfTime: the last instant there is ends no loop and no limit.
func TestEnvoyAtTheEndOfTime(t *testing.T) {
	c := envoyConfig()
	c.MinRTTInterval = patterns.Duration(1<<63 - 1)
	l := New(compile(t, c))
	calls(t, &l, 0, 4, 10)
	calls(t, &l, 20, 2, 10)
	l.Tick(patterns.Never - 1)
	l.Tick(patterns.Never)
	if p, v := l.Acquire(patterns.Never); !v.OK || !l.Report(patterns.Never, p, Answered, 0) {
		t.Error("no call passes any more")
	}
}

// TestPercentileIsClose: for durations of all sizes a percentile is within 1.6 %
// of the one at its rank, and exact below 64 ns.
func TestPercentileIsClose(t *testing.T) {
	for d := int64(1); d < 1<<37; d += d/50 + 1 {
		var h histogram
		h.add(float64(d))
		got := h.percentile(patterns.PercentOf(50))
		if diff := got - float64(d); diff > 0.016*float64(d) || diff < -0.016*float64(d) || (d < 64 && diff != 0) {
			t.Fatalf("%d ns is shown as %v", d, got)
		}
	}
	var h histogram
	h.add(1e18)
	if got := h.percentile(patterns.PercentOf(50)); got < 1.3e11 {
		t.Errorf("30 years are shown as %v ns, want the last cell", got)
	}
}
