package breaker

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// TestTrialReportedTwiceIsRefused: the second report of each of many trials is
// told apart and changes nothing; a foreign permit likewise.
func TestTrialReportedTwiceIsRefused(t *testing.T) {
	b := opened(t, func(c *Config) { c.PermittedNumberOfCallsInHalfOpenState = 64; c.MinimumNumberOfCalls = 64 })
	for _, p := range admitted(b, second, 50) {
		if !b.Report(second, p, patterns.Success, 0, nil) || b.Report(second, p, patterns.Success, 0, nil) {
			t.Fatalf("trial %d was not accepted exactly once", p.Trial)
		}
	}
	now := b.Snapshot(second)
	for _, p := range []Permit{{}, {Generation: 99}, {Generation: now.Generation}, {Generation: now.Generation, Trial: 51}} {
		if b.Report(second, p, patterns.Failure, 0, nil) {
			t.Errorf("foreign permit %+v was accepted", p)
		}
	}
	if got := b.Snapshot(second); got != now || got.Buffered != 50 {
		t.Errorf("refused reports changed %+v to %+v", now, got)
	}
}

// TestForeignPermitsAreRefusedBesideCallsInFlight: a call's permit is no trial's
// and the other way round, and a second report is seen when no call is out.
func TestForeignPermitsAreRefusedBesideCallsInFlight(t *testing.T) {
	b := New(compile(t, func(*Config) {}))
	p := admitted(&b, 0, 1)[0]
	trial := Permit{Generation: p.Generation, Trial: 1}
	if b.Report(0, trial, patterns.Failure, 0, nil) {
		t.Error("a trial's permit was accepted by a closed breaker")
	}
	if !b.Report(0, p, patterns.Success, 0, nil) || b.Report(0, p, patterns.Success, 0, nil) {
		t.Error("the only call in flight was not accepted exactly once")
	}
	half := opened(t, func(c *Config) { c.PermittedNumberOfCallsInHalfOpenState = 3 })
	p = admitted(half, second, 2)[0]
	for _, foreign := range []uint32{0, 3} {
		if half.Report(second, Permit{Generation: p.Generation, Trial: foreign}, patterns.Failure, 0, nil) {
			t.Errorf("trial %d of two was accepted", foreign)
		}
	}
	if s := half.Snapshot(second); s.InFlight != 2 || s.Buffered != 0 {
		t.Errorf("%+v, want two trials in flight and no result", s)
	}
}

// TestOnlyHalfOpenChangesByItself: no other state announces an instant, nor does
// a half-open stay without a limit.
func TestOnlyHalfOpenChangesByItself(t *testing.T) {
	b := opened(t, noLimit)
	for _, to := range []State{Open, HalfOpen, ForcedOpen, Disabled, Closed, MetricsOnly} {
		b.Force(0, to, 0, nil)
		if at, ok := b.Next(); ok || at != patterns.Never {
			t.Errorf("%s changes at %d", to, at)
		}
	}
}

// TestOldTrialAmongManyIsAccepted: a trial that is older than the 64 latest is
// still accepted, and after it the breaker can still decide.
func TestOldTrialAmongManyIsAccepted(t *testing.T) {
	b := opened(t, func(c *Config) {
		c.PermittedNumberOfCallsInHalfOpenState = 200
		c.MinimumNumberOfCalls = 200
		noLimit(c)
	})
	for _, p := range admitted(b, second, 200) {
		if !b.Report(second, p, patterns.Success, 0, nil) {
			t.Fatalf("trial %d was not accepted", p.Trial)
		}
	}
	if got := b.State(second); got != Closed {
		t.Errorf("%s after 200 good trials, want closed", got)
	}
}

// TestHalfOpenExpiryCountsFromItsInstant: the trial never reports. Noticed an
// hour late or ticked at once, the next trial is due at the same instant, and the
// late answer decides nothing.
func TestHalfOpenExpiryCountsFromItsInstant(t *testing.T) {
	for _, ticked := range []bool{false, true} {
		b := opened(t, func(c *Config) { c.EnableExponentialBackoff = true })
		trial := admitted(b, second, 1)[0]
		due, ok := b.Next()
		if !ok || due != 2*second {
			t.Fatalf("next change at %d, %v; want 2 s", due, ok)
		}
		if ticked {
			b.Tick(due, 0, nil)
		}
		if got := b.State(due); got != Open {
			t.Errorf("ticked %v: %s at the end of half-open, want open", ticked, got)
		}
		// The second wait in a row is 1.5 s: from 2 s to 3.5 s.
		if got := len(admitted(b, 3*second, 1)); got != 0 {
			t.Errorf("ticked %v: admitted before the second wait was over", ticked)
		}
		if !b.Report(3*second, trial, patterns.Success, 0, nil) || b.Snapshot(3*second).Late != 1 {
			t.Errorf("ticked %v: the late answer was not counted as such", ticked)
		}
		if got := len(admitted(b, 3*second+second/2, 1)); got != 1 {
			t.Errorf("ticked %v: not admitted at the end of the second wait", ticked)
		}
	}
}

