package retry

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Defaults returns the settings that resilience4j suggests.
func Defaults() Config {
	return Config{
		MaxAttempts:                  3,
		WaitDuration:                 patterns.Duration(500 * time.Millisecond),
		ExponentialBackoffMultiplier: 1.5,
		RandomizedWaitFactor:         0.5,
	}
}

// Validate returns every fault of the settings, those of the budget under
// "budget.". It changes nothing. Settings that are switched off may be zero.
func (c Config) Validate() patterns.Faults {
	fs := c.validateBackoff()
	if c.MaxAttempts < 1 || c.MaxAttempts > math.MaxInt32 {
		fs.Add("maxAttempts", "%d is not from 1 to %d", c.MaxAttempts, math.MaxInt32)
	}
	for _, r := range c.RetryRefusals {
		switch r {
		case patterns.BulkheadFull.String(), patterns.BulkheadTimeout.String():
		case patterns.BreakerOpen.String():
			fs.Add("retryRefusals", "'%s' is never retried: an open breaker ends the call", r)
		default:
			fs.Add("retryRefusals", "'%s' is not bulkhead_full or bulkhead_timeout", r)
		}
	}
	if c.Budget != nil {
		for _, f := range c.Budget.Validate() {
			fs = append(fs, patterns.Fault{Key: "budget." + f.Key, Message: f.Message})
		}
	}
	return fs
}

func (c Config) validateBackoff() patterns.Faults {
	var fs patterns.Faults
	if c.WaitDuration < 0 {
		fs.Add("waitDuration", "%s is below 0", c.WaitDuration)
	}
	if m := c.ExponentialBackoffMultiplier; c.EnableExponentialBackoff && !(m >= 1 && m <= math.MaxFloat64) {
		fs.Add("exponentialBackoffMultiplier", "%v is not a number of at least 1", m)
	}
	if c.ExponentialMaxWaitDuration < 0 {
		fs.Add("exponentialMaxWaitDuration", "%s is below 0", c.ExponentialMaxWaitDuration)
	}
	switch c.Jitter {
	case "", None, Full, Equal, Factor, Decorrelated, A6:
	default:
		fs.Add("jitter", "'%s' is not none, full, equal, factor, decorrelated or a6", c.Jitter)
	}
	if c.EnableRandomizedWait && c.Jitter != "" && c.Jitter != Factor {
		fs.Add("jitter", "'%s' contradicts enableRandomizedWait, which means factor", c.Jitter)
	}
	if f := c.RandomizedWaitFactor; c.jitter() == Factor && !(f >= 0 && f < 1) {
		fs.Add("randomizedWaitFactor", "%v is not at least 0 and below 1", f)
	}
	return fs
}

// jitter returns the kind that the settings mean.
func (c Config) jitter() Jitter {
	switch {
	case c.Jitter != "":
		return c.Jitter
	case c.EnableRandomizedWait:
		return Factor
	}
	return None
}

// Policy is a compiled Config without its budget. It is immutable and may be
// shared.
type Policy struct {
	attempts    int
	backoff     Backoff
	maxWait     time.Duration
	exactHint   bool
	retryFull   bool
	retryWaited bool
}

// Compile checks the settings, those of the budget too, and prepares them. The
// error tells every fault.
func Compile(c Config) (*Policy, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("retry: %w", err)
	}
	p := &Policy{
		attempts:  c.MaxAttempts,
		backoff:   newBackoff(c),
		maxWait:   c.ExponentialMaxWaitDuration.Std(),
		exactHint: c.jitter() == A6,
	}
	for _, r := range c.RetryRefusals {
		p.retryFull = p.retryFull || r == patterns.BulkheadFull.String()
		p.retryWaited = p.retryWaited || r == patterns.BulkheadTimeout.String()
	}
	return p, nil
}
