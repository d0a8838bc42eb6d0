package breaker

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/backoff"
	"github.com/resilsim/resilsim/patterns/window"
)

// Defaults returns the settings that resilience4j suggests. Only
// MaxWaitDurationInHalfOpenState differs: it is absent, which means the open
// wait, so that a trial that never reports cannot wedge the breaker.
func Defaults() Config {
	return Config{
		FailureRateThreshold:                  patterns.PercentOf(50),
		SlowCallRateThreshold:                 patterns.PercentOf(100),
		SlowCallDurationThreshold:             patterns.Duration(60 * time.Second),
		SlidingWindowType:                     CountBased,
		SlidingWindowSize:                     100,
		MinimumNumberOfCalls:                  100,
		WaitDurationInOpenState:               patterns.Duration(60 * time.Second),
		ExponentialBackoffMultiplier:          1.5,
		RandomizedWaitFactor:                  0.5,
		PermittedNumberOfCallsInHalfOpenState: 10,
	}
}

// Validate returns every fault of the settings. It changes nothing. Settings
// that are switched off (the growth and the spread of the open wait; the rates
// and the window when ConsecutiveFailures is above 0) may be zero.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	c.validateRule(&fs)
	c.validateWait(&fs)
	c.validateTrials(&fs)
	return fs
}

func (c Config) validateRule(fs *patterns.Faults) {
	if c.ConsecutiveFailures < 0 {
		fs.Add("consecutiveFailures", "%d is below 0", c.ConsecutiveFailures)
	}
	optional := c.ConsecutiveFailures > 0
	percent := func(key string, p patterns.Percent) {
		if p < 0 || p > patterns.PercentOf(100) || (p == 0 && !optional) {
			fs.Add(key, "%s is not above 0 and at most 100 (percent)", p)
		}
	}
	percent("failureRateThreshold", c.FailureRateThreshold)
	percent("slowCallRateThreshold", c.SlowCallRateThreshold)
	if d := c.SlowCallDurationThreshold; d < 0 || (d == 0 && !optional) {
		fs.Add("slowCallDurationThreshold", "%s is not above 0", d)
	}
	if c.CountRunningSlowCalls && (c.SlowCallDurationThreshold <= 0 || c.SlowCallRateThreshold <= 0) {
		fs.Add("countRunningSlowCalls", "needs slowCallDurationThreshold and slowCallRateThreshold above 0")
	}
	atLeastOne := func(key string, n int) {
		if n < 0 || (n == 0 && !optional) {
			fs.Add(key, "%d is below 1", n)
		}
	}
	atLeastOne("slidingWindowSize", c.SlidingWindowSize)
	atLeastOne("minimumNumberOfCalls", c.MinimumNumberOfCalls)
	switch {
	case c.SlidingWindowType == CountBased || c.SlidingWindowType == TimeBased:
	case c.SlidingWindowType == "" && optional:
	default:
		fs.Add("slidingWindowType", "'%s' is not COUNT_BASED or TIME_BASED", c.SlidingWindowType)
	}
	if c.SlidingWindowSize > windowSizeMax {
		fs.Add("slidingWindowSize", "%d is above %d", c.SlidingWindowSize, windowSizeMax)
	}
}

// windowSizeMax bounds what one setting may allocate: 16 MiB for a time window.
const windowSizeMax = 1 << 20

func (c Config) validateWait(fs *patterns.Faults) {
	if c.WaitDurationInOpenState.Std() < time.Millisecond {
		fs.Add("waitDurationInOpenState", "%s is below 1ms", c.WaitDurationInOpenState)
	}
	if m := c.ExponentialBackoffMultiplier; c.EnableExponentialBackoff && !(m >= 1 && m <= math.MaxFloat64) {
		fs.Add("exponentialBackoffMultiplier", "%v is not a number of at least 1", m)
	}
	if d := c.ExponentialMaxWaitDurationInOpenState; d < 0 {
		fs.Add("exponentialMaxWaitDurationInOpenState", "%s is below 0", d)
	}
	if f := c.RandomizedWaitFactor; c.EnableRandomizedWait && !(f >= 0 && f < 1) {
		fs.Add("randomizedWaitFactor", "%v is not at least 0 and below 1", f)
	}
}

