package ratelimit

import (
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
	for _, row := range []struct {
		key   string
		spoil func(*Config)
	}{
		{"type", func(c *Config) { c.Type = "leaky" }},
		{"limitForPeriod", func(c *Config) { c.LimitForPeriod = 0 }},
		{"limitForPeriod", func(c *Config) { c.LimitForPeriod = permitsMax + 1 }},
		{"limitForPeriod", func(c *Config) { c.Type, c.LimitForPeriod = TokenBucket, 501 }},
		{"limitForPeriod", func(c *Config) { c.Type, c.LimitForPeriod = Smooth, 501 }},
		{"limitRefreshPeriod", func(c *Config) { c.LimitRefreshPeriod = 0 }},
		{"limitRefreshPeriod", func(c *Config) { c.LimitRefreshPeriod = patterns.Duration(periodMax + 1) }},
		{"timeoutDuration", func(c *Config) { c.TimeoutDuration = -1 }},
		{"burst", func(c *Config) { c.Burst = 1 }},
		{"burst", func(c *Config) { c.Type, c.Burst = TokenBucket, -1 }},
		{"burst", func(c *Config) { c.Type, c.Burst = TokenBucket, permitsMax+1 }},
		{"burst", func(c *Config) {
			c.Type, c.LimitForPeriod, c.LimitRefreshPeriod, c.Burst = TokenBucket, 1, patterns.Duration(time.Hour), permitsMax
		}},
		{"slack", func(c *Config) { c.Slack = 1 }},
		{"slack", func(c *Config) { c.Type, c.Slack = Smooth, -1 }},
		{"maxKeys", nil},
		{"overflow", nil},
	} {
		k := KeyedDefaults()
		switch {
		case row.spoil != nil:
			row.spoil(&k.Config)
			if _, err := Compile(k.Config); err == nil {
				t.Errorf("compiles with a fault of %s", row.key)
			}
		case row.key == "maxKeys":
			k.MaxKeys = 0
		default:
			k.Overflow = "drop"
		}
		if fs := k.Validate(); len(fs) != 1 || fs[0].Key != row.key {
			t.Errorf("faults %v, want one of %s", fs, row.key)
		}
		if _, err := CompileKeyed(k); err == nil {
			t.Errorf("compiles with a fault of %s", row.key)
		}
	}
}

// TestBurstIsTheLimitUnlessGiven: a bucket without a burst holds one period's.
func TestBurstIsTheLimitUnlessGiven(t *testing.T) {
	l := New(compile(t, perSecond(TokenBucket, 7)))
	if got := l.Snapshot(0).Permits; got != 7 {
		t.Errorf("%d permits, want 7", got)
	}
}