// TestOpenWaitIsSpreadBelowItsCap draws both ends of the spread over many
// openings: the wait is in [1-f, 1+f] times itself and never above the cap.
func TestOpenWaitIsSpreadBelowItsCap(t *testing.T) {
	s := compile(t, func(c *Config) {
		c.EnableExponentialBackoff = true
		c.ExponentialBackoffMultiplier = 2
		c.EnableRandomizedWait = true
		c.RandomizedWaitFactor = 0.25
		c.ExponentialMaxWaitDurationInOpenState = patterns.Duration(10 * time.Second)
	})
	for _, row := range []struct {
		attempt uint32
		draw    float64
		want    time.Duration
	}{
		{1, 0, 750 * time.Millisecond}, {1, 0.5, time.Second}, {2, 0, 1500 * time.Millisecond},
		{4, 0, 6 * time.Second}, {4, 0.5, 8 * time.Second},
		{5, 0, 6 * time.Second}, {100, 0.5, 8 * time.Second}, {4e9, 0.5, 8 * time.Second},
	} {
		if got := s.wait(row.attempt, row.draw); got != row.want {
			t.Errorf("opening %d, draw %v: %s, want %s", row.attempt, row.draw, got, row.want)
		}
	}
	for attempt := uint32(5); attempt < 100; attempt++ {
		got := s.wait(attempt, math.Nextafter(1, 0))
		if got > 10*time.Second || got < 10*time.Second-2 {
			t.Errorf("opening %d, largest draw: %s is not the cap of 10 s", attempt, got)
		}
	}
}

// TestRetryAfterIsTheRestOfTheWait: what a refused caller is told.
func TestRetryAfterIsTheRestOfTheWait(t *testing.T) {
	b := opened(t, noLimit)
	if _, v := b.Acquire(second/4, 0, nil); v.OK || v.RetryAfter != 750*time.Millisecond {
		t.Errorf("open: %+v, want 750 ms", v)
	}
	admitted(b, second, 1)
	if _, v := b.Acquire(second, 0, nil); v.OK || v.RetryAfter != 0 {
		t.Errorf("half-open and full: %+v, want no hint", v)
	}
	b.Force(second, ForcedOpen, 0, nil)
	if _, v := b.Acquire(second, 0, nil); v.OK || v.RetryAfter != 0 {
		t.Errorf("forced open: %+v, want no hint", v)
	}
}

// TestDisabledRecordsNothing: every call passes, whatever becomes of them.
func TestDisabledRecordsNothing(t *testing.T) {
	b := New(compile(t, func(c *Config) { c.ConsecutiveFailures = 1 }))
	b.Force(0, Disabled, 0, nil)
	var log []Event
	for _, p := range admitted(&b, 0, 100) {
		b.Report(0, p, patterns.Failure, 0, &log)
	}
	if s := b.Snapshot(0); s.State != Disabled || s.Buffered != 0 || s.InFlight != 0 || len(log) != 0 {
		t.Errorf("%+v and %d events, want disabled without a trace", s, len(log))
	}
}

// TestFleetBreakersAreApart: one breaker of a slab opens, its neighbours stay
// closed and empty.
func TestFleetBreakersAreApart(t *testing.T) {
	fleet := NewFleet(compile(t, func(c *Config) { c.SlidingWindowSize = 5; c.MinimumNumberOfCalls = 5 }), 3)
	for _, p := range admitted(&fleet[1], 0, 5) {
		fleet[1].Report(0, p, patterns.Failure, 0, nil)
	}
	for i := range fleet {
		s := fleet[i].Snapshot(0)
		if (s.State == Open) != (i == 1) || (s.Buffered == 0) != (i != 1) {
			t.Errorf("breaker %d: %+v", i, s)
		}
	}
}