func (c Config) validateTrials(fs *patterns.Faults) {
	n := c.PermittedNumberOfCallsInHalfOpenState
	if n < 1 || n > math.MaxInt32 {
		fs.Add("permittedNumberOfCallsInHalfOpenState", "%d is not from 1 to %d", n, math.MaxInt32)
	}
	if d := c.MaxWaitDurationInHalfOpenState; d != nil && *d < 0 {
		fs.Add("maxWaitDurationInHalfOpenState", "%s is below 0", *d)
	}
	switch c.TransitionToStateAfterWaitDuration {
	case "", ToOpen, ToClosed:
	default:
		fs.Add("transitionToStateAfterWaitDuration", "'%s' is not OPEN or CLOSED", c.TransitionToStateAfterWaitDuration)
	}
	switch c.HalfOpenDecision {
	case "", Complete, Early, FirstFailure:
	default:
		fs.Add("halfOpenDecision", "'%s' is not complete, early or first_failure", c.HalfOpenDecision)
	}
	if s := c.HalfOpenSuccesses; s < 0 || s > max(n, 0) {
		fs.Add("halfOpenSuccesses", "%d is not from 0 to permittedNumberOfCallsInHalfOpenState (%d)", s, n)
	}
}

// Settings is a compiled Config. It is immutable; all breakers of a fleet share
// one.
type Settings struct {
	failureRate, slowRate patterns.Percent
	slowAfter             time.Duration // 0: nothing is slow
	minimum               int64
	consecutive           uint32 // 0: decide by rate
	shape                 window.Shape
	openWait              backoff.Series
	spread                float64 // 0: not randomised
	halfOpenMax           time.Duration
	expiresClosed         bool // a half-open stay without a verdict ends in Closed
	automatic             bool // the end of the open wait is a transition
	running               bool // running calls may be slow
	trials                trialRule
}

// Compile checks the settings and prepares them. The error tells every fault.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("breaker: %w", err)
	}
	s := &Settings{
		failureRate: c.FailureRateThreshold,
		slowRate:    c.SlowCallRateThreshold,
		slowAfter:   c.SlowCallDurationThreshold.Std(),
		minimum:     int64(max(c.MinimumNumberOfCalls, 1)),
		consecutive: uint32(min(int64(c.ConsecutiveFailures), math.MaxUint32)),
		openWait:    backoff.Series{Base: c.WaitDurationInOpenState.Std(), Multiplier: 1},
		halfOpenMax: c.WaitDurationInOpenState.Std(),
		trials:      newTrialRule(c),

		expiresClosed: c.TransitionToStateAfterWaitDuration == ToClosed,
		automatic:     c.AutomaticTransitionFromOpenToHalfOpenEnabled,
		running:       c.CountRunningSlowCalls,
	}
	if c.SlidingWindowType == TimeBased {
		s.shape = window.TimeShape(time.Duration(c.SlidingWindowSize)*time.Second, time.Second)
	} else {
		s.shape = window.CountShape(c.SlidingWindowSize)
		s.minimum = min(s.minimum, int64(max(c.SlidingWindowSize, 1)))
	}
	if c.EnableExponentialBackoff {
		s.openWait.Multiplier = c.ExponentialBackoffMultiplier
	}
	s.openWait.Max = c.ExponentialMaxWaitDurationInOpenState.Std()
	if c.EnableRandomizedWait {
		s.spread = c.RandomizedWaitFactor
	}
	_, s.halfOpenMax = c.HalfOpenNeeds()
	return s, nil
}

// HalfOpenNeeds returns how many trials have to end within which time of the first
// for a half-open breaker to close; 0: any time. A caller that makes fewer calls
// never closes it, however well they go: at the limit it opens again, with a longer
// wait if that grows. Such a caller needs fewer trials, a longer limit or none, or
// transitionToStateAfterWaitDuration CLOSED.
func (c Config) HalfOpenNeeds() (trials int, within time.Duration) {
	r := newTrialRule(c)
	trials, within = int(r.results), c.WaitDurationInOpenState.Std()
	if r.early { // certain as soon as the failures that are left cannot reach their limit
		trials = int(r.results) - int(min(r.failedLimit, r.slowLimit)) + 1
	}
	if c.MaxWaitDurationInHalfOpenState != nil {
		within = c.MaxWaitDurationInHalfOpenState.Std()
	}
	return max(trials, 1), within
}

// NeedsDraw reports whether an opening uses its draw.
func (s *Settings) NeedsDraw() bool { return s.spread > 0 }

// wait returns the open wait of the given opening in a row, from 1.
func (s *Settings) wait(attempt uint32, draw float64) time.Duration {
	n := int(min(attempt, math.MaxInt32))
	if s.spread == 0 {
		return s.openWait.Nth(n)
	}
	return s.openWait.Spread(n, s.spread, draw)
}
