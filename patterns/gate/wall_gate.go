package gate

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// Request is what the stages may look at.
type Request struct {
	// Class: higher is more important. Levels sheds by it, Slots with an order by
	// priority serve by it.
	Class int
	// Partition names the request's share of a Limit; one that it does not have
	// takes what is free.
	Partition string
	// Key is whose request it is, for a Rate with a limiter for each.
	Key string
}

// Stage admits requests. It is safe for concurrent use.
type Stage interface {
	// Enter admits, or refuses with an error; it may wait until the context ends.
	// leave, if not nil, is called exactly once when an admitted request ends.
	Enter(ctx context.Context, q Request) (leave func(patterns.Result), err error)
}

// Gate asks its stages one after the other, outermost first.
type Gate struct{ stages []Stage }

// New makes a gate of the stages. Without any it admits everything.
func New(stages ...Stage) *Gate { return &Gate{append([]Stage(nil), stages...)} }

// Enter admits a request or says why not. A context that has ended already is
// refused, with DeadlineExceeded or Cancelled as its reason. Give the pass back
// with Leave.
func (g *Gate) Enter(ctx context.Context, q Request) (*Pass, error) {
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	// The context's own timer may be late.
	if t, ok := ctx.Deadline(); ok && !time.Now().Before(t) {
		return nil, late()
	}
	p := &Pass{leaves: make([]func(patterns.Result), 0, len(g.stages))}
	for _, s := range g.stages {
		leave, err := s.Enter(ctx, q)
		if err != nil {
			p.Leave(patterns.Result{Outcome: patterns.NotMade, Reason: reasonOf(err)})
			return nil, err
		}
		if leave != nil {
			p.leaves = append(p.leaves, leave)
		}
	}
	return p, nil
}

// Run does the work if the gate admits it, and gives everything back when the work
// returns, panics or leaves by Goexit. The error is the refusal or the work's own.
func (g *Gate) Run(ctx context.Context, q Request, work func(context.Context) error) error {
	pass, err := g.Enter(ctx, q)
	if err != nil {
		return err
	}
	r := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Panicked}
	defer func() { pass.Leave(r) }()
	err = work(ctx)
	r = Judge(ctx, err)
	return err
}

// Judge is what stages hear of work that returned err: an error after the
// context's deadline was too slow, all else is judged by pipeline.Classify.
func Judge(ctx context.Context, err error) patterns.Result {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return patterns.Result{Outcome: patterns.Failure, Reason: patterns.DeadlineExceeded}
	}
	return pipeline.Classify(ctx, err)
}

// Pass is the right to do one piece of work.
type Pass struct {
	left   atomic.Bool
	leaves []func(patterns.Result)
}

// Leave gives back what the stages handed out, innermost first, and tells them
// how the work ended. Only the first call does; it reports whether it was that.
func (p *Pass) Leave(r patterns.Result) bool {
	if p.left.Swap(true) {
		return false
	}
	for i := len(p.leaves) - 1; i >= 0; i-- {
		p.leaves[i](r)
	}
	return true
}

func reasonOf(err error) patterns.Reason {
	var e *pipeline.Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return patterns.Rejected
}

func refusal(why patterns.Reason, after time.Duration) error {
	return &pipeline.Error{Reason: why, RetryAfter: after}
}

// ended is the refusal of a request whose context is over.
func ended(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return late()
	}
	return &pipeline.Error{Reason: patterns.Cancelled, Cause: context.Cause(ctx)}
}

func late() error {
	return &pipeline.Error{Reason: patterns.DeadlineExceeded, Cause: context.DeadlineExceeded}
}

// clock tells instants since a stage was made.
type clock struct{ origin time.Time }

func newClock() clock { return clock{time.Now()} }

func (c clock) now() patterns.Instant { return patterns.Instant(time.Since(c.origin)) }

// deadline returns the context's deadline on this clock.
func (c clock) deadline(ctx context.Context) patterns.Instant {
	if t, ok := ctx.Deadline(); ok {
		return patterns.Instant(t.Sub(c.origin))
	}
	return patterns.Never
}

// until returns the time from now to an instant.
func (c clock) until(t patterns.Instant) time.Duration {
	return time.Until(c.origin.Add(time.Duration(t)))
}
