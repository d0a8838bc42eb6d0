package pipeline

import (
	"context"
	"errors"
	"slices"

	"github.com/resilsim/resilsim/patterns"
)

// ErrOvertaken is the cause with which the context of an attempt ends when another
// attempt of the same call was answered first. See context.Cause.
var ErrOvertaken = errors.New("pipeline: another attempt of the call was answered first")

// overtaken notes the attempt that a step of a hedging call asked for, and returns
// what cancels those that it gave up. The call is locked.
func (w *wallCall) overtaken(a Action) (cancel func()) {
	if !w.p.races {
		return func() {}
	}
	if a.Kind == Attempt {
		w.unstarted = append(w.unstarted, a.Attempt)
	}
	var all []context.CancelCauseFunc
	for _, attempt := range append(w.env.GivenUp, a.Abandoned) {
		if f := w.cancels[attempt]; f != nil {
			all = append(all, f)
		}
	}
	cause := ErrTimeout
	if a.Kind == Done && a.Result.Outcome == patterns.Success {
		cause = ErrOvertaken
	}
	return func() {
		for _, f := range all {
			f(cause)
		}
	}
}

// started notes that the attempt runs and how it is cancelled.
func (w *wallCall) started(attempt uint32, cancel context.CancelCauseFunc) {
	if w.cancels == nil {
		w.cancels = map[uint32]context.CancelCauseFunc{}
	}
	w.cancels[attempt] = cancel
	if i := slices.Index(w.unstarted, attempt); i >= 0 {
		w.unstarted = slices.Delete(w.unstarted, i, i+1)
	}
}

// unstart reports the return of every attempt that was asked for and overtaken before
// the caller's goroutine came to see it. That goroutine leaves now: none will be started.
func (w *wallCall) unstart() {
	for {
		w.mu.Lock()
		var attempt uint32
		if len(w.unstarted) > 0 {
			attempt = w.unstarted[0]
			w.unstarted = w.unstarted[1:]
		}
		w.mu.Unlock()
		if attempt == 0 {
			return
		}
		w.step(nil, Input{Kind: AttemptReturned, Attempt: attempt})
	}
}

// awaits reports whether a leg of the race waits for the end of the attempt.
func (c *Call) awaits(attempt uint32) bool {
	for _, l := range c.race.legs[:c.race.begun] {
		if l.state == attempting && l.out == attempt {
			return true
		}
	}
	return false
}
