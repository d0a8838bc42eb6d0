package retry

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
)

func policy(t testing.TB, change func(*Config)) *Policy {
	t.Helper()
	c := Defaults()
	change(&c)
	p, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWhatIsRetried lists how an attempt can end and whether another follows, by
// default and where refusals by a bulkhead are listed.
func TestWhatIsRetried(t *testing.T) {
	plain := policy(t, func(*Config) {})
	listed := policy(t, func(c *Config) { c.RetryRefusals = []string{"bulkhead_full", "bulkhead_timeout"} })
	full := policy(t, func(c *Config) { c.RetryRefusals = []string{"bulkhead_full"} })
	for _, row := range []struct {
		result              patterns.Result
		plain, full, listed bool
	}{
		{patterns.Result{Outcome: patterns.Success}, false, false, false},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}, true, true, true},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.AttemptTimeout}, true, true, true},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.Rejected}, true, true, true},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.Panicked}, true, true, true},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.DeadlineExceeded}, false, false, false},
		{patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Failed}, false, false, false},
		{patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Cancelled}, false, false, false},
		{patterns.Result{Outcome: patterns.NotMade, Reason: patterns.BreakerOpen}, false, false, false},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.BreakerOpen}, false, false, false},
		{patterns.Result{Outcome: patterns.NotMade, Reason: patterns.BulkheadFull}, false, true, true},
		{patterns.Result{Outcome: patterns.NotMade, Reason: patterns.BulkheadTimeout}, false, false, true},
		{patterns.Result{Outcome: patterns.NotMade}, false, false, false},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed, RetryAfter: -1}, false, false, false},
	} {
		for _, k := range []struct {
			name string
			p    *Policy
			want bool
		}{{"plain", plain, row.plain}, {"full", full, row.full}, {"listed", listed, row.listed}} {
			var s State
			wait, again := k.p.Next(&s, row.result, 0)
			if again != k.want || (again && wait != 500*time.Millisecond) || (!again && wait != 0) {
				t.Errorf("%s, %+v: again %v after %s, want %v", k.name, row.result, again, wait, k.want)
			}
		}
	}
}

// TestHintsAreAFloor gives the dependency's hint with different ceilings: it is
// never undercut by our own shorter wait, our own longer wait stands, the ceiling
// clamps it, a6 takes it as it is, and a bulkhead's hint is not clamped.
func TestHintsAreAFloor(t *testing.T) {
	failed := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
	refused := patterns.Result{Outcome: patterns.NotMade, Reason: patterns.BulkheadFull}
	for _, row := range []struct {
		name   string
		result patterns.Result
		hint   time.Duration
		change func(*Config)
		want   time.Duration
	}{
		{"longer than ours", failed, 2 * time.Second, func(*Config) {}, 2 * time.Second},
		{"shorter than ours", failed, 100 * time.Millisecond, func(*Config) {}, 500 * time.Millisecond},
		{"above the ceiling", failed, time.Hour, func(c *Config) {
			c.ExponentialMaxWaitDuration = patterns.Duration(20 * time.Second)
		}, 20 * time.Second},
		{"a6, above the ceiling", failed, time.Hour, func(c *Config) {
			c.ExponentialMaxWaitDuration, c.Jitter = patterns.Duration(20*time.Second), A6
		}, time.Hour},
		{"a6, shorter than ours", failed, time.Millisecond, func(c *Config) { c.Jitter = A6 }, time.Millisecond},
		{"of a bulkhead", refused, time.Minute, func(c *Config) {
			c.ExponentialMaxWaitDuration = patterns.Duration(20 * time.Second)
			c.RetryRefusals = []string{"bulkhead_full"}
		}, time.Minute},
	} {
		var s State
		row.result.RetryAfter = row.hint
		if got, again := policy(t, row.change).Next(&s, row.result, 0.5); !again || got != row.want {
			t.Errorf("%s: %s (again: %v), want %s", row.name, got, again, row.want)
		}
	}
}

// TestDecorrelatedRemembersItsLastWait: each wait is drawn from the one before,
// until a hint starts the schedule over.
func TestDecorrelatedRemembersItsLastWait(t *testing.T) {
	p := policy(t, func(c *Config) { c.MaxAttempts = 10; c.Jitter = Decorrelated })
	failed := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
	hinted := failed
	hinted.RetryAfter = time.Minute
	var s State
	for i, row := range []struct {
		result patterns.Result
		want   time.Duration
	}{
		{failed, time.Second}, {failed, 1750 * time.Millisecond}, {hinted, time.Minute}, {failed, time.Second},
	} {
		if got, _ := p.Next(&s, row.result, 0.5); got != row.want {
			t.Errorf("wait %d: %s, want %s", i+1, got, row.want)
		}
	}
	if s.Tries != 4 {
		t.Errorf("%d tries, want 4", s.Tries)
	}
}

