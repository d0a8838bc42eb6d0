package models

import "github.com/resilsim/resilsim/patterns"

// endingOf says to which account a request goes that ended for a reason.
func endingOf(r patterns.Reason, why Why) Ending {
	if r.Refusal() {
		return Refused
	}
	switch r {
	case patterns.Rejected, patterns.Unreachable:
		return endingFor(why)
	case patterns.Cancelled:
		return Abandoned
	}
	return Failed
}

// whyOf names a reason; heard is what the last answer said, which knows more
// than the reason about refusals of the service.
func whyOf(r patterns.Reason, heard Why) Why {
	switch r {
	case patterns.None:
		return WhyNone
	case patterns.AttemptTimeout:
		return WhyTimeout
	case patterns.DeadlineExceeded:
		return WhyDeadline
	case patterns.Cancelled:
		return WhyCancelled
	case patterns.BreakerOpen:
		return WhyBreakerOpen
	case patterns.BulkheadFull:
		return WhyBulkheadFull
	case patterns.BulkheadTimeout:
		return WhyBulkheadTimeout
	case patterns.Throttled:
		return WhyThrottled
	case patterns.RateLimited:
		return WhyRateLimited
	case patterns.LimitReached:
		return WhyLimitReached
	case patterns.Shed:
		return WhyShed
	case patterns.Rejected, patterns.Unreachable:
		return heard
	}
	return WhyError
}

// reply is what a caller hears for a reason of the service.
func reply(w Why) (patterns.Outcome, patterns.Reason) {
	switch w {
	case WhyNone:
		return patterns.Success, patterns.None
	case WhyQueueFull, WhyShed, WhyQueueTimeout, WhyDeadline, WhyRateLimited, WhyLimitReached, WhyBulkheadFull:
		return patterns.Failure, patterns.Rejected
	case WhyUnreachable, WhyCrashed:
		return patterns.Failure, patterns.Unreachable
	}
	return patterns.Failure, patterns.Failed
}

// doubtful reports whether a reply leaves open that the request was carried out: the
// connection broke after it was sent.
func doubtful(w Why) bool { return w == WhyCrashed }

// endingFor says to which account an attempt goes that was answered like this.
func endingFor(w Why) Ending {
	switch w {
	case WhyNone:
		return Answered
	case WhyQueueFull, WhyShed, WhyUnreachable, WhyQueueTimeout, WhyDeadline, WhyRateLimited, WhyLimitReached, WhyBulkheadFull:
		return Refused
	}
	return Failed
}
