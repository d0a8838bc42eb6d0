package pipeline

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// wallCall drives one Call on the wall clock. Inputs may come from the caller's
// goroutine, from the timer, from the context and from other calls that leave a
// bulkhead; mu makes them one after the other.
type wallCall struct {
	p     *Pipeline
	owner uint64
	wake  chan Action // what an input from elsewhere wants the caller's goroutine to do

	left chan struct{} // closed when that has left; nil: it always comes for what there is

	mu      sync.Mutex
	call    Call
	env     Env
	timer   *time.Timer
	armed   patterns.Instant
	giveUp  context.CancelCauseFunc // cancels the function under way
	lastErr error                   // of the last attempt that was heard
	shared  bool                    // an input from elsewhere may still be on its way
	// Of a call that hedges: what cancels each attempt that has been started, and those
	// that have been asked for and not started.
	cancels   map[uint32]context.CancelCauseFunc
	unstarted []uint32
}

// Draw hands out chance from the runtime's generator.
func (w *wallCall) Draw(Purpose, int, uint64) float64 { return w.p.draw() }

func newWallCall(p *Pipeline) *wallCall {
	w := p.take()
	// A timer of the call before may still be on its way, and takes the lock.
	w.mu.Lock()
	w.owner, w.armed = p.next.Add(1), patterns.Never
	w.giveUp, w.lastErr, w.shared = nil, nil, false
	w.mu.Unlock()
	if p.races {
		w.left = make(chan struct{})
	}
	if p.queues {
		p.mu.Lock()
		p.calls[w.owner] = w
		p.mu.Unlock()
	}
	return w
}

// step feeds inputs one after the other at one instant, and hands what other
// calls and listeners must hear to them after the locks are released. before, if
// given, runs first under the call's lock.
func (w *wallCall) step(before func(), inputs ...Input) Action {
	a, grants := w.move(before, inputs...)
	w.p.tell(grants)
	return a
}

// move is step without telling anybody: no code of the user's runs in it, so that
// nothing it hands out can get lost.
func (w *wallCall) move(before func(), inputs ...Input) (Action, []Grant) {
	t := w.p.tape
	t.begin()
	w.mu.Lock()
	if before != nil {
		before()
	}
	w.env.Now = w.p.now()
	var a Action
	for _, in := range inputs {
		if next := t.record(w, in); next.Kind != Wait || next.Abandoned != 0 || next.StepAbandoned {
			a = next
		}
	}
	grants := append([]Grant(nil), w.env.Grants...)
	giveUp, overtaken := w.giveUp, w.overtaken(a)
	w.env.Events, w.env.Grants, w.env.GivenUp = w.env.Events[:0], w.env.Grants[:0], w.env.GivenUp[:0]
	w.arm()
	w.mu.Unlock()
	t.end()
	if (a.Abandoned != 0 || a.StepAbandoned) && giveUp != nil {
		giveUp(ErrTimeout)
	}
	overtaken()
	return a, grants
}

// tell hands on what a step has left: events first, then the grants, which the calls
// that wait for them get even if a listener panics.
func (p *Pipeline) tell(grants []Grant) {
	defer p.deliver(grants)
	p.out.deliver()
}

// arm keeps one timer running for the earliest instant that the call waits for.
func (w *wallCall) arm() {
	due := w.call.Timer()
	if due == w.armed {
		return
	}
	w.still()
	w.armed = due
	if due == patterns.Never {
		return
	}
	// Never nothing: a timer that is due at once and set anew crashes the race detector
	// under a fake clock (Go 1.26).
	wait := max(time.Until(w.p.origin.Add(time.Duration(due))), 1)
	if w.timer != nil {
		w.timer.Reset(wait)
		return
	}
	w.timer = time.AfterFunc(wait, func() { w.poke(Input{Kind: TimerFired}) })
}

// still stops the timer. One that was too late for that is on its way, and will take
// the lock.
func (w *wallCall) still() {
	if w.armed != patterns.Never && !w.timer.Stop() {
		w.shared = true
	}
	w.armed = patterns.Never
}

// poke feeds an input from another goroutine, and wakes the caller's if there
// is something for it to do.
func (w *wallCall) poke(in Input) {
	a, grants := w.move(w.disarm(in), in)
	defer w.rouse(a) // even if a listener panics
	w.p.tell(grants)
}

// rouse wakes the caller's goroutine if there is something for it to do.
func (w *wallCall) rouse(a Action) {
	if a.Kind == Wait || a.Kind == Linger {
		return
	}
	select {
	case w.wake <- a:
	case <-w.left:
	}
}

func (w *wallCall) disarm(in Input) func() {
	if in.Kind != TimerFired {
		return nil
	}
	return func() { w.armed = patterns.Never }
}

// deliver steps the calls that were given slots, one after the other.
func (p *Pipeline) deliver(grants []Grant) {
	if len(grants) == 0 {
		return
	}
	defer p.deliver(grants[1:]) // even if a listener panics
	p.mu.Lock()
	w := p.calls[grants[0].Owner]
	p.mu.Unlock()
	if w != nil {
		w.poke(Input{Kind: SlotGranted, Grant: grants[0]})
	}
}

