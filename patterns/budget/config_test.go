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
