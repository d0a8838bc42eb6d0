package patterns

import (
	"math"
	"time"
)

// Instant is a moment in nanoseconds since the driver's origin. Cores compare
// and add instants; they never ask what time it is.
type Instant int64

// Never is the instant that is never reached: "no deadline", "no timer".
const Never Instant = math.MaxInt64

// Add returns the instant d later. It stops at Never instead of overflowing.
func (t Instant) Add(d time.Duration) Instant {
	if t == Never || (d > 0 && t > Never-Instant(d)) {
		return Never
	}
	return t + Instant(d)
}

// Sub returns the time from u to t.
func (t Instant) Sub(u Instant) time.Duration { return time.Duration(t - u) }

// Outcome is what a policy hears about a call that it admitted.
type Outcome uint8

const (
	// Success: the call was answered as wanted.
	Success Outcome = iota + 1
	// Failure: the dependency failed, was too slow, or the call panicked.
	Failure
	// Ignored: says nothing about the dependency (the caller gave up, or the
	// error is excluded). Not counted; a trial's permit is given back.
	Ignored
	// NotMade: refused further in, the dependency was never asked (D12). Not
	// counted; a trial's permit is given back.
	NotMade
)

// String returns the outcome in lower case words.
func (o Outcome) String() string {
	return word(int(o), "unset", "success", "failure", "ignored", "not made")
}

// Reason says why a call ended without a plain answer: which pattern refused or
// ended it, or that the attempt itself failed. A label in every account.
type Reason uint8

const (
	// None: the call was answered.
	None Reason = iota
	// Failed: the attempt returned an error.
	Failed
	// AttemptTimeout: a timeout stage ended it.
	AttemptTimeout
	// DeadlineExceeded: the caller's own deadline passed.
	DeadlineExceeded
	// Cancelled: the caller gave up.
	Cancelled
	// BreakerOpen: refused by an open, forced-open or full half-open breaker.
	BreakerOpen
	// BulkheadFull: no slot and no room to wait.
	BulkheadFull
	// BulkheadTimeout: waited maxWaitDuration for a slot in vain.
	BulkheadTimeout
	// Rejected: the dependency refused it at its door (queue full, shed).
	Rejected
	// Unreachable: the connection was refused.
	Unreachable
	// Panicked: the call panicked or left by Goexit.
	Panicked
	// Throttled: refused by the caller's own throttle, because few calls succeed.
	Throttled
	// Shed: refused or dropped to relieve an overload, as one of the least
	// important or longest waiting.
	Shed
	// RateLimited: no permit of a rate limiter in time.
	RateLimited
	// LimitReached: as many calls are inside as an adaptive limit allows.
	LimitReached

	// Reasons is the number of reasons, for tables indexed by Reason.
	Reasons int = iota
)

// String returns the reason as it appears in accounts, in snake_case.
func (r Reason) String() string {
	return word(int(r), "none", "failed", "timeout", "deadline", "cancelled", "breaker_open",
		"bulkhead_full", "bulkhead_timeout", "rejected", "unreachable", "panicked",
		"throttled", "shed", "rate_limited", "limit_reached")
}

// Refusal reports whether the reason is a refusal by a pattern on the caller's
// side, so that the dependency was never asked.
func (r Reason) Refusal() bool {
	switch r {
	case BreakerOpen, BulkheadFull, BulkheadTimeout, Throttled, Shed, RateLimited, LimitReached:
		return true
	}
	return false
}

// Result is how an attempt, a fallback step or a whole call ended.
type Result struct {
	Outcome Outcome
	Reason  Reason
	// Degraded marks an answer that a fallback gave.
	Degraded bool
	// Ambiguous: the request was sent and nobody knows whether it was carried out,
	// as when the connection was lost before the answer came. See MayHaveRun.
	Ambiguous bool
	// RetryAfter is a hint: do not ask again before this much time has passed.
	// Zero: no hint. Negative: do not ask again at all.
	RetryAfter time.Duration
}

// MayHaveRun reports whether a failed call may have been carried out all the
// same: it is marked as ambiguous, or it ended in a timeout.
func (r Result) MayHaveRun() bool { return r.Ambiguous || r.Reason == AttemptTimeout }

func word(i int, words ...string) string {
	if i < 0 || i >= len(words) {
		return "unknown"
	}
	return words[i]
}
