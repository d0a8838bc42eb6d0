package pipeline

import (
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
)

// budgeted is the budget of stage i under its lock, nil if it has none.
func (c *Call) budgeted(i int8) *budget.Budget {
	s := &c.fleet.plan.stages[i]
	if s.kind != kindRetry || s.purse < 0 {
		return nil
	}
	c.fleet.locks.lock(c.instance, i)
	return c.fleet.budget(c.instance, s)
}

// beginStake tells the budget of the retry at c.at that a call begins.
func (c *Call) beginStake(e *Env, fr *frame) {
	fr.stake = budget.Stake{}
	if b := c.budgeted(c.at); b != nil {
		b.Begin(e.Now, &fr.stake)
		c.fleet.locks.unlock(c.instance, c.at)
	}
}

// endedStake tells the budget of stage i how an attempt ended there.
func (c *Call) endedStake(e *Env, i int8, r patterns.Result) {
	if b := c.budgeted(i); b != nil {
		b.Ended(e.Now, &c.frames[i].stake, r)
		c.fleet.locks.unlock(c.instance, i)
	}
}

// afford pays for one retry when it is scheduled, not when it is sent (D15).
func (c *Call) afford(e *Env, fr *frame) bool {
	b := c.budgeted(c.at)
	if b == nil {
		return true
	}
	ok := b.Schedule(e.Now, &fr.stake, c.result)
	c.fleet.locks.unlock(c.instance, c.at)
	return ok
}

// cancelStake takes back what a retry has paid that is scheduled and not made.
func (c *Call) cancelStake(e *Env, i int8) {
	if b := c.budgeted(i); b != nil {
		b.Cancel(e.Now, &c.frames[i].stake)
		c.fleet.locks.unlock(c.instance, i)
	}
}

// endStake tells the budget of stage i that the call leaves it.
func (c *Call) endStake(e *Env, i int8) {
	if b := c.budgeted(i); b != nil {
		b.End(e.Now, &c.frames[i].stake)
		c.fleet.locks.unlock(c.instance, i)
	}
}
