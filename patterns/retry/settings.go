package retry

import (
	"fmt"
	"math"
	"strings"
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
	switch c.ServerHints {
	case "", Clamp, Stop, Obey:
	default:
		fs.Add("serverHints", "'%s' is not clamp, stop or obey", c.ServerHints)
	}
	c.validateConditions(&fs)
	if c.Budget != nil {
		for _, f := range c.Budget.Validate() {
			fs = append(fs, patterns.Fault{Key: "budget." + f.Key, Message: f.Message})
		}
	}
	return fs
}

func (c Config) validateConditions(fs *patterns.Faults) {
	for _, word := range c.RetryOn {
		if failures.of(word) == 0 {
			fs.Add("retryOn", "'%s' is not one of %s", word, failures.words())
		}
	}
	for _, word := range c.RetryRefusals {
		switch {
		case word == patterns.BreakerOpen.String():
			fs.Add("retryRefusals", "'%s' is never retried: an open breaker ends the call", word)
		case refusals.of(word) == 0:
			fs.Add("retryRefusals", "'%s' is not one of %s", word, refusals.words())
		}
	}
}

func (c Config) validateBackoff() patterns.Faults {
	var fs patterns.Faults
	if c.WaitDuration < 0 {
		fs.Add("waitDuration", "%s is below 0", c.WaitDuration)
	}
	if c.RejectedWaitDuration < 0 {
		fs.Add("rejectedWaitDuration", "%s is below 0", c.RejectedWaitDuration)
	}
	if m := c.ExponentialBackoffMultiplier; c.EnableExponentialBackoff && !(m >= 1 && m <= math.MaxFloat64) {
		fs.Add("exponentialBackoffMultiplier", "%v is not a number of at least 1", m)
	}
	if c.ExponentialMaxWaitDuration < 0 {
		fs.Add("exponentialMaxWaitDuration", "%s is below 0", c.ExponentialMaxWaitDuration)
	}
	switch c.Jitter {
	case "", None, Full, Equal, Factor, Decorrelated, A6, Resilience4j, Polly, AWSLegacy:
	default:
		fs.Add("jitter", "'%s' is not none, full, equal, factor, decorrelated, a6, resilience4j, polly or aws_legacy", c.Jitter)
	}
	if c.EnableRandomizedWait && c.Jitter != "" && c.Jitter != Factor && c.Jitter != Resilience4j {
		fs.Add("jitter", "'%s' contradicts enableRandomizedWait, which means factor", c.Jitter)
	}
	spreads := c.jitter() == Factor || c.jitter() == Resilience4j
	if f := c.RandomizedWaitFactor; spreads && !(f >= 0 && f < 1) {
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

// endings are ways in which an attempt can end, by their words.
type endings []patterns.Reason

var (
	failures = endings{patterns.Failed, patterns.AttemptTimeout, patterns.Rejected, patterns.Unreachable,
		connectionLost, patterns.Panicked}
	refusals = endings{patterns.BulkheadFull, patterns.BulkheadTimeout, patterns.Throttled, patterns.Shed, patterns.RateLimited, patterns.LimitReached}
)

// connectionLost is Failed and ambiguous. It has no reason of its own and borrows
// one that is never in a condition.
const connectionLost = patterns.None

func wordOf(r patterns.Reason) string {
	if r == connectionLost {
		return "connection_lost"
	}
	return r.String()
}

// of returns the reason as a bit, 0 for a word that is none of the endings.
func (es endings) of(word string) uint32 {
	for _, r := range es {
		if wordOf(r) == word {
			return 1 << r
		}
	}
	return 0
}

func (es endings) words() string {
	var all []string
	for _, r := range es {
		all = append(all, wordOf(r))
	}
	return strings.Join(all, ", ")
}

// set returns the listed endings as bits.
func (es endings) set(words []string) uint32 {
	bits := uint32(0)
	for _, w := range words {
		bits |= es.of(w)
	}
	return bits
}

// Policy is a compiled Config without its budget. It is immutable and may be
// shared.
type Policy struct {
	attempts  int
	backoff   Backoff
	rejected  Backoff // after a refusal at the dependency's door
	maxWait   time.Duration
	exactHint bool
	hints     Hints
	failures  uint32 // those that are retried, as bits
	refusals  uint32
	once      bool // no call is idempotent
	ambiguous bool // what may have been carried out is retried all the same
}

// Compile checks the settings, those of the budget too, and prepares them. The
// error tells every fault.
func Compile(c Config) (*Policy, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("retry: %w", err)
	}
	p := &Policy{
		attempts:  c.MaxAttempts,
		backoff:   newBackoff(c, c.WaitDuration.Std()),
		maxWait:   c.ExponentialMaxWaitDuration.Std(),
		exactHint: c.jitter() == A6,
		hints:     c.ServerHints,
		failures:  failures.set(c.RetryOn),
		refusals:  refusals.set(c.RetryRefusals),
		once:      c.NonIdempotent,
		ambiguous: c.RetryAmbiguous,
	}
	p.rejected = p.backoff
	if c.RejectedWaitDuration > 0 {
		p.rejected = newBackoff(c, c.RejectedWaitDuration.Std())
	}
	if len(c.RetryOn) == 0 {
		p.failures = math.MaxUint32
	}
	if p.hints == "" && p.exactHint {
		p.hints = Obey
	}
	return p, nil
}
