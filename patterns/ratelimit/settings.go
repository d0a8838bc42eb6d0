package ratelimit

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Defaults returns the settings that resilience4j has by default: 50 permits each
// 500ns, 5s of patience. No service wants that rate: set both.
func Defaults() Config {
	return Config{
		Type: Cycle, LimitForPeriod: 50, LimitRefreshPeriod: 500,
		TimeoutDuration: patterns.Duration(5 * time.Second),
	}
}

// KeyedDefaults returns Defaults with places for 10,000 keys.
func KeyedDefaults() KeyedConfig {
	return KeyedConfig{Config: Defaults(), MaxKeys: 10_000, Overflow: Shared}
}

const (
	periodMax = 8760 * time.Hour
	fillMax   = 100 * periodMax
	// permitsMax bounds every number of permits, far from where sums overflow.
	permitsMax = math.MaxInt32
)

// Validate returns every fault of the settings. It changes nothing.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	switch c.Type {
	case "", Cycle, TokenBucket, Smooth:
	default:
		fs.Add("type", "'%s' is not cycle, token_bucket or smooth", c.Type)
	}
	rated := c.validateRate(&fs)
	if c.TimeoutDuration < 0 {
		fs.Add("timeoutDuration", "%s is below 0", c.TimeoutDuration)
	}
	c.validateBurst(&fs, rated)
	switch {
	case c.Slack < 0 || c.Slack > permitsMax:
		fs.Add("slack", "%d is not from 0 to %d", c.Slack, permitsMax)
	case c.Slack > 0 && c.Type != Smooth:
		fs.Add("slack", "%d is given, but type is not smooth", c.Slack)
	}
	return fs
}

// validateRate reports whether the rate is sound.
func (c Config) validateRate(fs *patterns.Faults) bool {
	before := len(*fs)
	if c.LimitForPeriod < 1 || c.LimitForPeriod > permitsMax {
		fs.Add("limitForPeriod", "%d is not from 1 to %d", c.LimitForPeriod, permitsMax)
	}
	if p := c.LimitRefreshPeriod.Std(); p < 1 || p > periodMax {
		fs.Add("limitRefreshPeriod", "%s is not from 1ns to %s", p, periodMax)
	}
	spread := c.Type == TokenBucket || c.Type == Smooth
	if len(*fs) == before && spread && int64(c.LimitForPeriod) > int64(c.LimitRefreshPeriod) {
		fs.Add("limitForPeriod", "%d in %s is more than one a nanosecond", c.LimitForPeriod, c.LimitRefreshPeriod)
	}
	return len(*fs) == before
}

func (c Config) validateBurst(fs *patterns.Faults, rated bool) {
	if c.Burst < 0 || c.Burst > permitsMax {
		fs.Add("burst", "%d is not from 0 to %d", c.Burst, permitsMax)
		return
	}
	if c.Burst > 0 && c.Type != TokenBucket {
		fs.Add("burst", "%d is given, but type is not token_bucket", c.Burst)
		return
	}
	if !rated || c.Burst == 0 {
		return
	}
	fill, _, ok := scale(int64(c.Burst), int64(c.LimitRefreshPeriod), int64(c.LimitForPeriod))
	if !ok || time.Duration(fill) > fillMax {
		fs.Add("burst", "%d permits take more than 100 years at %d in %s", c.Burst, c.LimitForPeriod, c.LimitRefreshPeriod)
	}
}

// Validate returns every fault of the settings. It changes nothing.
func (c KeyedConfig) Validate() patterns.Faults {
	fs := c.Config.Validate()
	if c.MaxKeys < 1 || c.MaxKeys > math.MaxInt32 {
		fs.Add("maxKeys", "%d is not from 1 to %d", c.MaxKeys, math.MaxInt32)
	}
	switch c.Overflow {
	case "", Shared, Refuse:
	default:
		fs.Add("overflow", "'%s' is not shared or refuse", c.Overflow)
	}
	return fs
}

// Settings is a compiled Config. It is immutable; any number of limiters share one.
type Settings struct {
	bucket bool
	// A bucket's permits come one each period/den ns, up to burst of them; the
	// empty bucket is full after fill + fillPart/den ns.
	//
	// A grid has cells of period/den ns, counted from the origin, with per permits
	// in each. Those of the last slack cells may be taken later.
	period, den       int64
	burst             int64
	fill, fillPart    int64
	oneWhole, onePart int64 // what one permit of a bucket costs
	per, slack        int64
	maxWait           time.Duration
}

// Compile checks the settings and prepares them. The error tells every fault.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("ratelimit: %w", err)
	}
	return c.compile(), nil
}

func (c Config) compile() *Settings {
	s := &Settings{period: int64(c.LimitRefreshPeriod), maxWait: c.TimeoutDuration.Std()}
	limit := int64(c.LimitForPeriod)
	switch c.Type {
	case TokenBucket:
		s.bucket, s.den, s.burst = true, limit, int64(c.Burst)
		if s.burst == 0 {
			s.burst = limit
		}
		s.fill, s.fillPart, _ = scale(s.burst, s.period, s.den)
		s.oneWhole, s.onePart, _ = scale(1, s.period, s.den)
	case Smooth:
		s.den, s.per, s.slack = limit, 1, int64(c.Slack)
	default:
		s.den, s.per = 1, limit
	}
	return s
}

// KeyedSettings is a compiled KeyedConfig. It is immutable and may be shared.
type KeyedSettings struct {
	each    *Settings
	maxKeys int
	shared  bool
}

// CompileKeyed checks the settings and prepares them. The error tells every fault.
func CompileKeyed(c KeyedConfig) (*KeyedSettings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("ratelimit: %w", err)
	}
	return &KeyedSettings{each: c.compile(), maxKeys: c.MaxKeys, shared: c.Overflow != Refuse}, nil
}
