package httpguard

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// Exchange is one attempt that has ended: with a response or with an error.
type Exchange struct {
	Request  *http.Request
	Response *http.Response // nil: there was none
	Err      error          // nil: there was a response
	// Unsent: the connection reported that no request went out, so that the server
	// cannot have carried it out. Only known of a base that supports
	// net/http/httptrace, as http.Transport does.
	Unsent bool
	// Now is when it ended, for Retry-After.
	Now time.Time
}

// Classify judges an exchange in the default way:
//
//	error, not sent or no connection   failure, unreachable
//	error, refused by an inner         not made (D12)
//	pipeline or gate
//	other error                        failure, ambiguous
//	429, 503                           failure, rejected at the door
//	502, 504                           failure, ambiguous
//	other 5xx                          failure
//	everything else                    success: the fault is not the server's
//
// A failure with a response carries the hint of its Retry-After.
func Classify(x Exchange) patterns.Result {
	if x.Response == nil {
		return classifyError(x)
	}
	code := x.Response.StatusCode
	if code < 500 && code != http.StatusTooManyRequests {
		return patterns.Result{Outcome: patterns.Success}
	}
	r := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
	r.RetryAfter, _ = RetryAfter(x.Response.Header, x.Now)
	switch code {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		r.Reason = patterns.Rejected
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		r.Ambiguous = true
	}
	return r
}

func classifyError(x Exchange) patterns.Result {
	var inner *pipeline.Error
	if errors.As(x.Err, &inner) && inner.Reason.Refusal() {
		return patterns.Result{Outcome: patterns.NotMade, Reason: inner.Reason, RetryAfter: inner.RetryAfter}
	}
	if x.Unsent || noConnection(x.Err) {
		return patterns.Result{Outcome: patterns.Failure, Reason: patterns.Unreachable}
	}
	return patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed, Ambiguous: true}
}

// noConnection reports whether the error came before there was a connection.
func noConnection(err error) bool {
	var op *net.OpError
	var dns *net.DNSError
	return errors.As(err, &op) && op.Op == "dial" || errors.As(err, &dns)
}

// idempotent reports whether a method may be carried out twice (RFC 9110, 9.2.2).
func idempotent(method string) bool {
	switch method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	return false
}

// harmless reports whether a call that ended like this has certainly not been
// carried out, so that even one that is not idempotent may be sent again.
func harmless(r patterns.Result) bool {
	return !r.MayHaveRun() && (r.Reason == patterns.Rejected || r.Reason == patterns.Unreachable || r.Outcome == patterns.NotMade)
}

// StatusError stands for a response whose status counts as a failure. Callers of
// RoundTrip meet it only inside other errors, as the last failure.
type StatusError struct{ Code int }

// Error names the status.
func (e *StatusError) Error() string { return fmt.Sprintf("%d %s", e.Code, http.StatusText(e.Code)) }

// ErrNotRepeatable is found by errors.Is in the error of a request that failed and
// may not be sent again: it is not idempotent and may have been carried out, or its body cannot be
// read again.
var ErrNotRepeatable = errors.New("httpguard: not sent again")

// unrepeatable is an error of a request that may not be sent again.
type unrepeatable struct {
	err error // what the attempt failed with
	why string
}

func (u *unrepeatable) Error() string {
	return fmt.Sprintf("%v (httpguard: not sent again: %s)", u.err, u.why)
}

func (u *unrepeatable) Unwrap() error { return u.err }

// Timeout is that of what the attempt failed with.
func (u *unrepeatable) Timeout() bool { return timedOut(u.err) }

func (u *unrepeatable) Is(target error) bool { return target == ErrNotRepeatable }

// failure is what the pipeline hears of an attempt that was no success.
type failure struct {
	result   patterns.Result
	err      error
	response *http.Response // nil: there was none
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// RetryAfter is the hint; below 0: do not send it again. A pipeline hears it with
// any classifier.
func (f *failure) RetryAfter() time.Duration { return f.result.RetryAfter }

// ended is the error of a call that a pattern ended.
type ended struct{ by *pipeline.Error }

func (e ended) Error() string { return e.by.Error() }

func (e ended) Unwrap() error { return e.by }

// Timeout has url.Error and net.Error tell a timeout.
func (e ended) Timeout() bool { return timedOut(e.by) }

func timedOut(err error) bool {
	var e *pipeline.Error
	if errors.As(err, &e) && (e.Reason == patterns.AttemptTimeout || e.Reason == patterns.DeadlineExceeded) {
		return true
	}
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout()
}
