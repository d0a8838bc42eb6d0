package grpcguard

import (
	"context"
	"errors"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// Pushback is the trailer by which a server says when to come back (gRPC proposal A6).
const Pushback = "grpc-retry-pushback-ms"

// Classify judges how an attempt ended, by its error and its trailer; see the package comment.
func Classify(err error, trailer metadata.MD) patterns.Result {
	if err == nil {
		return patterns.Result{Outcome: patterns.Success}
	}
	var inner *pipeline.Error
	if errors.As(err, &inner) && inner.Reason.Refusal() {
		return patterns.Result{Outcome: patterns.NotMade, Reason: inner.Reason, RetryAfter: inner.RetryAfter}
	}
	r := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
	asked := false
	r.RetryAfter, asked = hint(err, trailer)
	switch status.Code(err) {
	case codes.ResourceExhausted:
		r.Reason = patterns.Rejected
	case codes.Unavailable:
		r.Reason, r.Ambiguous = patterns.Unreachable, true
		if asked {
			r.Reason, r.Ambiguous = patterns.Rejected, false
		}
	case codes.DeadlineExceeded:
		r.Ambiguous = true
	case codes.Unknown, codes.Internal, codes.DataLoss:
	case codes.Canceled:
		return patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Cancelled}
	default:
		return patterns.Result{Outcome: patterns.Success}
	}
	return r
}

// hint is when the server wants to be asked again: 0: it does not say; below 0: not at
// all. asked: it was the server that spoke, before it did anything.
func hint(err error, trailer metadata.MD) (after time.Duration, asked bool) {
	if all := trailer.Get(Pushback); len(all) > 0 {
		n, bad := strconv.ParseInt(all[0], 10, 32)
		if bad != nil || n < 0 || len(all) > 1 {
			return -1, true
		}
		// At once is a hint too, and 0 would be none.
		return max(1, time.Duration(n)*time.Millisecond), true
	}
	for _, d := range status.Convert(err).Details() {
		if info, ok := d.(*errdetails.RetryInfo); ok {
			return max(1, info.GetRetryDelay().AsDuration()), true
		}
	}
	return 0, false
}

// NewPipeline is pipeline.New with a classifier that knows what a Client's attempts ended
// with.
func NewPipeline(policies []pipeline.Policy, opts ...pipeline.Option) (*pipeline.Pipeline, error) {
	return pipeline.New(policies, append([]pipeline.Option{pipeline.WithClassifier(judge)}, opts...)...)
}

func judge(ctx context.Context, err error) patterns.Result {
	var f *failure
	if !errors.Is(ctx.Err(), context.Canceled) && errors.As(err, &f) {
		return f.result
	}
	return pipeline.Classify(ctx, err)
}

// failure is what the pipeline hears of an attempt that was no success.
type failure struct {
	result patterns.Result
	err    error
	answer *answer // its header and trailer; nil: of a stream
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// RetryAfter is the hint, for a pipeline with any classifier.
func (f *failure) RetryAfter() time.Duration { return f.result.RetryAfter }

// harmless reports whether a call that ended like this has certainly not been carried out.
func harmless(r patterns.Result) bool {
	return !r.MayHaveRun() && (r.Reason == patterns.Rejected || r.Outcome == patterns.NotMade)
}

// ended is the error of a call that a pattern ended, with a status.
type ended struct{ by *pipeline.Error }

func (e ended) Error() string { return e.by.Error() }

func (e ended) Unwrap() error { return e.by }

// GRPCStatus has status.Code and status.FromError tell the reason.
func (e ended) GRPCStatus() *status.Status { return status.New(codeOf(e.by.Reason), e.by.Error()) }

func codeOf(r patterns.Reason) codes.Code {
	switch r {
	case patterns.AttemptTimeout, patterns.DeadlineExceeded:
		return codes.DeadlineExceeded
	case patterns.Cancelled:
		return codes.Canceled
	case patterns.BulkheadFull, patterns.BulkheadTimeout, patterns.LimitReached, patterns.RateLimited:
		return codes.ResourceExhausted
	}
	return codes.Unavailable
}

// told is the error as the caller is told it.
func told(err error) error {
	if f, ok := err.(*failure); ok {
		return f.err
	}
	by, ok := err.(*pipeline.Error)
	if !ok {
		return err
	}
	switch by.Reason {
	case patterns.Failed, patterns.Rejected, patterns.Unreachable:
		if f, ok := by.Last.(*failure); ok { // it was the server that refused
			return f.err
		}
	}
	return ended{by}
}
