package breaker

import "github.com/resilsim/resilsim/patterns"

// Config holds the settings of a circuit breaker under resilience4j's names.
// Zero is zero: suggested values come from Defaults.
type Config struct {
	// FailureRateThreshold opens the breaker when the share of failed calls in
	// the window is at least this many percent. Range (0,100].
	FailureRateThreshold patterns.Percent `yaml:"failureRateThreshold" json:"failureRateThreshold"`
	// SlowCallRateThreshold opens it when the share of slow calls is at least
	// this many percent. Range (0,100].
	SlowCallRateThreshold patterns.Percent `yaml:"slowCallRateThreshold" json:"slowCallRateThreshold"`
	// SlowCallDurationThreshold: a call that took strictly longer is slow.
	SlowCallDurationThreshold patterns.Duration `yaml:"slowCallDurationThreshold" json:"slowCallDurationThreshold"`
	// CountRunningSlowCalls counts a call as slow as soon as it has been running for
	// longer than SlowCallDurationThreshold, not only when it ends. See Overdue.
	CountRunningSlowCalls bool `yaml:"countRunningSlowCalls" json:"countRunningSlowCalls"`
	// SlidingWindowType is COUNT_BASED or TIME_BASED.
	SlidingWindowType WindowType `yaml:"slidingWindowType" json:"slidingWindowType"`
	// SlidingWindowSize is a number of calls (COUNT_BASED) or of seconds
	// (TIME_BASED). At least 1.
	SlidingWindowSize int `yaml:"slidingWindowSize" json:"slidingWindowSize"`
	// MinimumNumberOfCalls must be recorded before a rate is known. A count
	// window takes at most its size.
	MinimumNumberOfCalls int `yaml:"minimumNumberOfCalls" json:"minimumNumberOfCalls"`
	// ConsecutiveFailures, when above 0, opens after so many failures in a row
	// instead of by rate.
	ConsecutiveFailures int `yaml:"consecutiveFailures" json:"consecutiveFailures"`
	// WaitDurationInOpenState is the open wait before a trial is let through.
	WaitDurationInOpenState patterns.Duration `yaml:"waitDurationInOpenState" json:"waitDurationInOpenState"`
	// AutomaticTransitionFromOpenToHalfOpenEnabled makes an open breaker half-open
	// at the end of the open wait, not only when a call asks.
	AutomaticTransitionFromOpenToHalfOpenEnabled bool `yaml:"automaticTransitionFromOpenToHalfOpenEnabled" json:"automaticTransitionFromOpenToHalfOpenEnabled"`
	// EnableExponentialBackoff grows the open wait with each failed half-open.
	EnableExponentialBackoff bool `yaml:"enableExponentialBackoff" json:"enableExponentialBackoff"`
	// ExponentialBackoffMultiplier is the growth per failed half-open, at least 1.
	ExponentialBackoffMultiplier float64 `yaml:"exponentialBackoffMultiplier" json:"exponentialBackoffMultiplier"`
	// ExponentialMaxWaitDurationInOpenState caps the grown wait; 0: no cap.
	ExponentialMaxWaitDurationInOpenState patterns.Duration `yaml:"exponentialMaxWaitDurationInOpenState" json:"exponentialMaxWaitDurationInOpenState"`
	// EnableRandomizedWait spreads the open wait by RandomizedWaitFactor.
	EnableRandomizedWait bool `yaml:"enableRandomizedWait" json:"enableRandomizedWait"`
	// RandomizedWaitFactor f makes the wait uniform in [1-f,1+f] times itself. Range [0,1).
	RandomizedWaitFactor float64 `yaml:"randomizedWaitFactor" json:"randomizedWaitFactor"`
	// PermittedNumberOfCallsInHalfOpenState is the number of trials.
	PermittedNumberOfCallsInHalfOpenState int `yaml:"permittedNumberOfCallsInHalfOpenState" json:"permittedNumberOfCallsInHalfOpenState"`
	// MaxWaitDurationInHalfOpenState ends a half-open stay without a verdict so long
	// after its first trial. Absent (nil): the open wait (D4). 0: no limit. With few
	// calls the trials may not be over by then; see HalfOpenNeeds.
	MaxWaitDurationInHalfOpenState *patterns.Duration `yaml:"maxWaitDurationInHalfOpenState" json:"maxWaitDurationInHalfOpenState"`
	// TransitionToStateAfterWaitDuration is where such a stay ends: OPEN (default) or
	// CLOSED.
	TransitionToStateAfterWaitDuration Expiry `yaml:"transitionToStateAfterWaitDuration" json:"transitionToStateAfterWaitDuration"`
	// HalfOpenDecision is complete (default), early or first_failure (D5).
	HalfOpenDecision Decision `yaml:"halfOpenDecision" json:"halfOpenDecision"`
	// HalfOpenSuccesses needed to close when the decision is early; 0: derived
	// from the failure rate threshold.
	HalfOpenSuccesses int `yaml:"halfOpenSuccesses" json:"halfOpenSuccesses"`
}

// WindowType says what a sliding window counts.
type WindowType string

// The window types, spelt as resilience4j spells them.
const (
	CountBased WindowType = "COUNT_BASED"
	TimeBased  WindowType = "TIME_BASED"
)

// Expiry says what a half-open breaker becomes whose trials took too long.
type Expiry string

// The states after the limit on half-open, spelt as resilience4j spells them.
const (
	ToOpen   Expiry = "OPEN"
	ToClosed Expiry = "CLOSED"
)

// Decision says when a half-open breaker decides.
type Decision string

// The decision modes of D5.
const (
	Complete     Decision = "complete"
	Early        Decision = "early"
	FirstFailure Decision = "first_failure"
)