// TestAttemptsAreCountedInAll: maxAttempts counts the first attempt, and hints do
// not start that count over.
func TestAttemptsAreCountedInAll(t *testing.T) {
	for _, most := range []int{1, 2, 7} {
		p := policy(t, func(c *Config) { c.MaxAttempts = most })
		var s State
		attempts := 1
		for {
			_, again := p.Next(&s, patterns.Result{Outcome: patterns.Failure, RetryAfter: time.Second}, 0)
			if !again {
				break
			}
			attempts++
		}
		if attempts != most {
			t.Errorf("%d attempts, want %d", attempts, most)
		}
	}
}

// TestDrawsAreAskedForOnlyIfUsed: a policy that says it needs no draw gives the
// same wait for any; one that says it does, does not.
func TestDrawsAreAskedForOnlyIfUsed(t *testing.T) {
	for _, j := range []Jitter{"", None, Full, Equal, Factor, Decorrelated, A6} {
		p := policy(t, func(c *Config) { c.Jitter = j })
		var one, two State
		r := patterns.Result{Outcome: patterns.Failure}
		low, _ := p.Next(&one, r, 0.1)
		high, _ := p.Next(&two, r, 0.9)
		if (low != high) != p.NeedsDraw() {
			t.Errorf("jitter '%s': waits %s and %s, needs a draw: %v", j, low, high, p.NeedsDraw())
		}
	}
}

// TestEveryFaultIsTold spoils sound settings one key at a time and expects that
// key, and only it, to be named.
func TestEveryFaultIsTold(t *testing.T) {
	if fs := Defaults().Validate(); fs != nil {
		t.Fatalf("the defaults have faults: %v", fs.Err())
	}
	for _, row := range []struct {
		key   string
		spoil func(*Config)
	}{
		{"maxAttempts", func(c *Config) { c.MaxAttempts = 0 }},
		{"waitDuration", func(c *Config) { c.WaitDuration = -1 }},
		{"exponentialBackoffMultiplier", func(c *Config) {
			c.EnableExponentialBackoff, c.ExponentialBackoffMultiplier = true, 0.99
		}},
		{"exponentialMaxWaitDuration", func(c *Config) { c.ExponentialMaxWaitDuration = -1 }},
		{"jitter", func(c *Config) { c.Jitter = "some" }},
		{"jitter", func(c *Config) { c.Jitter, c.EnableRandomizedWait = None, true }},
		{"randomizedWaitFactor", func(c *Config) { c.Jitter, c.RandomizedWaitFactor = Factor, 1 }},
		{"retryRefusals", func(c *Config) { c.RetryRefusals = []string{"breaker_open"} }},
		{"retryRefusals", func(c *Config) { c.RetryRefusals = []string{"full"} }},
		{"budget.ratio", func(c *Config) {
			b := budget.Defaults()
			b.Ratio = -1
			c.Budget = &b
		}},
	} {
		c := Defaults()
		row.spoil(&c)
		fs := c.Validate()
		if len(fs) != 1 || fs[0].Key != row.key {
			t.Errorf("faults %v, want one of %s", fs, row.key)
		}
		if _, err := Compile(c); err == nil {
			t.Errorf("compiles with a fault of %s", row.key)
		}
	}
}

// TestPoliciesDoNotAllocate: deciding asks for no memory.
func TestPoliciesDoNotAllocate(t *testing.T) {
	p := policy(t, func(c *Config) { c.EnableExponentialBackoff = true; c.Jitter = Factor })
	if n := testing.AllocsPerRun(1000, func() {
		var s State
		for again := true; again; {
			_, again = p.Next(&s, patterns.Result{Outcome: patterns.Failure}, 0.3)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkNext(b *testing.B) {
	b.ReportAllocs()
	p := policy(b, func(c *Config) { c.EnableExponentialBackoff = true; c.Jitter = Factor })
	for range b.N {
		var s State
		p.Next(&s, patterns.Result{Outcome: patterns.Failure}, 0.3)
	}
}
