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
// earliest timeout; Do returns when fn does. Only inside a detached timeout does fn (or a
// function of the ladder, if the fallback is inside) run in a
// goroutine of its own that may be left behind: at the detached timeout's instant, also
// when ctx or a timeout further out has given the call up before. A panic or Goexit of
// fn, or of the code that judges its error, counts as a failure, gives everything back,
// and goes on.
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
	if err := ctx.Err(); err != nil && errors.Is(err, context.Canceled) {
		var zero T
		return zero, Info{Reason: patterns.Cancelled}, &Error{Reason: patterns.Cancelled, Cause: context.Cause(ctx)}
	}
	straight := p.goesStraight(ctx)
	if straight && p.pace == stateless {
		// The machine hears of the call only if it fails: a panic leaves nothing behind, and
		// neither does an answer.
		v, err := fn(ctx)
		if err == nil && p.plain {
			return v, Info{Attempts: 1}, nil
		}
		r := p.judge(ctx, err)
		if r.Outcome == patterns.Success {
			return v, Info{Attempts: 1}, nil
		}
		d := doing[T]{p: p, ctx: ctx, fn: fn, deadline: patterns.Never, value: v}
		return d.failed(r, err, ladder)
	}
	d := doing[T]{p: p, ctx: ctx, fn: fn, deadline: patterns.Never}
	if straight {
		return d.quick(ladder)
	}
	return d.whole(ladder)
}

// whole makes a call that timers, contexts and other calls may have to do with.
func (d *doing[T]) whole(ladder []func(context.Context, error) (T, error)) (T, Info, error) {
	d.w = newWallCall(d.p)
	defer d.w.close()
	if t, ok := d.ctx.Deadline(); ok {
		d.deadline = d.p.instant(t)
	}
	m := marksOf(d.ctx)
	a := d.w.step(nil, Input{Kind: Begun, Owner: d.w.owner, Deadline: d.deadline, Once: m.once, Level: m.level})
	defer d.w.unwatch(d.w.watch(d.ctx))
	return d.finish(a, ladder)
}

// finish does what is to be done until the call is.
func (d *doing[T]) finish(a Action, ladder []func(context.Context, error) (T, error)) (v T, info Info, err error) {
	for a.Kind != Done {
		switch {
		case (a.Kind == Attempt || a.Kind == Step) && d.w.unwanted(d.ctx, a):
			a = d.w.ended(a, patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Cancelled}, func() {})
		case a.Kind == Attempt || a.Kind == Step:
			a = d.act(a, ladder)
		default:
			a = d.await()
		}
	}
	info, err = d.w.verdict(d.ctx, a.Result)
	switch {
	case err != nil:
		return v, info, err
	case d.box != nil:
		return *d.box, info, nil
	}
	return d.value, info, nil
}

// doing is one call of Do under way. The ladder is handed along beside it: so the
// slice that holds it needs no memory of its own unless a goroutine is left behind.
type doing[T any] struct {
	p     *Pipeline
	w     *wallCall
	ctx   context.Context
	fn    func(context.Context) (T, error)
	value T
	// deadline is the caller's own.
	deadline patterns.Instant
	// What goroutines of their own leave behind; nil until there is one: the value, and
	// what a panic or Goexit must go on as.
	box   *T
	burst chan func()
}

// context makes the context of an attempt or step, which ends at its deadline
// or when it is given up. Where no timeout is around it, that is the caller's own.
func (d *doing[T]) context(a Action) (context.Context, context.CancelCauseFunc) {
	raced := d.p.races && a.Kind == Attempt
	if a.Deadline == d.deadline && !raced {
		return d.ctx, nil
	}
	inner, stopInner := context.WithCancelCause(d.ctx)
	ctx, cancel := inner, stopInner
	if a.Deadline != patterns.Never {
		// The call's own timer ends it; this deadline is there to be read and passed on.
		at := d.p.origin.Add(time.Duration(a.Deadline))
		timed, stop := context.WithDeadlineCause(inner, at, ErrTimeout)
		ctx, cancel = timed, func(cause error) { stopInner(cause); stop() }
	}
	d.w.mu.Lock()
	if d.w.giveUp = cancel; raced {
		d.w.giveUp = nil
		d.w.started(a.Attempt, cancel)
	}
	gone := !d.w.call.hears(a) // given up since the caller's goroutine looked
	d.w.mu.Unlock()
	if gone {
		cancel(ErrTimeout)
	}
	return ctx, cancel
}