// ended reports the end of a function, and hands what it answered to heard if it
// is still waited for. A function that returns an error at its deadline or later
// timed out, even if the timer has not been heard yet, and is not heard either.
func (w *wallCall) ended(a Action, r patterns.Result, heard func()) Action {
	next, grants, _ := w.end(a, r, heard)
	w.p.tell(grants)
	return next
}

// end is ended without telling anybody; waited says whether this end was waited for.
func (w *wallCall) end(a Action, r patterns.Result, heard func()) (next Action, grants []Grant, waited bool) {
	in := Input{Kind: AttemptEnded, Attempt: a.Attempt, Result: r}
	if a.Kind == Step {
		in = Input{Kind: StepEnded, Run: a.Run, Result: r}
	}
	late := r.Outcome == patterns.Failure && r.Reason == patterns.Failed && w.p.now() >= a.Deadline
	before := func() {
		if waited = w.call.hears(a); !waited {
			return // the one under way is another
		}
		delete(w.cancels, a.Attempt)
		if w.giveUp = nil; !late {
			heard()
		}
	}
	if late {
		next, grants = w.move(before, Input{Kind: TimerFired}, in)
	} else {
		next, grants = w.move(before, in)
	}
	return next, grants, waited
}

// hears reports whether the end of this attempt or fallback step is still
// waited for.
func (c *Call) hears(a Action) bool {
	if a.Kind == Step {
		return c.state == falling && c.steps == a.Run
	}
	if c.state == racing {
		return c.awaits(a.Attempt)
	}
	return c.state == attempting && c.out == a.Attempt
}

// abort ends a call whose goroutine is unwinding: nothing is left admitted. What is
// under way was never started, or its end got lost with what panicked.
func (w *wallCall) abort() {
	var out, run uint32
	defer func() { // even if a listener panics
		w.step(nil, Input{Kind: AttemptReturned, Attempt: out}, Input{Kind: StepEnded, Run: run, Result: cancelResult})
		w.unstart()
	}()
	w.step(func() { out, run = w.call.out, w.call.steps }, Input{Kind: Cancelled})
}

// unwanted reports whether an attempt or step was given up before the caller's
// goroutine came to start it, by the call or by a caller whom it has not heard yet.
func (w *wallCall) unwanted(ctx context.Context, a Action) bool {
	if errors.Is(ctx.Err(), context.Canceled) {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.call.hears(a)
}

// watch has the end of the caller's context told to the call; nil if it has none.
func (w *wallCall) watch(ctx context.Context) (stop func() bool) {
	if ctx.Done() == nil {
		return nil
	}
	return context.AfterFunc(ctx, func() {
		if deadline, ok := ctx.Deadline(); ok && errors.Is(ctx.Err(), context.DeadlineExceeded) && !time.Now().Before(deadline) {
			w.poke(Input{Kind: TimerFired})
			return
		}
		w.poke(Input{Kind: Cancelled})
	})
}

// unwatch ends watch. What could not be stopped is on its way.
func (w *wallCall) unwatch(stop func() bool) {
	if stop != nil && !stop() {
		w.shared = true
	}
}

// close forgets the call once it is done, and ends it if its goroutine unwinds.
// Functions that were left behind still report their return through it.
func (w *wallCall) close() {
	w.mu.Lock()
	over := w.call.state == done || w.call.state == idle
	w.mu.Unlock()
	defer w.forget(over)
	if over {
		w.unstart()
	} else {
		w.abort()
	}
}

// forget takes the call out of reach and, if nobody has it any more, keeps its
// memory for another. A timer or a grant that comes late does no harm there: a
// timer that fires early does nothing, and a grant names its ticket.
func (w *wallCall) forget(over bool) {
	if w.left != nil {
		close(w.left)
	}
	w.mu.Lock()
	w.still()
	// A tape numbers the runs of each call from one; what a detached timeout leaves
	// behind comes back to the call that it was begun for.
	free := w.p.tape == nil && w.p.apart == StagesMax && over && !w.shared && w.call.Outstanding() == 0 && len(w.call.held) == 0 && len(w.wake) == 0
	w.mu.Unlock()
	if w.p.queues {
		w.p.mu.Lock()
		delete(w.p.calls, w.owner)
		w.p.mu.Unlock()
	}
	if free {
		w.p.spare.Put(w)
	}
}

// verdict turns the result of a finished call into what its caller is told.
func (w *wallCall) verdict(ctx context.Context, r patterns.Result) (Info, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return Info{Attempts: int(w.call.Attempts()), Degraded: r.Degraded, Reason: r.Reason}, w.err(ctx, r)
}

func (w *wallCall) err(ctx context.Context, r patterns.Result) error {
	switch {
	case r.Outcome == patterns.Success:
		return nil
	case r.Reason == patterns.Failed && !w.call.OutOfTime() && w.lastErr != nil:
		return w.lastErr
	}
	if w.lastErr == nil && r.Outcome == patterns.NotMade && r.Reason.Refusal() && !w.call.OutOfTime() {
		return w.p.refused(r)
	}
	e := &Error{Reason: r.Reason, RetryAfter: r.RetryAfter, Last: w.lastErr}
	switch {
	case r.Reason == patterns.DeadlineExceeded || w.call.OutOfTime():
		e.Cause = context.DeadlineExceeded
	case r.Reason == patterns.Cancelled:
		e.Cause = context.Cause(ctx)
	}
	return e
}
