package breaker

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// The tests of this file are faults that users reported against other libraries,
// each reduced to the shortest input that shows it.

const second = patterns.Instant(time.Second)

func compile(t testing.TB, change func(*Config)) *Settings {
	t.Helper()
	c := Defaults()
	c.WaitDurationInOpenState = patterns.Duration(time.Second)
	c.PermittedNumberOfCallsInHalfOpenState = 1
	change(&c)
	s, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// opened returns a breaker that opened at 0, so that its wait is over at 1 s.
func opened(t testing.TB, change func(*Config)) *Breaker {
	t.Helper()
	b := New(compile(t, change))
	b.Force(0, Open, 0, nil)
	return &b
}

// admitted asks n times at once and returns the permits given.
func admitted(b *Breaker, now patterns.Instant, n int) []Permit {
	var ps []Permit
	for range n {
		if p, v := b.Acquire(now, 0, nil); v.OK {
			ps = append(ps, p)
		}
	}
	return ps
}

func noLimit(c *Config) { c.MaxWaitDurationInHalfOpenState = new(patterns.Duration) }

// TestH01_IgnoredTrialGivesPermitBack: the only trial ends with an error that
// says nothing; the next asker is admitted and the state is still half-open. The
// same for a trial that was not made, any number of times.
func TestH01_IgnoredTrialGivesPermitBack(t *testing.T) {
	for _, o := range []patterns.Outcome{patterns.Ignored, patterns.NotMade} {
		b := opened(t, noLimit)
		for k := range 200 {
			ps := admitted(b, second, 2)
			if len(ps) != 1 {
				t.Fatalf("%s, round %d: %d admitted, want 1", o, k, len(ps))
			}
			if !b.Report(second, ps[0], o, 0, nil) {
				t.Fatalf("%s, round %d: permit not accepted", o, k)
			}
			if got := b.State(second); got != HalfOpen {
				t.Fatalf("%s, round %d: %s, want half_open", o, k, got)
			}
		}
	}
}

// TestH02_SimultaneousAskersGetThePermittedNumber: the wait is over, twelve ask
// in the same instant, two are permitted.
func TestH02_SimultaneousAskersGetThePermittedNumber(t *testing.T) {
	b := opened(t, func(c *Config) { c.PermittedNumberOfCallsInHalfOpenState = 2 })
	if got := len(admitted(b, second, 12)); got != 2 {
		t.Errorf("%d admitted, want 2", got)
	}
	if got := b.Snapshot(second).NotPermitted; got != 10 {
		t.Errorf("%d counted as refused, want 10", got)
	}
}

// TestH03_OnlyTheTrialRuns: while the only trial takes 30 s, nobody else passes.
func TestH03_OnlyTheTrialRuns(t *testing.T) {
	b := opened(t, noLimit)
	if got := len(admitted(b, second, 1)); got != 1 {
		t.Fatalf("%d admitted, want the trial", got)
	}
	for now := second; now <= 31*second; now = now.Add(time.Second) {
		if got := len(admitted(b, now, 25)); got != 0 {
			t.Fatalf("at %s: %d admitted beside the trial", now.Sub(0), got)
		}
	}
}

// TestH04_LateFailuresOpenOnce: four in flight, two failures open; the two that
// come later neither open again nor lengthen the wait.
func TestH04_LateFailuresOpenOnce(t *testing.T) {
	b := New(compile(t, func(c *Config) { c.ConsecutiveFailures = 2 }))
	var log []Event
	for i, p := range admitted(&b, 0, 4) {
		b.Report(patterns.Instant(i)*second/4, p, patterns.Failure, 0, &log)
	}
	want := Event{At: second / 4, From: Closed, To: Open, Why: Consecutive}
	if len(log) != 1 || log[0] != want {
		t.Errorf("events %v, want only %v", log, want)
	}
	if got := len(admitted(&b, second/4+second, 1)); got != 1 {
		t.Error("the wait was lengthened")
	}
	if got := b.Snapshot(second).Late; got != 2 {
		t.Errorf("%d late, want 2", got)
	}
}

// TestH05_FailedTrialReopensBelowTheMinimum: the minimum of ten calls does not
// keep one failed trial of one from deciding; a new wait starts.
func TestH05_FailedTrialReopensBelowTheMinimum(t *testing.T) {
	b := opened(t, func(c *Config) { c.SlidingWindowType = TimeBased; c.MinimumNumberOfCalls = 10 })
	hour := patterns.Instant(time.Hour)
	ps := admitted(b, hour, 1)
	b.Report(hour, ps[0], patterns.Failure, 0, nil)
	if got := b.State(hour); got != Open {
		t.Fatalf("%s, want open", got)
	}
	if got := len(admitted(b, hour+second-1, 1)); got != 0 {
		t.Error("admitted before the new wait was over")
	}
	if got := len(admitted(b, hour+second, 1)); got != 1 {
		t.Error("not admitted when the new wait was over")
	}
}

// TestH06_SixthFailureDoesNotStopTheWait: six in flight fail at once, five open.
func TestH06_SixthFailureDoesNotStopTheWait(t *testing.T) {
	b := New(compile(t, func(c *Config) { c.ConsecutiveFailures = 5 }))
	for _, p := range admitted(&b, 0, 6) {
		b.Report(0, p, patterns.Failure, 0, nil)
	}
	if got := len(admitted(&b, second, 3)); got != 1 {
		t.Errorf("%d admitted after the wait, want one trial", got)
	}
	if got := b.State(second); got != HalfOpen {
		t.Errorf("%s, want half_open", got)
	}
}

// TestH09_SlowSteadyFailureTrips: one failure each 4 s, no success: the fifth in
// a row opens, although a window of 10 s never holds five.
func TestH09_SlowSteadyFailureTrips(t *testing.T) {
	b := New(compile(t, func(c *Config) {
		c.ConsecutiveFailures = 5
		c.SlidingWindowType = TimeBased
		c.SlidingWindowSize = 10
	}))
	for k := 1; k <= 5; k++ {
		now := patterns.Instant(k) * 4 * second
		b.Report(now, admitted(&b, now, 1)[0], patterns.Failure, 0, nil)
		if got := b.State(now); (got == Open) != (k == 5) {
			t.Errorf("after failure %d: %s", k, got)
		}
	}
}

// TestM05_HalfOpenIsBounded: a thousand ask when the wait is over.
func TestM05_HalfOpenIsBounded(t *testing.T) {
	for _, permitted := range []int{1, 10, 100} {
		b := opened(t, func(c *Config) { c.PermittedNumberOfCallsInHalfOpenState = permitted })
		ps := admitted(b, second, 1000)
		if len(ps) != permitted {
			t.Errorf("%d admitted, want %d", len(ps), permitted)
		}
		// Results do not give their permits back, so that the sum is bounded too.
		for _, p := range ps[1:] {
			b.Report(second, p, patterns.Success, 0, nil)
		}
		if got := len(admitted(b, second, 1000)); got != 0 {
			t.Errorf("%d more admitted after %d results", got, permitted-1)
		}
	}
}

// TestM08_IdleBreakerShowsNoCalls: five failures, an idle hour, a look.
func TestM08_IdleBreakerShowsNoCalls(t *testing.T) {
	b := New(compile(t, func(c *Config) {
		c.SlidingWindowType = TimeBased
		c.SlidingWindowSize = 10
		c.MinimumNumberOfCalls = 5
		c.ConsecutiveFailures = 6 // so that five failures do not open
	}))
	for _, p := range admitted(&b, 0, 5) {
		b.Report(0, p, patterns.Failure, 0, nil)
	}
	if s := b.Snapshot(0); s.Buffered != 5 || s.FailureRate != 100 {
		t.Errorf("at once: %d calls, rate %v, want 5 and 100", s.Buffered, s.FailureRate)
	}
	if s := b.Snapshot(3600 * second); s.Buffered != 0 || s.FailureRate != -1 {
		t.Errorf("an hour later: %d calls, rate %v, want 0 and -1", s.Buffered, s.FailureRate)
	}
}
