package breaker

import (
	"math"
	"testing"

	"github.com/resilsim/resilsim/patterns"
)

// TestEveryFaultIsTold spoils sound settings one key at a time and expects that
// key, and only it, to be named.
func TestEveryFaultIsTold(t *testing.T) {
	if fs := Defaults().Validate(); fs != nil {
		t.Fatalf("the defaults have faults: %v", fs.Err())
	}
	below := patterns.Duration(-1)
	for _, row := range []struct {
		key   string
		spoil func(*Config)
	}{
		{"failureRateThreshold", func(c *Config) { c.FailureRateThreshold = 0 }},
		{"failureRateThreshold", func(c *Config) { c.FailureRateThreshold = patterns.PercentOf(100) + 1 }},
		{"slowCallRateThreshold", func(c *Config) { c.SlowCallRateThreshold = 0 }},
		{"slowCallDurationThreshold", func(c *Config) { c.SlowCallDurationThreshold = 0 }},
		{"slidingWindowType", func(c *Config) { c.SlidingWindowType = "count_based" }},
		{"slidingWindowSize", func(c *Config) { c.SlidingWindowSize = 0 }},
		{"slidingWindowSize", func(c *Config) { c.SlidingWindowSize = 1<<20 + 1 }},
		{"minimumNumberOfCalls", func(c *Config) { c.MinimumNumberOfCalls = 0 }},
		{"consecutiveFailures", func(c *Config) { c.ConsecutiveFailures = -1 }},
		{"waitDurationInOpenState", func(c *Config) { c.WaitDurationInOpenState = 999999 }},
		{"exponentialBackoffMultiplier", func(c *Config) {
			c.EnableExponentialBackoff, c.ExponentialBackoffMultiplier = true, 0.9
		}},
		{"exponentialBackoffMultiplier", func(c *Config) {
			c.EnableExponentialBackoff, c.ExponentialBackoffMultiplier = true, math.Inf(1)
		}},
		{"exponentialMaxWaitDurationInOpenState", func(c *Config) { c.ExponentialMaxWaitDurationInOpenState = -1 }},
		{"randomizedWaitFactor", func(c *Config) { c.EnableRandomizedWait, c.RandomizedWaitFactor = true, 1 }},
		{"randomizedWaitFactor", func(c *Config) { c.EnableRandomizedWait, c.RandomizedWaitFactor = true, math.NaN() }},
		{"permittedNumberOfCallsInHalfOpenState", func(c *Config) { c.PermittedNumberOfCallsInHalfOpenState = 0 }},
		{"maxWaitDurationInHalfOpenState", func(c *Config) { c.MaxWaitDurationInHalfOpenState = &below }},
		{"halfOpenDecision", func(c *Config) { c.HalfOpenDecision = "late" }},
		{"halfOpenSuccesses", func(c *Config) { c.HalfOpenSuccesses = 11 }},
		{"halfOpenSuccesses", func(c *Config) { c.HalfOpenSuccesses = -1 }},
		{"transitionToStateAfterWaitDuration", func(c *Config) { c.TransitionToStateAfterWaitDuration = "HALF_OPEN" }},
		{"countRunningSlowCalls", func(c *Config) {
			c.ConsecutiveFailures, c.SlowCallDurationThreshold, c.CountRunningSlowCalls = 5, 0, true
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

// TestAllFaultsAreToldAtOnce: settings that are all zero lack all that is needed.
func TestAllFaultsAreToldAtOnce(t *testing.T) {
	if got := len(Config{}.Validate()); got != 8 {
		t.Errorf("%d faults, want 8: %v", got, Config{}.Validate())
	}
}

// TestConsecutiveModeNeedsNoRates: with a run of failures as the rule, rates and
// window may be left out; nothing is slow then, and one bad trial reopens.
func TestConsecutiveModeNeedsNoRates(t *testing.T) {
	s, err := Compile(Config{
		ConsecutiveFailures: 2, PermittedNumberOfCallsInHalfOpenState: 2,
		WaitDurationInOpenState: patterns.Duration(second),
	})
	if err != nil {
		t.Fatal(err)
	}
	b := New(s)
	for _, p := range admitted(&b, 0, 2) {
		b.Report(0, p, patterns.Failure, 0, nil)
	}
	trials := admitted(&b, second, 2)
	b.Report(second+second/2, trials[0], patterns.Success, 0, nil)
	if got := b.State(second + second/2); got != HalfOpen {
		t.Fatalf("%s after one good trial of two, want half_open", got)
	}
	b.Report(second+second/2, trials[1], patterns.Failure, 0, nil)
	if got := b.State(second + second/2); got != Open {
		t.Errorf("%s after one bad trial, want open", got)
	}
}

// TestConsecutiveModeWithoutThresholds takes the trials' rules that are left when
// rates are not given: slow calls are counted if a threshold says what slow is,
// but decide nothing, and a complete decision waits for all permitted trials.
func TestConsecutiveModeWithoutThresholds(t *testing.T) {
	for _, slowAfter := range []patterns.Duration{0, patterns.Duration(second / 4)} {
		s, err := Compile(Config{
			ConsecutiveFailures: 1, PermittedNumberOfCallsInHalfOpenState: 2, HalfOpenDecision: Complete,
			WaitDurationInOpenState: patterns.Duration(second), SlowCallDurationThreshold: slowAfter,
		})
		if err != nil {
			t.Fatal(err)
		}
		b := New(s)
		b.Force(0, Open, 0, nil)
		trials := admitted(&b, second, 2)
		now := second + second/2
		b.Report(now, trials[0], patterns.Success, 0, nil)
		if got, want := b.Snapshot(now).Slow, int64(min(slowAfter, 1)); got != want || b.State(now) != HalfOpen {
			t.Errorf("slow after %s: %d slow and %s, want %d and half_open", slowAfter, got, b.State(now), want)
		}
		b.Report(now, trials[1], patterns.Success, 0, nil)
		if got := b.State(now); got != Closed {
			t.Errorf("slow after %s: %s after two good trials, want closed", slowAfter, got)
		}
	}
}
