package pipeline

import (
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/fallback"
)

// settle tells the stage at c.at how the call ended further in; pause means
// that the stage goes on with it (a retry waits, a fallback steps in).
func (c *Call) settle(e *Env) (Action, bool) {
	i := c.at
	s := &c.fleet.plan.stages[i]
	switch s.kind {
	case kindRetry:
		c.endedStake(e, i, c.result)
		if again, pause := c.tryAgain(e, s); again {
			return Action{}, pause
		}
		c.endStake(e, i)
	case kindFallback:
		if fallback.Applies(c.result) && c.result.Reason != patterns.Panicked {
			c.frames[i].cause, c.frames[i].step = c.result, 0
			c.depth = i + 1
			return c.fall(int(i)), true
		}
	default:
		c.close(e, i, c.result)
	}
	c.leave(i)
	return Action{}, false
}

// leave moves the call one stage further out.
func (c *Call) leave(i int8) {
	c.depth, c.at = i, i-1
}

// close gives back what stage i handed out, with the result that it hears.
func (c *Call) close(e *Env, i int8, r patterns.Result) {
	s := &c.fleet.plan.stages[i]
	fr := &c.frames[i]
	switch s.kind {
	case kindBreaker:
		b := c.fleet.breaker(c.instance, s)
		c.fleet.locks.lock(c.instance, i)
		b.Report(e.Now, fr.permit, r.Outcome, c.openDraw(e, s, i), e.book())
		c.tell(e, i)
		c.fleet.locks.unlock(c.instance, i)
		if c.overdue != patterns.Never {
			c.nextOverdue(i)
		}
	case kindBulkhead:
		h := held{stage: i, ticket: fr.ticket, first: fr.first, last: c.attempts}
		if c.running(h) {
			c.held = append(c.held, h)
			return
		}
		c.vacate(e, h)
	case kindLimit:
		c.leaveLimit(e, s, i, r)
	case kindThrottle:
		c.leaveThrottle(e, s, i, r.Outcome)
	}
}

// running reports whether a function begun under the slot has not returned.
func (c *Call) running(h held) bool {
	if c.out > h.first && c.out <= h.last {
		return true
	}
	for _, a := range c.detached {
		if a > h.first && a <= h.last {
			return true
		}
	}
	for _, l := range c.legs() {
		if l.running(h) {
			return true
		}
	}
	return false
}

func (c *Call) vacate(e *Env, h held) {
	s := &c.fleet.plan.stages[h.stage]
	c.fleet.locks.lock(c.instance, h.stage)
	b := c.fleet.bulkhead(c.instance, s)
	b.Leave(e.Now, h.ticket, &e.grants)
	e.drops = b.Dropped(e.drops)
	c.fleet.locks.unlock(c.instance, h.stage)
	c.collect(e, h.stage)
}

// free vacates every held slot whose functions have all returned.
func (c *Call) free(e *Env) {
	kept := c.held[:0]
	for _, h := range c.held {
		if c.running(h) {
			kept = append(kept, h)
			continue
		}
		c.vacate(e, h)
	}
	c.held = kept
}

// tryAgain decides at a retry stage. again: the call goes in once more, at once
// or (pause) after a wait.
func (c *Call) tryAgain(e *Env, s *stage) (again, pause bool) {
	fr := &c.frames[c.at]
	// A panic is not an answer to try again: it goes on through the caller.
	if c.result.Outcome == patterns.Success || !c.fleet.retries.on() || c.result.Reason == patterns.Panicked {
		return false, false
	}
	draw := 0.0
	if s.drawWait {
		draw = e.Dice.Draw(DrawWait, int(c.at), waitNumber(c.attempts, fr.retry.Tries))
	}
	wait, again := s.retry.Next(&fr.retry, c.result, draw)
	if !again {
		return false, false
	}
	until := e.Now.Add(wait)
	// A wait that ends at or after the deadline would be in vain (D7), and so would one
	// without an end: that is nobody's deadline.
	c.noTime = until >= fr.due && fr.due != patterns.Never
	if c.noTime || until == patterns.Never || !c.afford(e, fr) {
		return false, false
	}
	if e.Loud {
		c.loud(e, c.at, Event{Kind: RetryScheduled, Reason: c.result.Reason, Wait: wait})
	}
	c.depth = c.at + 1
	if wait == 0 {
		c.inward, c.at = true, c.depth
		return true, false
	}
	c.state, c.until = waiting, until
	return true, true
}

