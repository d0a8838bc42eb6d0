package pipeline

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/retry"
)

// run moves the call in and out until it needs something from outside. It is a
// loop, not a recursion, so that any number of waitless retries is safe.
func (c *Call) run(e *Env) Action {
	for {
		var a Action
		var pause bool
		switch {
		case c.inward && int(c.at) == len(c.frames):
			return c.start()
		case c.inward && c.fleet.plan.stages[c.at].kind == kindHedge:
			a, pause = c.enterRace(e)
		case c.inward:
			pause = c.admit(e)
		case c.at <= c.base:
			c.state = done
			return Action{Kind: Done, Result: c.result}
		default:
			a, pause = c.settle(e)
		}
		if pause {
			return a
		}
	}
}

func (c *Call) start() Action {
	whole := c.whole()
	whole.attempts++
	c.attempts = whole.attempts
	c.out = c.attempts
	c.state = attempting
	return Action{Kind: Attempt, Attempt: c.attempts, Deadline: c.due()}
}

// admit asks the stage at c.at; pause means that the call waits there.
func (c *Call) admit(e *Env) (pause bool) {
	s := &c.fleet.plan.stages[c.at]
	fr := &c.frames[c.at]
	fr.due, fr.first = c.due(), c.attempts
	switch s.kind {
	case kindRetry:
		fr.retry = retry.State{NonIdempotent: c.NonIdempotent}
		c.beginStake(e, fr)
	case kindBreaker:
		if !c.enterBreaker(e, s, fr) {
			return false
		}
	case kindBulkhead:
		return c.enterBulkhead(e, s, fr)
	case kindTimeout:
		fr.own = s.limit.Deadline(e.Now)
		fr.due = min(fr.due, fr.own)
	case kindRate:
		return c.enterRate(e, s, fr)
	case kindLimit:
		if !c.enterLimit(e, s, fr) {
			return false
		}
	case kindThrottle:
		if !c.enterThrottle(e, s) {
			return false
		}
	}
	c.admitted()
	return false
}

// admitted moves the call one stage further in.
func (c *Call) admitted() {
	c.at++
	c.depth = c.at
}

// refuse turns the call round at the stage that refused it.
func (c *Call) refuse(e *Env, why patterns.Reason, after time.Duration) {
	if e.Loud {
		c.loud(e, c.at, Event{Kind: Refused, Reason: why})
	}
	c.inward = false
	c.result = patterns.Result{Outcome: patterns.NotMade, Reason: why, RetryAfter: after}
	c.depth = c.at
	c.at--
}

func (c *Call) enterBreaker(e *Env, s *stage, fr *frame) bool {
	b := c.fleet.breaker(c.instance, s)
	c.fleet.locks.lock(c.instance, c.at)
	permit, v := b.Acquire(e.Now, c.openDraw(e, s, c.at), e.book())
	c.tell(e, c.at)
	c.fleet.locks.unlock(c.instance, c.at)
	if !v.OK {
		c.refuse(e, patterns.BreakerOpen, v.RetryAfter)
		return false
	}
	fr.permit = permit
	c.overdue = min(c.overdue, b.OverdueAt(permit))
	return true
}

func (c *Call) enterBulkhead(e *Env, s *stage, fr *frame) (pause bool) {
	b := c.fleet.bulkhead(c.instance, s)
	c.fleet.locks.lock(c.instance, c.at)
	a := b.Ask(e.Now, bulkhead.Request{Owner: c.owner, Level: c.Level, Deadline: fr.due})
	e.drops = b.Dropped(e.drops)
	fr.ticket = a.Ticket
	c.fleet.locks.unlock(c.instance, c.at)
	c.collect(e, c.at)
	switch a.Decision {
	case bulkhead.Granted:
		c.admitted()
		return false
	case bulkhead.Rejected:
		c.refuse(e, a.Reason, 0)
		return false
	}
	c.state, c.depth, c.until = queued, c.at, a.Until
	return true
}

// impatient ends a wait for a slot that lasted too long. A slot granted in the
// same instant beats the end of patience.
func (c *Call) impatient(e *Env) Action {
	if c.withdraw(e) {
		return c.slotted(e)
	}
	return c.turnedAway(e, patterns.BulkheadTimeout)
}

// turnedAway ends a wait for a slot that the call will not get.
func (c *Call) turnedAway(e *Env, why patterns.Reason) Action {
	c.until = patterns.Never
	c.state = moving
	c.refuse(e, why, 0)
	return c.run(e)
}

// withdraw takes the waiting ticket back, and reports whether that came too late: the
// call has its slot. One that was dropped in this very instant waits no more either.
func (c *Call) withdraw(e *Env) (granted bool) {
	s := &c.fleet.plan.stages[c.at]
	c.fleet.locks.lock(c.instance, c.at)
	b, ticket := c.fleet.bulkhead(c.instance, s), c.frames[c.at].ticket
	if !b.Cancel(e.Now, ticket, &e.grants) {
		granted = b.Holds(ticket)
	}
	e.drops = b.Dropped(e.drops)
	c.fleet.locks.unlock(c.instance, c.at)
	c.collect(e, c.at)
	return granted
}

// openDraw is the draw for an opening of stage i, or 0 when the open wait is fixed.
// The stage is locked: the draw is numbered by the breaker's openings.
func (c *Call) openDraw(e *Env, s *stage, i int8) float64 {
	if !s.drawOpen {
		return 0
	}
	return e.Dice.Draw(DrawOpen, int(i), uint64(c.fleet.breaker(c.instance, s).Openings()))
}

// collect hands what the bulkhead has to tell waiting calls to the driver.
func (c *Call) collect(e *Env, at int8) {
	if len(e.grants) == 0 && len(e.drops) == 0 {
		return
	}
	for _, d := range e.drops {
		e.Grants = append(e.Grants, Grant{Owner: d.Owner, Stage: int(at), Ticket: d.Ticket, Dropped: d.Reason})
	}
	for _, g := range e.grants {
		e.Grants = append(e.Grants, Grant{Owner: g.Owner, Stage: int(at), Ticket: g.Ticket})
	}
	e.grants, e.drops = e.grants[:0], e.drops[:0]
}
