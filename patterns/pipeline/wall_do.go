package pipeline

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Info says how a call went, beside its value and error.
type Info struct {
	// Attempts begun; 0 when the dependency was never asked.
	Attempts int
	// Degraded: a fallback answered.
	Degraded bool
	// Reason the call failed or was refused for; None for an answer.
	Reason patterns.Reason
}

// Do calls fn through the pipeline and returns its value, or an error that says
// which pattern ended the call (see Error) or what the last attempt failed with.
//
// fn runs in the caller's goroutine and is given a context that ends at the
// earliest timeout; Do returns when fn does. Only inside a detached timeout does fn run in a
// goroutine of its own that may be left behind. A panic or Goexit of fn counts as a
// failure, gives everything back, and goes on.
//
// The ladder holds one function for each step of the pipeline's fallback, first
// choice first (of several fallbacks, those of the outermost first); any other number
// is ErrLadder, and nothing is called. Each is told what it answers for: the error
// that Do would have returned without it.
func Do[T any](ctx context.Context, p *Pipeline, fn func(context.Context) (T, error), ladder ...func(context.Context, error) (T, error)) (T, error) {
	v, _, err := DoInfo(ctx, p, fn, ladder...)
	return v, err
}

// DoInfo is Do that also says how the call went.
func DoInfo[T any](ctx context.Context, p *Pipeline, fn func(context.Context) (T, error), ladder ...func(context.Context, error) (T, error)) (T, Info, error) {
	if steps := p.fleet.plan.rungs; steps != len(ladder) {
		var zero T
		return zero, Info{}, misfit{steps, len(ladder)}
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		var zero T
		return zero, Info{Reason: patterns.Cancelled}, &Error{Reason: patterns.Cancelled, Cause: context.Cause(ctx)}
	}
	d := &doing[T]{w: newWallCall(p), ctx: ctx, fn: fn, ladder: ladder}
	defer d.w.close()
	deadline := patterns.Never
	if t, ok := ctx.Deadline(); ok {
		deadline = p.instant(t)
	}
	a := d.w.step(nil, Input{Kind: Begun, Owner: d.w.owner, Deadline: deadline})
	defer d.w.watch(ctx)()
	for a.Kind != Done {
		switch {
		case (a.Kind == Attempt || a.Kind == Step) && d.w.unwanted(ctx, a):
			a = d.w.ended(a, patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Cancelled}, func() {})
		case a.Kind == Attempt:
			a = d.attempt(a)
		case a.Kind == Step:
			a = d.fallback(a)
		default:
			a = <-d.w.wake
		}
	}
	info, err := d.w.verdict(ctx, a.Result)
	if err != nil {
		var zero T
		return zero, info, err
	}
	return d.value, info, nil
}

// doing is one call of Do under way.
type doing[T any] struct {
	w      *wallCall
	ctx    context.Context
	fn     func(context.Context) (T, error)
	ladder []func(context.Context, error) (T, error)
	value  T
}

// context makes the context of an attempt or step, which ends at its deadline
// or when it is given up.
func (d *doing[T]) context(a Action) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(d.ctx)
	if a.Deadline != patterns.Never {
		// The call's own timer ends it; this deadline is there to be read and passed on.
		at := d.w.p.origin.Add(time.Duration(a.Deadline))
		timed, stop := context.WithDeadlineCause(ctx, at, ErrTimeout)
		inner := cancel
		ctx, cancel = timed, func(cause error) { inner(cause); stop() }
	}
	d.w.mu.Lock()
	d.w.giveUp = cancel
	d.w.mu.Unlock()
	return ctx, cancel
}

func (d *doing[T]) attempt(a Action) Action {
	ctx, cancel := d.context(a)
	if d.w.p.detached {
		return d.detached(ctx, cancel, a)
	}
	defer cancel(nil)
	return d.run(ctx, a)
}

// run calls the function here and reports its end, on every way out.
func (d *doing[T]) run(ctx context.Context, a Action) (next Action) {
	returned := false
	defer func() {
		if !returned {
			// A panic or Goexit goes on after this: nobody is left to act on the answer.
			d.w.abort(a)
		}
	}()
	v, err := d.fn(ctx)
	returned = true
	return d.report(a, v, err)
}

var panicked = patterns.Result{Outcome: patterns.Failure, Reason: patterns.Panicked}

func (d *doing[T]) report(a Action, v T, err error) Action {
	return d.w.ended(a, d.w.p.classify(d.ctx, err), func() { d.value, d.w.lastErr = v, err })
}

// detached calls the function in a goroutine of its own and waits for its end or for its being given up.
func (d *doing[T]) detached(ctx context.Context, cancel context.CancelCauseFunc, a Action) Action {
	burst := make(chan func(), 1) // what a panic or Goexit must go on as
	go func() {
		defer cancel(nil)
		var next Action
		returned := false
		defer func() {
			if !returned {
				burst <- d.outlive(a, recover())
				return
			}
			if next.Kind != Wait {
				d.w.wake <- next
			}
		}()
		v, err := d.fn(ctx)
		returned = true
		next = d.report(a, v, err)
	}()
	select {
	case next := <-d.w.wake:
		return next
	case goOn := <-burst:
		goOn()
		return <-d.w.wake
	}
}

// outlive settles an attempt whose goroutine panicked (v not nil) or left by
// Goexit, and returns what the caller's goroutine must do if it still waits.
func (d *doing[T]) outlive(a Action, v any) func() {
	heard := false
	next := d.w.ended(a, panicked, func() { heard = true })
	if !heard {
		return func() {
			if next.Kind != Wait {
				d.w.wake <- next
			}
		}
	}
	if v != nil {
		return func() { panic(v) }
	}
	return runtime.Goexit
}

// fallback runs one step of the ladder.
func (d *doing[T]) fallback(a Action) (next Action) {
	ctx, cancel := d.context(a)
	defer cancel(nil)
	_, cause := d.w.verdict(d.ctx, a.Result)
	rung := d.ladder[d.w.p.fleet.plan.stages[a.Stage].state+a.Step]
	returned := false
	defer func() {
		if !returned {
			d.w.abort(a)
		}
	}()
	v, err := rung(ctx, cause)
	returned = true
	return d.w.ended(a, d.w.p.classify(d.ctx, err), func() { d.value = v })
}
