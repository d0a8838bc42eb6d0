package models

import (
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// attempt sends one try of the call on its way.
func (g *Graph) attempt(c *call, a pipeline.Action) {
	now := g.now()
	f := c.board()
	*f = flight{began: now, attempt: a.Attempt, open: true}
	o := g.owners[c.owner]
	if o.fleet >= 0 {
		g.probe.AttemptSent(now, int(o.fleet), a.Attempt > 1)
	} else {
		g.probe.OnwardSent(now, int(o.service), a.Attempt > 1)
	}
	g.probe.CallSent(now, int(c.service))
	g.send(c, f, o, a.Deadline)
}

// settleAttempt closes the account of an attempt under way.
func (g *Graph) settleAttempt(c *call, f *flight, how Ending, why Why, reason patterns.Reason) {
	if !f.open {
		panic("models: an attempt is settled once")
	}
	f.open = false
	now := g.now()
	if o := g.owners[c.owner]; o.fleet >= 0 {
		g.probe.AttemptEnded(now, int(o.fleet), reason, now-f.began)
	} else {
		g.probe.OnwardEnded(now, int(o.service), reason, now-f.began)
	}
	g.probe.CallEnded(now, int(c.service), how, why)
}

// heard tells the call that an attempt was answered. An answer to an attempt
// that was given up is late: the machine only learns that its function returned.
// doubt: nobody knows whether the request was carried out.
func (g *Graph) heard(c *call, attempt uint32, why Why, doubt bool) {
	f := c.flown(attempt)
	if f == nil {
		g.drive(c, c.machine.Returned(g.step(c), attempt))
		return
	}
	outcome, reason := reply(why)
	c.why = why
	g.settleAttempt(c, f, endingFor(why), why, reason)
	g.drive(c, c.machine.Ended(g.step(c), attempt, patterns.Result{Outcome: outcome, Reason: reason, Ambiguous: doubt}))
}

func (g *Graph) cutOff(h handle, attempt uint32) {
	if c := g.call(h); c != nil {
		g.heard(c, attempt, WhyUnreachable, false)
	}
}

// release lets go of what an action gave up. A cooperative function returns at
// this instant; another one goes on until its answer comes.
func (g *Graph) release(c *call, a pipeline.Action) pipeline.Action {
	lingers := a.Kind == pipeline.Linger
	if a.StepAbandoned {
		c.values++
		nested := c.nested
		c.nested = 0
		g.cancel(nested, g.dying)
		if lingers {
			return c.machine.StepEnded(g.step(c), c.run, patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Cancelled})
		}
		a.StepAbandoned = false
		return a
	}
	attempt := a.Abandoned
	a.Abandoned = 0
	returns := g.dying || !c.pipe.uncooperative
	g.abandon(c, c.flown(attempt), returns)
	if !returns {
		return a
	}
	next := c.machine.Returned(g.step(c), attempt)
	if lingers {
		return next
	}
	return a
}

// overtaken lets go of the attempts of a hedge that were given up together: another
// one was answered, or nobody waits for any of them.
func (g *Graph) overtaken(c *call, a pipeline.Action) {
	was := g.why
	if a.Kind == pipeline.Done && a.Result.Outcome == patterns.Success {
		g.why = WhyCancelled
	}
	returns := g.dying || !c.pipe.uncooperative
	for _, attempt := range g.env.GivenUp {
		g.abandon(c, c.flown(attempt), returns)
		if returns {
			c.machine.Returned(g.step(c), attempt)
		}
	}
	g.env.GivenUp = g.env.GivenUp[:0]
	g.why = was
}

// abandon settles an attempt under way as given up, and lets its task know.
func (g *Graph) abandon(c *call, f *flight, forget bool) {
	job, reason := f.job, patterns.AttemptTimeout
	if g.why == WhyCancelled {
		reason = patterns.Cancelled
	}
	g.settleAttempt(c, f, Abandoned, g.why, reason)
	t := g.task(job)
	if t == nil {
		return
	}
	s := g.services[g.owners[t.owner].service]
	if reason == patterns.AttemptTimeout {
		g.timedOut(s, t)
	}
	t.gone = true
	if forget {
		t.caller = 0
	}
	if s.cfg.Abandoned == Cancel {
		g.sendGone(c, job, t)
	}
}

// fallback starts a step of the call's ladder; at is true for a value that
// answers at once.
func (g *Graph) fallback(c *call, a pipeline.Action) (r patterns.Result, at bool) {
	c.run = a.Run
	rung := c.pipe.ladders[a.Stage][a.Step]
	if rung.Call < 0 {
		if rung.Takes == 0 {
			return patterns.Result{Outcome: patterns.Success}, true
		}
		c.values++
		// The number of the value takes the place of the generation, which no call
		// outlives while it waits for a value.
		g.eng.At(g.now()+rung.Takes, g.on.value, uint64(handleOf(c.slot, c.values)))
		return r, false
	}
	o := g.owners[c.owner]
	key := c.key.Child(uint64(a.Stage)<<32|uint64(a.Step)<<16|1, 0)
	n := g.newCall(o, c.instance, rung.Call, o.pipe(rung.Through), key)
	n.parent, n.ofTask = c.handle(), false
	g.carry(n, c.mark, uint64(a.Stage)<<32|uint64(a.Step)<<16|1)
	c.nested = n.handle()
	g.begin(n, a.Deadline)
	return r, false
}

// valueReady ends a fallback step that was a value, unless it was given up.
func (g *Graph) valueReady(h handle) {
	c := g.calls.at(h.slot())
	if c.live && c.values == h.generation() {
		g.drive(c, c.machine.StepEnded(g.step(c), c.run, patterns.Result{Outcome: patterns.Success}))
	}
}
