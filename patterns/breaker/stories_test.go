package breaker

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// hanging is a breaker that counts running calls as slow after a quarter of a second.
func hanging(c *Config) {
	c.CountRunningSlowCalls = true
	c.SlowCallDurationThreshold = patterns.Duration(second / 4)
	c.SlidingWindowSize, c.MinimumNumberOfCalls = 10, 10
}

// TestHungThreadsOpenTheBreaker is the classic incident: four hundred calls hang and
// none ends. Without the rule the breaker is closed for ever with no call recorded;
// with it the tenth hung call opens it, a nanosecond after the threshold.
func TestHungThreadsOpenTheBreaker(t *testing.T) {
	for _, rule := range []bool{false, true} {
		b := New(compile(t, func(c *Config) { hanging(c); c.CountRunningSlowCalls = rule }))
		var log []Event
		calls := admitted(&b, 0, 400)
		now := second/4 + 1
		for i := range calls {
			if at := b.OverdueAt(calls[i]); (at == now) != rule {
				t.Fatalf("rule %v: overdue at %d", rule, at)
			}
			b.Overdue(now, &calls[i], 0, &log)
		}
		if s := b.Snapshot(now); (s.State == Open) != rule || s.Buffered != 0 {
			t.Errorf("rule %v: %+v", rule, s)
		}
		if rule && (len(log) != 1 || log[0] != Event{At: now, From: Closed, To: Open, Why: SlowRate}) {
			t.Errorf("events %v, want one opening", log)
		}
	}
}

// TestRunningCallsCountOnce marks nine of ten calls, lets all end, and looks at the
// counts in between: a marked call leaves the running ones when it is recorded.
func TestRunningCallsCountOnce(t *testing.T) {
	b := New(compile(t, hanging))
	calls := admitted(&b, 0, 10)
	if b.Overdue(second/4, &calls[0], 0, nil) {
		t.Error("counted at the threshold; slow is strictly longer")
	}
	now := second / 2
	for i := range 9 {
		if !b.Overdue(now, &calls[i], 0, nil) || b.Overdue(now, &calls[i], 0, nil) {
			t.Errorf("call %d was not counted exactly once", i)
		}
		if got := b.OverdueAt(calls[i]); got != patterns.Never {
			t.Errorf("a marked call is due again at %d", got)
		}
	}
	if s := b.Snapshot(now); s.Overdue != 9 || s.Buffered != 0 || s.SlowRate != -1 {
		t.Errorf("%+v, want nine running", s)
	}
	b.Report(now, calls[0], patterns.Ignored, 0, nil)
	for i := 1; i < 9; i++ {
		b.Report(now, calls[i], patterns.Success, 0, nil)
		if s := b.Snapshot(now); s.Overdue != int64(8-i) || s.Slow != int64(i) {
			t.Errorf("after call %d: %+v", i, s)
		}
	}
	if b.Overdue(now, &calls[8], 0, nil) || b.Overdue(now, &Permit{}, 0, nil) {
		t.Error("a permit that is not out was counted")
	}
}

// TestRunningCallsHideNoFailure: ten of ten ended calls failed, a hundred hang. The
// failures open the breaker as if nothing hung.
func TestRunningCallsHideNoFailure(t *testing.T) {
	b := New(compile(t, hanging))
	calls := admitted(&b, 0, 109)
	for _, p := range calls[:9] {
		b.Report(0, p, patterns.Failure, 0, nil)
	}
	for i := range calls[10:] {
		b.Overdue(second, &calls[10+i], 0, nil)
	}
	b.Report(second, calls[9], patterns.Failure, 0, nil)
	if got := b.State(second); got != Open {
		t.Errorf("%s, want open", got)
	}
}

// TestRunningTrialSpeaksOnlyAgainstClosing: one trial of two passed, the other is
// running. With 50 percent of slow calls allowed the running one reopens; with 100 it
// neither reopens nor closes before it ends.
func TestRunningTrialSpeaksOnlyAgainstClosing(t *testing.T) {
	for _, row := range []struct {
		percent float64
		want    State
	}{{50, Open}, {100, HalfOpen}} {
		b := opened(t, func(c *Config) {
			hanging(c)
			noLimit(c)
			c.PermittedNumberOfCallsInHalfOpenState = 2
			c.SlowCallRateThreshold = patterns.PercentOf(row.percent)
		})
		trials := admitted(b, second, 2)
		b.Report(second, trials[0], patterns.Success, 0, nil)
		b.Overdue(2*second, &trials[1], 0, nil)
		if got := b.State(2 * second); got != row.want {
			t.Errorf("%v %% of slow calls allowed: %s, want %s", row.percent, got, row.want)
		}
		b.Report(3*second, trials[1], patterns.Success, 0, nil)
		if got := b.State(2 * second); row.want == HalfOpen && got != Closed {
			t.Errorf("%s after the last trial, want closed", got)
		}
	}
}

