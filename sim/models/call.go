package models

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/sim/engine"
)

// call drives one pipeline.Call through virtual time: what the machine asks for
// goes on the agenda or to a service, and what comes of it is told to the
// machine. The record decides nothing.
type call struct {
	machine   pipeline.Call
	result    patterns.Result // once it is done
	key       engine.Key
	pipe      *pipe
	timer     engine.Timer
	armed     patterns.Instant // what the timer is set to
	first     flight           // the attempt under way
	more      []flight         // others, of a call that hedges
	refreshes *cache           // that it fills in the background
	item      uint32           // the key of that
	parent    handle           // 0: nobody waits for the end
	nested    handle           // call of the fallback step under way
	slot      uint32
	use       uint32 // generation
	run       uint32 // of a fallback step, under way
	values    uint32 // fallback values awaited so far, so that a dropped one is not heard
	owner     int32
	instance  int32
	service   int32
	ofTask    bool // the parent is a task, else a call whose fallback step this is
	live      bool
	again     bool // the timer has fired once at this instant
	settled   bool // the machine is done
	why       Why  // what the last answer said
	mark           // of the request that it is made for
}

func (c *call) handle() handle { return handleOf(c.slot, c.use) }

// call returns the record that a handle names, nil if that call is over.
func (g *Graph) call(h handle) *call {
	if h == 0 {
		return nil
	}
	c := g.calls.at(h.slot())
	if !c.live || c.use != h.generation() {
		return nil
	}
	return c
}

func (g *Graph) newCall(o *owner, instance int32, service int, p *pipe, key engine.Key) *call {
	slot, c := g.calls.take()
	c.slot, c.use = slot, c.use+1
	c.key, c.pipe, c.owner, c.instance, c.service = key, p, o.index, instance, int32(service)
	c.armed, c.nested = patterns.Never, 0
	c.live, c.again, c.settled, c.why = true, false, false, WhyNone
	return c
}

// over frees the record when the call is done and all its functions returned.
func (g *Graph) over(c *call) {
	if !c.settled || c.machine.Outstanding() > 0 || c.parent != 0 {
		return
	}
	if c.aloft() > 0 {
		panic("models: an attempt is settled before its call is over")
	}
	c.live = false
	g.letGo(c.mark)
	g.calls.give(c.slot)
}

// step lends the environment to a step of the call's machine.
func (g *Graph) step(c *call) *pipeline.Env {
	g.env.Now = patterns.Instant(g.now())
	g.stepping = c
	return &g.env
}

func (g *Graph) begin(c *call, deadline patterns.Instant) {
	a := c.machine.Begin(g.step(c), c.pipe.fleet, int(c.pipe.instance(c.instance)), uint64(c.handle()), deadline)
	g.drive(c, a)
}

// drive does what the machine asks for, until it waits.
func (g *Graph) drive(c *call, a pipeline.Action) {
	for {
		if len(g.env.GivenUp) > 0 {
			g.overtaken(c, a)
		}
		g.hear(c)
		if a.Abandoned != 0 || a.StepAbandoned {
			a = g.release(c, a)
			continue
		}
		switch a.Kind {
		case pipeline.Attempt:
			g.attempt(c, a)
		case pipeline.Step:
			if r, at := g.fallback(c, a); at {
				a = c.machine.StepEnded(g.step(c), a.Run, r)
				continue
			}
		case pipeline.Done:
			c.settled, c.result = true, a.Result
			g.tell(errand{kind: ended, who: c.handle()})
		}
		g.arm(c)
		if c.settled {
			g.over(c)
		}
		return
	}
}

// hear passes on what the patterns have to tell.
func (g *Graph) hear(c *call) {
	if len(g.env.Events) > 0 {
		for _, e := range g.env.Events {
			g.breakerChanged(g.owners[c.owner], int(c.pipe.instance(c.instance)), e.Event)
		}
		g.env.Events = g.env.Events[:0]
	}
	if len(g.env.Grants) > 0 {
		for _, gr := range g.env.Grants {
			g.tell(errand{kind: granted, who: handle(gr.Owner), ref: uint32(len(g.grants))})
			g.grants = append(g.grants, gr)
		}
		g.env.Grants = g.env.Grants[:0]
	}
}

func (g *Graph) breakerChanged(o *owner, instance int, e breaker.Event) {
	if o.fleet >= 0 {
		g.probe.BreakerChanged(g.now(), int(o.fleet), instance, e)
	} else {
		g.probe.OnwardBreaker(g.now(), int(o.service), instance, e)
	}
}

func (g *Graph) slotGranted(grant pipeline.Grant) {
	if c := g.call(handle(grant.Owner)); c != nil {
		g.drive(c, c.machine.Granted(g.step(c), grant))
	}
}

// arm keeps the one timer at the instant that the machine waits for.
func (g *Graph) arm(c *call) {
	due := c.machine.Timer()
	if due == c.armed {
		return
	}
	g.eng.Cancel(c.timer)
	c.armed, c.again = due, false
	if due != patterns.Never {
		c.timer = g.eng.Timer(max(time.Duration(due), g.now()), g.on.timer, uint64(c.slot))
	}
}

// timerFired goes to the end of this instant's queue once before the machine is
// told: an answer, a slot or a cancel that is due at the same instant is heard
// first.
func (g *Graph) timerFired(c *call) {
	if !c.again {
		c.again = true
		c.timer = g.eng.Timer(g.now(), g.on.timer, uint64(c.slot))
		return
	}
	c.armed, c.again = patterns.Never, false
	g.drive(c, c.machine.Fire(g.step(c)))
}

// cancel gives the call up; nobody waits for it any more.
func (g *Graph) cancel(h handle, dying bool) {
	c := g.call(h)
	if c == nil {
		return
	}
	why, was := g.why, g.dying
	g.why, g.dying = WhyCancelled, dying
	c.parent = 0
	g.drive(c, c.machine.Cancel(g.step(c)))
	g.why, g.dying = why, was
}

// callEnded tells the parent how the call ended.
func (g *Graph) callEnded(h handle) {
	c := g.call(h)
	if c == nil {
		return
	}
	parent, r, why, began := c.parent, c.result, whyOf(c.result.Reason, c.why), c.first.began
	cache, key := c.refreshes, c.item
	c.parent, c.refreshes = 0, nil
	ofTask := c.ofTask
	g.over(c)
	if ofTask {
		g.called(parent, r, why, began)
		return
	}
	if cache != nil {
		g.refreshed(cache, key, r, why)
		return
	}
	p := g.call(parent)
	if p == nil || p.nested != h {
		return
	}
	p.nested = 0
	g.drive(p, p.machine.StepEnded(g.step(p), p.run, r))
}
