package pipeline

import "github.com/resilsim/resilsim/patterns"

// runLate tells each breaker that counts running calls what has been running for
// longer than it allows.
func (c *Call) runLate(e *Env) {
	for i := c.base + 1; i < c.depth; i++ {
		s := &c.fleet.plan.stages[i]
		if s.kind != kindBreaker {
			continue
		}
		b := c.fleet.breaker(c.instance, s)
		c.fleet.locks.lock(c.instance, i)
		if b.OverdueAt(c.frames[i].permit) <= e.Now {
			b.Overdue(e.Now, &c.frames[i].permit, c.openDraw(e, s, i), e.book())
			c.tell(e, i)
		}
		c.fleet.locks.unlock(c.instance, i)
	}
	c.nextOverdue(c.base)
	// A breaker that did not count the call now will not do so later.
	if c.overdue <= e.Now {
		c.overdue = patterns.Never
	}
}

// nextOverdue is the earliest instant at which a breaker wants to count the call
// as slow, without the one at stage left.
func (c *Call) nextOverdue(left int8) {
	c.overdue = patterns.Never
	for i := c.base + 1; i < c.depth; i++ {
		s := &c.fleet.plan.stages[i]
		if s.kind == kindBreaker && i != left {
			c.overdue = min(c.overdue, c.fleet.breaker(c.instance, s).OverdueAt(c.frames[i].permit))
		}
	}
}
