package breaker

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// State is what a breaker does with the next call.
type State uint8

// The states; see the picture in the package comment.
const (
	// Closed: every call passes and is recorded.
	Closed State = iota
	// Open: no call passes until the open wait is over.
	Open
	// HalfOpen: a limited number of trials pass.
	HalfOpen
	// ForcedOpen: no call passes until an operator says so.
	ForcedOpen
	// Disabled: every call passes, nothing is recorded.
	Disabled
	// MetricsOnly: every call passes and is recorded; a rate that is reached is
	// told once and changes nothing.
	MetricsOnly
)

// String returns the state in snake_case.
func (s State) String() string {
	return word(int(s), "closed", "open", "half_open", "forced_open", "disabled", "metrics_only")
}

// Why says what caused an Event.
type Why uint8

// The causes.
const (
	// FailureRate: the share of failed calls reached its threshold.
	FailureRate Why = iota + 1
	// SlowRate: the share of slow calls reached its threshold.
	SlowRate
	// Consecutive: so many calls in a row failed.
	Consecutive
	// WaitOver: the open wait was over when a call asked.
	WaitOver
	// TrialsFailed: the trials decided against closing.
	TrialsFailed
	// TrialsPassed: the trials decided for closing.
	TrialsPassed
	// TrialsExpired: half-open lasted too long without a decision.
	TrialsExpired
	// Forced: an operator asked for it.
	Forced
	// ResetAsked: an operator asked for a fresh start.
	ResetAsked
)

// String returns the cause in snake_case.
func (w Why) String() string {
	return word(int(w), "unset", "failure_rate", "slow_rate", "consecutive", "wait_over",
		"trials_failed", "trials_passed", "trials_expired", "forced", "reset")
}

// Event tells a change of state. From equals To when a rate was reached that
// changes nothing (MetricsOnly), and when Closed was reset.
type Event struct {
	At       patterns.Instant
	From, To State
	Why      Why
}

// Permit is the right to make one call. It is given back exactly once, by
// Report. The zero Permit is never valid.
type Permit struct {
	// Start is when it was given; the call's duration counts from here.
	Start patterns.Instant
	// Generation numbers the stay in a state in which it was given.
	Generation uint32
	// Trial numbers the trials of one half-open stay from 1; 0: not a trial.
	Trial uint32

	overdue bool // the call is counted as slow while it runs
}

// Verdict is the answer to a call that asks to pass.
type Verdict struct {
	OK bool
	// RetryAfter is how long the breaker surely stays shut; 0 if it passes or
	// if nobody knows.
	RetryAfter time.Duration
}

func word(i int, words ...string) string {
	if i < 0 || i >= len(words) {
		return "unknown"
	}
	return words[i]
}
