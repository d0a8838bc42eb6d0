package throttle

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// TestEveryFaultIsTold spoils sound settings one key at a time and expects that
// key, and only it, to be named.
func TestEveryFaultIsTold(t *testing.T) {
	for _, c := range []Config{Defaults(), Envoy(), Failsafe(), Kratos()} {
		if fs := c.Validate(); fs != nil {
			t.Fatalf("%+v has faults: %v", c, fs.Err())
		}
	}
	for _, row := range []struct {
		key   string
		spoil func(*Config)
	}{
		{"k", func(c *Config) { c.K = 0 }},
		{"k", func(c *Config) { c.K = 0.9 }},
		{"k", func(c *Config) { c.K = math.NaN() }},
		{"successRateThreshold", func(c *Config) { c.SuccessRateThreshold = patterns.PercentOf(50) }},
		{"successRateThreshold", func(c *Config) { c.K, c.SuccessRateThreshold = 0, 1 }},
		{"successRateThreshold", func(c *Config) { c.K, c.SuccessRateThreshold = 0, patterns.PercentOf(100)+1 }},
		{"aggression", func(c *Config) { c.Aggression = 0 }},
		{"aggression", func(c *Config) { c.Aggression = math.Inf(1) }},
		{"maxRejectionProbability", func(c *Config) { c.MaxRejectionProbability = 0 }},
		{"maxRejectionProbability", func(c *Config) { c.MaxRejectionProbability = patterns.PercentOf(100) + 1 }},
		{"minimumNumberOfCalls", func(c *Config) { c.MinimumNumberOfCalls = -1 }},
		{"rpsThreshold", func(c *Config) { c.RPSThreshold = -1 }},
		{"rpsThreshold", func(c *Config) { c.RPSThreshold = math.NaN() }},
		{"samplingWindow", func(c *Config) { c.SamplingWindow = patterns.Duration(time.Second) - 1 }},
		{"samplingWindow", func(c *Config) { c.SamplingWindow = patterns.Duration(time.Hour) + 1 }},
		{"buckets", func(c *Config) { c.Buckets = 0 }},
		{"buckets", func(c *Config) { c.Buckets = bucketsMax + 1 }},
		{"counting", func(c *Config) { c.Counting = "none" }},
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
