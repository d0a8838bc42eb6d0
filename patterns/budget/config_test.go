package budget

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// TestEveryFaultIsTold spoils sound settings one key at a time and expects that
// key, and only it, to be named.
func TestEveryFaultIsTold(t *testing.T) {
	if fs := Defaults().Validate(); fs != nil {
		t.Fatalf("the defaults have faults: %v", fs.Err())
	}
	ten := 10.0
	bucket := Config{Ratio: 0.1, Capacity: 5}
	for _, row := range []struct {
		key   string
		base  Config
		spoil func(*Config)
	}{
		{"ratio", Defaults(), func(c *Config) { c.Ratio = -0.1 }},
		{"ratio", Defaults(), func(c *Config) { c.Ratio = 1000.5 }},
		{"ratio", Defaults(), func(c *Config) { c.Ratio = math.NaN() }},
		{"window", Defaults(), func(c *Config) { c.Window = 0 }},
		{"window", Defaults(), func(c *Config) { c.Window = patterns.Duration(61 * time.Second) }},
		{"window", Defaults(), func(c *Config) { c.Window = patterns.Duration(999 * time.Millisecond) }},
		{"capacity", Defaults(), func(c *Config) { c.Capacity = 1 }},
		{"initial", Defaults(), func(c *Config) { c.Initial = new(float64) }},
		{"minPerSecond", Defaults(), func(c *Config) { c.MinPerSecond = -1 }},
		{"deposit", Defaults(), func(c *Config) { c.Deposit = "attempt" }},
		{"minPerSecond", bucket, func(c *Config) { c.MinPerSecond = 1 }},
		{"capacity", bucket, func(c *Config) { c.Capacity = math.Inf(1) }},
		{"initial", bucket, func(c *Config) { c.Initial = &ten }},
		{"kind", Defaults(), func(c *Config) { c.Kind = "leaky" }},
		{"capacity", bucket, func(c *Config) { c.Kind, c.Capacity = Bucket, 0 }},
		{"window", Defaults(), func(c *Config) { c.Kind, c.Window = Window, 0 }},
		{"ratio", DefaultsOf(Quota), func(c *Config) { c.Ratio = 0.1 }},
		{"cost", DefaultsOf(Quota), func(c *Config) { c.Cost = 0 }},
		{"rejectedCost", DefaultsOf(Quota), func(c *Config) { c.RejectedCost = -1 }},
		{"noRetryIncrement", DefaultsOf(Quota), func(c *Config) { c.NoRetryIncrement = -1 }},
		{"capacity", DefaultsOf(Tokens), func(c *Config) { c.Capacity = 1001 }},
		{"minConcurrency", DefaultsOf(Concurrency), func(c *Config) { c.MinConcurrency = -1 }},
		{"deposit", DefaultsOf(Concurrency), func(c *Config) { c.Deposit = PerCall }},
		{"failureRateThreshold", DefaultsOf(FailureRate), func(c *Config) { c.FailureRateThreshold = patterns.PercentOf(100) }},
		{"minimumNumberOfCalls", DefaultsOf(FailureRate), func(c *Config) { c.MinimumNumberOfCalls = -1 }},
		{"minimumNumberOfCalls", bucket, func(c *Config) { c.MinimumNumberOfCalls = 1 }},
	} {
		c := row.base
		row.spoil(&c)
		fs := c.Validate()
		if len(fs) == 0 || fs[0].Key != row.key {
			t.Errorf("%+v: faults %v, want one of %s", c, fs, row.key)
		}
		for _, f := range fs {
			if f.Key != row.key {
				t.Errorf("%+v: also names %s", c, f.Key)
			}
		}
		if _, err := Compile(c); err == nil {
			t.Errorf("%+v compiles", c)
		}
	}
}

// TestEveryKindHasSoundDefaults: they are valid, of that kind, and no setting that
// is given belongs to another.
func TestEveryKindHasSoundDefaults(t *testing.T) {
	for _, k := range []Kind{Window, Bucket, Concurrency, Tokens, Quota, FailureRate} {
		c := DefaultsOf(k)
		if fs := c.Validate(); fs != nil || c.Kind != k {
			t.Errorf("%s: kind %s, faults %v", k, c.Kind, fs)
		}
		for _, key := range c.given() {
			if !c.Uses(key) {
				t.Errorf("%s: %s is given and not used", k, key)
			}
		}
	}
	if c := DefaultsOf("none"); c != Defaults() {
		t.Errorf("an unknown kind: %+v", c)
	}
}
