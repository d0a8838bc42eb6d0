package pipeline

import (
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/hedge"
)

// race is what a call remembers of its hedge. Each attempt of a race is a leg: a
// Call through the stages inside the hedge. The first leg that is answered wins.
type race struct {
	call    *Call   // that runs the race
	legs    []*Call // of this race, and others whose memory is used again
	begun   int     // legs[:begun] are of this race
	since   patterns.Instant
	failure patterns.Result // what the race ends with if no leg is answered
}

// whole is the call that a leg belongs to, or the call itself.
func (c *Call) whole() *Call {
	if c.base < 0 {
		return c
	}
	return c.race.call
}

// legs returns every leg that may have functions under way.
func (c *Call) legs() []*Call {
	if c.race == nil || c.base >= 0 {
		return nil
	}
	return c.race.legs
}

// enterRace begins the race of the hedge at c.at with its first leg. pause means
// that the call waits for its legs.
func (c *Call) enterRace(e *Env) (a Action, pause bool) {
	fr := &c.frames[c.at]
	fr.due, fr.first = c.due(), c.attempts
	if c.race == nil {
		c.race = &race{call: c}
	}
	r := c.race
	r.begun, r.since, r.failure = 0, e.Now, patterns.Result{}
	c.admitted()
	c.state = racing
	leg := c.leg()
	if b, h := c.lockRace(); b != nil {
		b.Begin(e.Now, &leg.frames[h].stake)
	}
	c.unlockRace()
	c.schedule(e)
	return c.goOnWith(e, leg, leg.run(e))
}

// leg returns a leg that is ready to go in.
func (c *Call) leg() *Call {
	r := c.race
	// Legs whose functions have not returned keep their memory.
	for i := r.begun; i < len(r.legs); i++ {
		if l := r.legs[i]; l.Outstanding() == 0 && len(l.held) == 0 {
			r.legs[i], r.legs[r.begun] = r.legs[r.begun], l
			return c.begin(l)
		}
	}
	l := &Call{}
	r.legs = append(r.legs, l)
	last := len(r.legs) - 1
	r.legs[last], r.legs[r.begun] = r.legs[r.begun], l
	return c.begin(l)
}

func (c *Call) begin(l *Call) *Call {
	c.race.begun++
	l.ready(c.fleet, c.instance, c.depth-1)
	l.race, l.owner, l.deadline = c.race, c.owner, c.due()
	l.attempts, l.NonIdempotent, l.Level = c.attempts, c.NonIdempotent, c.Level
	return l
}

// goOnWith does what follows from a leg's action. pause means that the call waits
// for its legs; else the race is over and the call goes outward with its result.
func (c *Call) goOnWith(e *Env, leg *Call, a Action) (next Action, pause bool) {
	given := uint32(0)
	for {
		if given != 0 {
			a.Abandoned = given
		}
		if a.Kind != Done {
			return a, true
		}
		given = a.Abandoned
		next, over := c.legEnded(e, leg, a.Result)
		if next == nil {
			return Action{Abandoned: given}, !over
		}
		leg = next
		a = leg.run(e)
	}
}

// legStepped is goOnWith for what comes from outside.
func (c *Call) legStepped(e *Env, leg *Call, a Action) Action {
	next, pause := c.goOnWith(e, leg, a)
	if pause {
		return next
	}
	out := c.run(e)
	out.Abandoned = next.Abandoned
	return out
}

// legEnded hears how a leg ended: next is the leg that follows a failed one at
// once, and over reports that the race is.
func (c *Call) legEnded(e *Env, leg *Call, r patterns.Result) (next *Call, over bool) {
	c.settleLeg(e, leg, r)
	if r.Outcome == patterns.Success {
		c.observe(e, leg)
		c.finish(e, r)
		return nil, true
	}
	if r.Reason == patterns.Panicked || r.Reason == patterns.Cancelled {
		c.finish(e, r) // it goes on through the caller, or that has gone, whatever the others answer
		return nil, true
	}
	// What failed tells more than what was refused on this side.
	if f := &c.race.failure; f.Outcome != patterns.Failure || r.Outcome == patterns.Failure {
		*f = r
	}
	c.noTime = c.noTime || leg.noTime
	if c.hedging().OnFailure() && r.Outcome == patterns.Failure && c.mayHedge() {
		next = c.hedge(e, r)
	}
	if next == nil && c.underWay() == 0 {
		c.finish(e, c.race.failure)
		return nil, true
	}
	return next, false
}

// finish gives up what is still under way and turns the call outward.
func (c *Call) finish(e *Env, r patterns.Result) {
	c.quitAll(e, cancelResult)
	c.until = patterns.Never
	c.state, c.inward, c.at, c.result = moving, false, c.depth-1, r
}

// observe remembers how long the first leg took, or has run that was overtaken.
func (c *Call) observe(e *Env, winner *Call) {
	first := c.race.legs[0]
	c.lockRace()
	h := c.delay()
	if winner == first || first.state != done {
		h.Observe(e.Now.Sub(c.race.since))
	}
	if winner != first {
		h.Won()
	}
	c.unlockRace()
}