// act performs what the action asks for and returns what is to be done next.
func (d *doing[T]) act(a Action, ladder []func(context.Context, error) (T, error)) Action {
	ctx, cancel := d.context(a)
	if d.p.detaches(a) {
		return d.detached(ctx, cancel, a, ladder)
	}
	if cancel != nil {
		defer cancel(nil)
	}
	return d.here(ctx, a, ladder)
}

// here performs the action in this goroutine and reports its end, on every way out.
func (d *doing[T]) here(ctx context.Context, a Action, ladder []func(context.Context, error) (T, error)) Action {
	judged := false
	defer func() {
		if !judged {
			// A panic or Goexit goes on after this: nobody is left to act on the answer.
			d.w.ended(a, panicked, func() {})
		}
	}()
	v, r, err := d.call(ctx, a, ladder)
	judged = true
	return d.w.ended(a, r, func() { d.hear(a, v, err) })
}

var panicked = patterns.Result{Outcome: patterns.Failure, Reason: patterns.Panicked}

// call runs the code of the user's: the function or a step of the ladder, and the rule
// by which its end is judged. Wherever that panics, the end counts as a failure.
func (d *doing[T]) call(ctx context.Context, a Action, ladder []func(context.Context, error) (T, error)) (v T, r patterns.Result, err error) {
	if a.Kind == Attempt {
		v, err = d.fn(ctx)
	} else {
		_, cause := d.w.verdict(d.ctx, a.Result)
		v, err = ladder[d.p.fleet.plan.stages[a.Stage].state+a.Step](ctx, cause)
	}
	return v, d.p.classify(d.ctx, err), err
}

// hear keeps the answer.
func (d *doing[T]) hear(a Action, v T, err error) {
	if d.value = v; d.box != nil {
		*d.box = v
	}
	if a.Kind == Attempt {
		d.w.lastErr = err
	}
}

// detached performs the action in a goroutine of its own and waits for its end or for
// its being given up.
func (d *doing[T]) detached(ctx context.Context, cancel context.CancelCauseFunc, a Action, ladder []func(context.Context, error) (T, error)) Action {
	if d.box == nil {
		d.box, d.burst = new(T), make(chan func(), 1)
	}
	// The goroutine may outlive Do: it has a copy, so that other calls need none.
	own := doing[T]{p: d.p, w: d.w, ctx: d.ctx, fn: d.fn, deadline: d.deadline, box: d.box, burst: d.burst}
	rungs := make([]func(context.Context, error) (T, error), len(ladder))
	copy(rungs, ladder)
	go func() {
		if cancel != nil {
			defer cancel(nil)
		}
		own.apart(ctx, a, rungs)
	}()
	return d.await()
}

// await waits until an input from elsewhere wants something done here: the next
// action, or a panic or Goexit that must go on.
func (d *doing[T]) await() Action {
	select {
	case next := <-d.w.wake:
		return next
	case goOn := <-d.burst:
		goOn()
		return Action{}
	}
}

// apart performs the action in a goroutine of its own. The caller's goroutine goes on
// with what is next, or with the panic or Goexit if it still waited for this action.
func (d *doing[T]) apart(ctx context.Context, a Action, ladder []func(context.Context, error) (T, error)) {
	var next Action
	judged, told, waited := false, false, true
	defer func() {
		v := recover()
		switch {
		case told || !waited:
			d.w.rouse(next)
		case v != nil:
			d.goOnAs(func() { panic(v) })
		default:
			d.goOnAs(runtime.Goexit)
		}
	}()
	end := func(r patterns.Result, heard func()) {
		var grants []Grant
		next, grants, waited = d.w.end(a, r, heard)
		d.p.tell(grants)
	}
	defer func() {
		if !judged {
			end(panicked, func() {})
		}
	}()
	v, r, err := d.call(ctx, a, ladder)
	judged = true
	end(r, func() { d.hear(a, v, err) })
	told = true
}

// goOnAs hands a panic or Goexit to the caller's goroutine. Of several, as when
// listeners panic, the first one goes on.
func (d *doing[T]) goOnAs(f func()) {
	select {
	case d.burst <- f:
	default:
	}
}
