package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Error says that a pipeline ended a call, which pattern did, and what the last
// attempt had failed with. errors.Is finds the sentinels below, the last
// failure, and the context's error that goes with a reason.
type Error struct {
	Reason patterns.Reason
	// RetryAfter is how long the refusing pattern wants to be left alone; 0: not known. Of
	// a call that was never made it is rounded up to a millisecond.
	RetryAfter time.Duration
	// Last is what the last attempt that was heard failed with; nil: none was.
	Last error
	// Cause is why the call's context ended; nil if it did not.
	Cause error
}

// Error names the pattern's reason and the last failure.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pipeline: %s", strings.ReplaceAll(e.Reason.String(), "_", " "))
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, ", retry after %s", e.RetryAfter)
	}
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	if e.Last != nil {
		fmt.Fprintf(&b, ": last failure: %v", e.Last)
	}
	return b.String()
}

// Unwrap gives the last failure and the cause.
func (e *Error) Unwrap() []error {
	var errs []error
	for _, err := range []error{e.Last, e.Cause} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// Is matches the sentinel of the reason, context.DeadlineExceeded for timeouts and
// deadlines, and context.Canceled for a caller that gave up, whatever its cause.
func (e *Error) Is(target error) bool {
	if s, ok := target.(sentinel); ok {
		return patterns.Reason(s) == e.Reason
	}
	switch e.Reason {
	case patterns.AttemptTimeout, patterns.DeadlineExceeded:
		return target == context.DeadlineExceeded
	case patterns.Cancelled:
		return target == context.Canceled
	}
	return false
}

type sentinel patterns.Reason

func (s sentinel) Error() string { return "pipeline: " + patterns.Reason(s).String() }

// One sentinel per kind of ending, for errors.Is.
var (
	ErrBreakerOpen     error = sentinel(patterns.BreakerOpen)
	ErrBulkheadFull    error = sentinel(patterns.BulkheadFull)
	ErrBulkheadTimeout error = sentinel(patterns.BulkheadTimeout)
	ErrTimeout         error = sentinel(patterns.AttemptTimeout)
	ErrDeadline        error = sentinel(patterns.DeadlineExceeded)
	ErrCancelled       error = sentinel(patterns.Cancelled)
	ErrThrottled       error = sentinel(patterns.Throttled)
	ErrShed            error = sentinel(patterns.Shed)
	ErrRateLimited     error = sentinel(patterns.RateLimited)
	ErrLimitReached    error = sentinel(patterns.LimitReached)
)

// ErrLadder is found by errors.Is in the error of a call that gave Do more or
// fewer functions than the pipeline's fallback has steps. Nothing was called.
var ErrLadder = errors.New("pipeline: ladder does not fit the fallback")

// misfit says how a ladder differs from the policy.
type misfit struct{ steps, given int }

func (m misfit) Error() string {
	if m.steps == 0 {
		return fmt.Sprintf("pipeline: no fallback, %s given", counted(m.given, "function"))
	}
	return fmt.Sprintf("pipeline: fallback has %s, %s given", counted(m.steps, "step"), counted(m.given, "function"))
}

func (m misfit) Is(target error) bool { return target == ErrLadder }

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Classify is the rule by which Do judges an error unless it is given another
// one: nil is a success; a refusal by a pipeline further in was not made (D12);
// a cancelled caller is ignored (D11); everything else is a failure. An error with a
// method RetryAfter() time.Duration carries a hint.
func Classify(ctx context.Context, err error) patterns.Result {
	if err == nil {
		return patterns.Result{Outcome: patterns.Success}
	}
	var refused *Error
	if errors.As(err, &refused) && refused.Reason.Refusal() {
		return patterns.Result{Outcome: patterns.NotMade, Reason: refused.Reason, RetryAfter: refused.RetryAfter}
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Cancelled}
	}
	r := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
	var hint interface{ RetryAfter() time.Duration }
	if errors.As(err, &hint) {
		r.RetryAfter = hint.RetryAfter()
	}
	return r
}