// underWay is the number of legs that have not ended.
func (c *Call) underWay() int {
	n := 0
	for _, l := range c.race.legs[:c.race.begun] {
		if l.state != done {
			n++
		}
	}
	return n
}

// mayHedge reports whether one more leg is within the settings.
func (c *Call) mayHedge() bool {
	return !c.NonIdempotent && c.race.begun <= c.hedging().MaxHedges() && c.fleet.retries.on()
}

// hedge begins one more leg, if the budget grants it.
func (c *Call) hedge(e *Env, after patterns.Result) *Call {
	leg := c.leg()
	paid := true
	if b, h := c.lockRace(); b != nil {
		paid = b.Schedule(e.Now, &leg.frames[h].stake, after)
	}
	if paid {
		c.delay().Started()
	}
	c.unlockRace()
	if !paid {
		c.race.begun--
		leg.state = done
		return nil
	}
	if e.Loud {
		c.loud(e, c.depth-1, Event{Kind: HedgeStarted, Reason: after.Reason})
	}
	return leg
}

// fireRace does what is due: a leg's own timer first, then the next hedge.
func (c *Call) fireRace(e *Env) Action {
	for _, l := range c.race.legs[:c.race.begun] {
		if l.Timer() <= e.Now {
			return c.legStepped(e, l, l.Fire(e))
		}
	}
	if c.until > e.Now {
		return Action{}
	}
	c.until = patterns.Never
	if !c.mayHedge() {
		return Action{}
	}
	leg := c.hedge(e, patterns.Result{})
	if leg == nil {
		return Action{}
	}
	c.schedule(e)
	return c.legStepped(e, leg, leg.run(e))
}

// schedule sets the instant of the next hedge.
func (c *Call) schedule(e *Env) {
	c.until = patterns.Never
	if c.mayHedge() {
		c.lockRace()
		c.until = e.Now.Add(c.delay().Delay())
		c.unlockRace()
	}
}

// legAnswered routes the end of an attempt to its leg.
func (c *Call) legAnswered(e *Env, attempt uint32, r patterns.Result) Action {
	for _, l := range c.race.legs[:c.race.begun] {
		if l.state == attempting && l.out == attempt {
			return c.legStepped(e, l, l.Ended(e, attempt, r))
		}
	}
	return c.Returned(e, attempt)
}

// legReturned routes the return of an attempt that was given up to its leg.
func (c *Call) legReturned(e *Env, attempt uint32) Action {
	for _, l := range c.legs() {
		runs := c.state == racing && l.state != done
		if !l.owns(attempt) {
			continue
		}
		a := l.Returned(e, attempt)
		c.free(e)
		if runs {
			return c.legStepped(e, l, a)
		}
		return Action{}
	}
	return Action{}
}

// owns reports whether the function of the attempt is the call's and has not returned.
func (c *Call) owns(attempt uint32) bool {
	if c.out == attempt {
		return true
	}
	for _, a := range c.detached {
		if a == attempt {
			return true
		}
	}
	return false
}

func (c *Call) legGranted(e *Env, g Grant) Action {
	for _, l := range c.race.legs[:c.race.begun] {
		if l.state == queued && int(l.at) == g.Stage && l.frames[l.at].ticket == g.Ticket {
			return c.legStepped(e, l, l.Granted(e, g))
		}
	}
	return Action{}
}

// legTimer is the earliest instant at which a leg wants to be fired.
func (c *Call) legTimer() patterns.Instant {
	due := patterns.Never
	if c.state == racing {
		for _, l := range c.race.legs[:c.race.begun] {
			due = min(due, l.Timer())
		}
	}
	return due
}

// quitAll gives up every leg that has not ended, with the result that its stages
// hear. Their functions are left behind.
func (c *Call) quitAll(e *Env, r patterns.Result) {
	for _, l := range c.race.legs[:c.race.begun] {
		if l.state == done {
			continue
		}
		a := l.abandon(e, l.base, r)
		if l.state == lingering {
			l.goOn(e)
		}
		if a.Abandoned != 0 {
			e.GivenUp = append(e.GivenUp, a.Abandoned)
		}
		c.settleLeg(e, l, r)
	}
}

// settleLeg tells the budget how a leg ended.
func (c *Call) settleLeg(e *Env, l *Call, r patterns.Result) {
	if b, h := c.lockRace(); b != nil {
		b.Ended(e.Now, &l.frames[h].stake, r)
		b.End(e.Now, &l.frames[h].stake)
	}
	c.unlockRace()
}

// lockRace locks the hedge that the call is in. It returns its budget, nil for none,
// and its stage.
func (c *Call) lockRace() (*budget.Budget, int8) {
	h := c.depth - 1
	c.fleet.locks.lock(c.instance, h)
	s := &c.fleet.plan.stages[h]
	if s.purse < 0 {
		return nil, h
	}
	return c.fleet.budget(c.instance, s), h
}

func (c *Call) unlockRace() { c.fleet.locks.unlock(c.instance, c.depth-1) }

func (c *Call) hedging() *hedge.Settings { return c.fleet.plan.hedges[0] }

// delay is what the pipeline's hedge remembers. It is locked where it is changed.
func (c *Call) delay() *hedge.Hedge { return &c.fleet.hedges[c.instance] }