// fall starts the step that the fallback at stage i is at.
func (c *Call) fall(i int) Action {
	c.state, c.at = falling, int8(i)
	fr := &c.frames[i]
	c.steps++
	return Action{Kind: Step, Stage: i, Step: fr.step, Run: c.steps, Deadline: fr.due, Result: fr.cause}
}

// abandon gives up all that is inside stage i (base: the whole call) at once,
// inside out, and goes on outward with the result when the function under way
// has returned or is left behind, or at once if there is none.
func (c *Call) abandon(e *Env, i int8, r patterns.Result) Action {
	if c.state == idle || c.state == done || c.state == moving {
		return Action{}
	}
	a := Action{}
	switch c.state {
	case queued:
		if c.withdraw(e) {
			// The slot was granted in this very instant: it is held, and given back below.
			c.depth = c.at + 1
		}
	case limited:
		c.leaveRate(e)
	case waiting:
		c.cancelStake(e, c.depth-1)
	case attempting:
		a.Abandoned = c.out
	case falling:
		a.StepAbandoned = true
	case racing:
		c.quitAll(e, r)
	}
	until := c.bear(i)
	c.until = patterns.Never
	if e.Loud && i > c.base {
		c.loud(e, i, Event{Kind: TimedOut, Reason: r.Reason})
	}
	linger := c.state == lingering || a.StepAbandoned || a.Abandoned != 0
	for j := c.depth - 1; j > i; j-- {
		heard := patterns.Result{Outcome: c.heard(j, r), Reason: r.Reason}
		c.close(e, j, heard)
		if c.state != waiting || j < c.depth-1 {
			c.endedStake(e, j, heard)
		}
		c.endStake(e, j)
	}
	c.depth, c.result, c.stop = i+1, r, i
	if linger && until > e.Now {
		c.state, c.until = lingering, until
		if a.Abandoned != 0 || a.StepAbandoned {
			a.Kind = Linger
		}
		// The stage that gave up no longer times anything.
		c.depth = max(i, c.base+1)
		return a
	}
	next := c.goOn(e)
	next.Abandoned, next.StepAbandoned = a.Abandoned, a.StepAbandoned
	return next
}

// bear returns until when a call that stage i gives up (base: the whole call) waits for
// the function under way: to the earliest own deadline of the detached timeouts from i
// inwards, so that nobody waits longer than without the outer end. What gave up
// further in before may have set an instant already.
func (c *Call) bear(i int8) patterns.Instant {
	until := patterns.Never
	if c.state == lingering {
		until = c.until
	}
	for j := max(i, c.base+1); j < c.depth; j++ {
		if c.fleet.plan.stages[j].detached {
			until = min(until, c.frames[j].own)
		}
	}
	return until
}

// goOn goes on outward from the stage that gave up. A function that is still under
// way is left behind.
func (c *Call) goOn(e *Env) Action {
	if c.out != 0 {
		c.detached = append(c.detached, c.out)
		c.out = 0
	}
	c.until = patterns.Never
	c.state, c.inward, c.at = moving, false, c.stop
	return c.run(e)
}

// heard is what stage j hears when it is abandoned with r.
func (c *Call) heard(j int8, r patterns.Result) patterns.Outcome {
	if r.Outcome == patterns.Failure && c.attempts == c.frames[j].first {
		return patterns.NotMade
	}
	return r.Outcome
}

// waitNumber numbers the waits of one call, so that each has a draw of its own.
func waitNumber(attempts uint32, tries int32) uint64 {
	return uint64(attempts)<<32 | uint64(uint32(tries))
}
