package models

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/sim/engine"
)

// task does the steps of an owner, one after the other: a fleet's request, or
// the work of a service for one attempt of a caller.
type task struct {
	key        engine.Key
	since      time.Duration    // request: sent; else: came to the door
	started    time.Duration    // a worker took it
	caller     handle           // call that waits for the answer, 0: none
	nested     handle           // call that the present step makes
	deadline   patterns.Instant // of its caller, where the service looks at it, 0: none
	attempt    uint32           // of the caller
	visitor    uint32           // request: place+1 of its visitor, 0: none
	seat       uint32           // place+1 of its seat, 0: none
	fan        uint32           // place+1 of the calls that the present step makes, 0: it makes one
	generation uint32
	owner      int32
	instance   int32
	next, prev int32 // neighbours in the list of its instance
	step       int32
	deliveries uint16 // of a message that failed
	loads      loading
	state      taskState
	gone       bool // its caller gave it up
	degraded   bool // a step was answered by a fallback
	counted    bool // its service's balancer knows that it is at an instance
	doubt      bool // answering: its caller does not learn whether it was done
	reason     patterns.Reason
	why        Why
	mark       // of the request that it is, or is done for
}

type taskState uint8

const (
	free taskState = iota
	travelling
	waiting
	running
	answering
	away      // its handler waits for a call and holds no worker
	returning // that call is answered, and it waits for a worker
)

func (g *Graph) newTask() (uint32, *task) {
	slot, t := g.tasks.take()
	*t = task{generation: t.generation + 1, next: nobody, prev: nobody}
	return slot, t
}

func (g *Graph) freeTask(h handle, t *task) {
	if t.state == free || t.generation != h.generation() {
		panic("models: a task ends once")
	}
	t.state = free
	g.letGo(t.mark)
	g.tasks.give(h.slot())
}

// task returns the record that a handle names, nil if that task has ended.
func (g *Graph) task(h handle) *task {
	if h == 0 {
		return nil
	}
	t := g.tasks.at(h.slot())
	if t.generation != h.generation() || t.state == free {
		return nil
	}
	return t
}

// proceed does the task's steps until one takes time or asks somebody.
func (g *Graph) proceed(h handle, t *task) {
	o := g.owners[t.owner]
	for int(t.step) < len(o.steps) {
		st := &o.steps[t.step]
		if n := group(o.steps[t.step:]); n > 0 {
			if g.fanOut(o, h, t, o.steps[t.step:int(t.step)+n]) {
				return
			}
			t.step += int32(n)
			continue
		}
		if st.Probability < 1 && !chance(drawStep, st.Probability, t.key, uint64(t.step)) {
			t.step++
			continue
		}
		if st.Call < 0 {
			g.work(o, h, t, g.workTime(o, t, st))
			return
		}
		if st.Cache > 0 {
			switch g.lookUp(o, h, t, st) {
			case busy:
				return
			case hits:
				t.step++
				continue
			}
		}
		c := g.newCall(o, t.instance, st.Call, o.pipe(st.Through), t.key.Child(uint64(t.step), 0))
		c.parent, c.ofTask = h, true
		g.carry(c, t.mark, uint64(t.step))
		t.nested = c.handle()
		g.begin(c, t.due())
		if o.async {
			g.stepAside(h, t)
		}
		return
	}
	g.complete(h, t, patterns.Success, WhyNone)
}

// workTime draws how long the task's present step takes.
func (g *Graph) workTime(o *owner, t *task, st *Step) time.Duration {
	g.stream = drawOf(t.key, drawWork, uint64(t.step)).Stream()
	d := st.Work.Sample(&g.stream)
	if o.service < 0 {
		return d
	}
	return g.services[o.service].instances[t.instance].stretch(g.now(), d)
}

// worked ends a piece of work. A task that was stopped in the middle of it may
// still be on its way back to the caller.
func (g *Graph) worked(h handle) {
	t := g.task(h)
	if t == nil || t.state != running {
		return
	}
	t.step++
	g.proceed(h, t)
}

// called ends a step that was a call, whose last attempt began then.
func (g *Graph) called(h handle, r patterns.Result, why Why, began time.Duration) {
	t := g.task(h)
	if t == nil || (t.state != running && t.state != away) {
		return
	}
	if t.fan != 0 {
		g.fanned(h, t, r, why)
		return
	}
	t.nested = 0
	g.loaded(t, r, why, began)
	g.stepCalled(h, t, r, why)
}

// stepCalled ends a step that was a call, the task's own or one that it waited for.
func (g *Graph) stepCalled(h handle, t *task, r patterns.Result, why Why) {
	if r.Outcome != patterns.Success {
		t.reason = r.Reason
		g.complete(h, t, patterns.Failure, why)
		return
	}
	t.degraded = t.degraded || r.Degraded
	t.step++
	if t.state == away {
		g.comeBack(h, t)
		return
	}
	g.proceed(h, t)
}

// complete ends a task whose steps are done, or one of which failed.
func (g *Graph) complete(h handle, t *task, o patterns.Outcome, why Why) {
	own := g.owners[t.owner]
	if own.service >= 0 {
		g.served(h, t, o)
		return
	}
	switch {
	case o != patterns.Success:
		g.endRequest(h, t, endingOf(t.reason, why), why)
	case t.degraded:
		g.endRequest(h, t, Degraded, WhyNone)
	default:
		g.endRequest(h, t, Answered, WhyNone)
	}
}

// due is the deadline of what a task's handler calls.
func (t *task) due() patterns.Instant {
	if t.deadline == 0 {
		return patterns.Never
	}
	return t.deadline
}