// TestRunningSlowCallsAreToldInMetricsOnly: the event comes once, nothing opens; a
// disabled breaker counts nothing.
func TestRunningSlowCallsAreToldInMetricsOnly(t *testing.T) {
	b := New(compile(t, hanging))
	for _, state := range []State{MetricsOnly, Disabled} {
		b.Force(0, state, 0, nil)
		var log []Event
		calls := admitted(&b, 0, 20)
		for i := range calls {
			if got := b.Overdue(second, &calls[i], 0, &log); got != (state == MetricsOnly) {
				t.Fatalf("%s: counted %v", state, got)
			}
		}
		if got := b.State(second); got != state || (len(log) == 1) != (state == MetricsOnly) {
			t.Errorf("%s: %s, events %v", state, got, log)
		}
		b.Force(0, Closed, 0, nil)
	}
}

// TestAutomaticHalfOpenComesWithoutACall: the breaker announces the end of its wait,
// is half-open from then on whether it is ticked or not, and waits for a trial however
// long it takes: an idle year is no year of openings.
func TestAutomaticHalfOpenComesWithoutACall(t *testing.T) {
	for _, ticked := range []bool{false, true} {
		b := opened(t, func(c *Config) { c.AutomaticTransitionFromOpenToHalfOpenEnabled = true })
		if at, ok := b.Next(); !ok || at != second {
			t.Fatalf("next change at %d, %v, want 1 s", at, ok)
		}
		var log []Event
		if ticked {
			b.Tick(second, 0, &log)
			if _, ok := b.Next(); ok {
				t.Error("a half-open stay without a trial has an end")
			}
		}
		if got := b.State(second - 1); !ticked && got != Open {
			t.Errorf("before the end of the wait: %s", got)
		}
		year := 365 * 24 * 3600 * second
		if got := b.State(year); got != HalfOpen {
			t.Errorf("ticked %v: %s after a year, want half_open", ticked, got)
		}
		trial, v := b.Acquire(year, 0, &log)
		if !v.OK || len(log) != 1 || (log[0] != Event{At: second, From: Open, To: HalfOpen, Why: WaitOver}) {
			t.Errorf("ticked %v: events %v", ticked, log)
		}
		// The trial hangs: open at the limit, half-open again a wait later.
		if b.State(year+second) != Open || b.State(year+2*second) != HalfOpen {
			t.Errorf("ticked %v: %s, then %s", ticked, b.State(year+second), b.State(year+2*second))
		}
		b.Report(year+2*second, trial, patterns.Success, 0, &log)
		if s := b.Snapshot(year + 2*second); s.State != HalfOpen || s.Late != 1 || len(log) != 3 {
			t.Errorf("ticked %v: %+v, events %v", ticked, s, log)
		}
	}
}

// TestExpiryMayClose: with transitionToStateAfterWaitDuration CLOSED a trial that
// never reports closes the breaker at the limit, with a fresh window.
func TestExpiryMayClose(t *testing.T) {
	b := opened(t, func(c *Config) { c.TransitionToStateAfterWaitDuration = ToClosed })
	admitted(b, second, 1)
	var log []Event
	if got := b.State(2 * second); got != Closed {
		t.Errorf("%s at the limit, want closed", got)
	}
	b.Tick(9*second, 0, &log)
	if len(log) != 1 || (log[0] != Event{At: 2 * second, From: HalfOpen, To: Closed, Why: TrialsExpired}) {
		t.Errorf("events %v", log)
	}
	if s := b.Snapshot(9 * second); s.State != Closed || s.Attempts != 0 {
		t.Errorf("%+v", s)
	}
}

// TestFewCallsNeverCloseWithTheDefaultLimit: ten trials are needed within the open
// wait of a second, a healthy dependency is called twice a second, and the breaker
// opens again and again. Each remedy that the package comment names closes it. The
// numbers that Config tells are what decides.
func TestFewCallsNeverCloseWithTheDefaultLimit(t *testing.T) {
	limit := patterns.Duration(6 * time.Second)
	for _, row := range []struct {
		name   string
		change func(*Config)
		closes bool
	}{
		{"default", func(*Config) {}, false},
		{"fewer trials", func(c *Config) { c.PermittedNumberOfCallsInHalfOpenState = 2 }, true},
		{"early, few successes", func(c *Config) { c.HalfOpenDecision, c.HalfOpenSuccesses = Early, 2 }, true},
		{"longer limit", func(c *Config) { c.MaxWaitDurationInHalfOpenState = &limit }, true},
		{"no limit", noLimit, true},
		{"closing at the limit", func(c *Config) { c.TransitionToStateAfterWaitDuration = ToClosed }, true},
	} {
		c := Defaults()
		c.WaitDurationInOpenState = patterns.Duration(time.Second)
		row.change(&c)
		s, err := Compile(c)
		if err != nil {
			t.Fatal(err)
		}
		b := New(s)
		b.Force(0, Open, 0, nil)
		now := patterns.Instant(0)
		for range 200 {
			now = now.Add(500 * time.Millisecond)
			if p, v := b.Acquire(now, 0, nil); v.OK {
				b.Report(now, p, patterns.Success, 0, nil)
			}
		}
		if got := b.State(now); (got == Closed) != row.closes {
			t.Errorf("%s: %s after 100 s of good calls", row.name, got)
		}
		trials, within := c.HalfOpenNeeds()
		fast := within == 0 || time.Duration(trials-1)*500*time.Millisecond < within
		if fast != row.closes && c.TransitionToStateAfterWaitDuration != ToClosed {
			t.Errorf("%s: needs %d trials within %s", row.name, trials, within)
		}
	}
}
