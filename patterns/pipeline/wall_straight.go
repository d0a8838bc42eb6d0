package pipeline

import (
	"context"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// pace says how much of a driver a pipeline's answered calls need.
type pace uint8

const (
	// full: other goroutines, timers or listeners may have to do with a call.
	full pace = iota
	// straight: nobody else reaches a call that does not wait.
	straight
	// timeless: no stage remembers more of an answered call than that it was inside.
	timeless
	// stateless: no stage remembers anything of an answered call.
	stateless
)

// paceOf judges the stages and what the options ask for.
func (p *Pipeline) paceOf() pace {
	if p.out != nil || p.tape != nil || p.queues || p.apart < StagesMax {
		return full
	}
	slowest := stateless
	for i, s := range p.fleet.plan.stages {
		slowest = min(slowest, s.pace(p.fleet.plan.policies[i]))
	}
	return slowest
}

func (s *stage) pace(pol Policy) pace {
	switch s.kind {
	case kindFallback:
		return stateless
	case kindRetry:
		if s.purse < 0 {
			return stateless
		}
	case kindBulkhead:
		return timeless
	case kindTimeout, kindHedge:
		return full
	case kindBreaker:
		if pol.CircuitBreaker.CountRunningSlowCalls {
			return full
		}
	}
	return straight
}

// goesStraight reports whether calls with this context need no more than that: it
// cannot end.
func (p *Pipeline) goesStraight(ctx context.Context) bool { return p.pace > full && ctx.Done() == nil }

// quick makes a call that nobody else reaches unless it comes to wait: no lock is held
// and no timer runs until then.
func (d *doing[T]) quick(ladder []func(context.Context, error) (T, error)) (T, Info, error) {
	d.w = d.p.take()
	return d.goOn(d.admit(), ladder)
}

// failed makes a call whose first attempt has ended before anybody knew of it.
func (d *doing[T]) failed(r patterns.Result, err error, ladder []func(context.Context, error) (T, error)) (T, Info, error) {
	d.w = d.p.take()
	first := d.admit()
	d.w.lastErr = err
	return d.goOn(d.settle(first.Attempt, r), ladder)
}

func (d *doing[T]) goOn(a Action, ladder []func(context.Context, error) (T, error)) (T, Info, error) {
	for a.Kind == Attempt {
		a = d.attempt(a.Attempt)
	}
	if a.Kind != Done {
		return d.waits(a, ladder)
	}
	return d.end(a.Result)
}

// judge says how a function ended that returned the error.
func (p *Pipeline) judge(ctx context.Context, err error) patterns.Result {
	if err == nil && p.plain {
		return patterns.Result{Outcome: patterns.Success}
	}
	return p.classify(ctx, err)
}

// end is told from here, and the call's memory is free for another.
func (d *doing[T]) end(r patterns.Result) (v T, info Info, err error) {
	w := d.w
	info = Info{Attempts: int(w.call.Attempts()), Degraded: r.Degraded, Reason: r.Reason}
	if err = w.err(d.ctx, r); err == nil {
		v = d.value
	}
	w.lastErr = nil // not to be kept alive
	d.p.spare.Put(w)
	return v, info, err
}

// waits goes on with a call for which a timer or a step of the ladder is needed.
func (d *doing[T]) waits(a Action, ladder []func(context.Context, error) (T, error)) (T, Info, error) {
	defer d.w.close()
	d.w.mu.Lock()
	d.w.arm()
	d.w.mu.Unlock()
	return d.finish(a, ladder)
}

// admit begins the call.
func (d *doing[T]) admit() Action {
	w, m := d.w, marksOf(d.ctx)
	w.call.NonIdempotent, w.call.Level, w.lastErr = m.once, m.level, nil
	if d.p.pace == straight {
		w.env.Now = d.p.now()
	}
	return w.call.Begin(&w.env, d.p.fleet, 0, 0, patterns.Never)
}

// attempt runs the function and settles its end, on every way out.
func (d *doing[T]) attempt(n uint32) Action {
	judged := false
	defer func() {
		if !judged {
			// A panic or Goexit goes on after this: nobody is left to act on the answer.
			d.settle(n, panicked)
		}
	}()
	v, err := d.fn(d.ctx)
	r := d.p.judge(d.ctx, err)
	judged = true
	d.value, d.w.lastErr = v, err
	return d.settle(n, r)
}

func (d *doing[T]) settle(n uint32, r patterns.Result) Action {
	w := d.w
	if d.p.pace == straight || r.Outcome != patterns.Success {
		w.env.Now = d.p.now()
	}
	return w.call.Ended(&w.env, n, r)
}

// refused is the error of a call that was never made. Calls that are refused for one
// reason in one millisecond share it: a flood of refusals makes no garbage.
func (p *Pipeline) refused(r patterns.Result) *Error {
	after := r.RetryAfter
	if rest := after % time.Millisecond; rest > 0 {
		after += time.Millisecond - rest
	}
	shared := &p.refusals[r.Reason]
	e := shared.Load()
	if e == nil || e.RetryAfter != after {
		e = &Error{Reason: r.Reason, RetryAfter: after}
		shared.Store(e)
	}
	return e
}

// take returns the memory of an earlier call that nobody else can reach, or new.
func (p *Pipeline) take() *wallCall {
	if w, used := p.spare.Get().(*wallCall); used {
		return w
	}
	w := &wallCall{p: p, wake: make(chan Action, 1), armed: patterns.Never}
	w.env.Dice, w.env.out = w, p.out
	w.env.Loud = p.out != nil || p.tape != nil
	w.env.deaf = !w.env.Loud
	return w
}
