package models

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/sim/engine"
)

// cut is a partition between callers and a service.
type cut struct {
	fleet               int32 // whose callers, -1: everybody's
	share               float64
	requests, responses bool
	refused             bool // the caller notices at once; else nobody answers
}

// hits reports whether the cut is between an instance of the owner and the
// service. The same first instances are hit throughout.
func (k *cut) hits(o *owner, instance int32) bool {
	return (k.fleet < 0 || k.fleet == o.fleet) && int(instance) < hit(k.share, o.instances)
}

// lost says what becomes of a message: whether it is lost, and whether its
// sender (of the request) notices.
func (s *service) lost(o *owner, instance int32, response bool) (lost, noticed bool) {
	for _, k := range s.cuts {
		if (response && !k.responses) || (!response && !k.requests) || !k.hits(o, instance) {
			continue
		}
		lost = true
		noticed = noticed || k.refused
	}
	return lost, noticed
}

// send makes the task of the call's attempt and puts it on the way. A link
// without latency delivers within this instant and costs no event.
func (g *Graph) send(c *call, f *flight, o *owner, deadline patterns.Instant) {
	s := g.services[c.service]
	if lost, noticed := s.lost(o, c.instance, false); lost {
		if noticed {
			g.tell(errand{kind: cutOff, who: c.handle(), ref: f.attempt})
		}
		return
	}
	key := c.key.Child(0, uint64(f.attempt))
	if chance(drawLoss, o.losses[c.service], key, there) {
		return
	}
	slot, t := g.newTask()
	h := handleOf(slot, t.generation)
	t.key, t.owner, t.instance = key, s.owner.index, 0
	t.caller, t.attempt, t.state = c.handle(), f.attempt, travelling
	t.mark = c.mark
	if s.cfg.Deadlines {
		t.deadline = deadline
	}
	g.hold(t.mark)
	f.job = h
	g.deliver(arrive, g.on.message, h, g.latency(o, t, there))
}

// sendGone tells a task's service that its caller has gone.
func (g *Graph) sendGone(c *call, h handle, t *task) {
	g.deliver(gone, g.on.gone, h, g.latency(g.owners[c.owner], t, after))
}

// leave takes a task away from its service, with its answer if somebody waits.
func (g *Graph) leave(h handle, t *task, why Why) {
	if s := g.services[g.owners[t.owner].service]; s.balancer != nil {
		g.left(s, t, why)
	}
	if t.seat != 0 {
		g.rise(t, why)
	}
	c := g.call(t.caller)
	if c == nil {
		g.freeTask(h, t)
		return
	}
	t.state, t.why, t.doubt = answering, why, doubtful(why)
	s := g.services[g.owners[t.owner].service]
	o := g.owners[c.owner]
	if chance(drawLoss, o.losses[s.index], t.key, back) {
		g.freeTask(h, t)
		return
	}
	if lost, noticed := s.lost(o, c.instance, true); lost {
		if !noticed {
			g.freeTask(h, t)
			return
		}
		t.why, t.doubt = WhyUnreachable, true
	}
	g.deliver(answer, g.on.answer, h, g.latency(o, t, back))
}

// answered brings an answer to the caller.
func (g *Graph) answered(h handle) {
	t := g.task(h)
	if t == nil {
		return
	}
	c, attempt, why, doubt := g.call(t.caller), t.attempt, t.why, t.doubt
	g.freeTask(h, t)
	if c != nil {
		g.heard(c, attempt, why, doubt)
	}
}

func (g *Graph) deliver(k errandKind, on engine.HandlerID, h handle, takes time.Duration) {
	if takes == 0 {
		g.tell(errand{kind: k, who: h})
		return
	}
	g.eng.At(g.now()+takes, on, uint64(h))
}

// latency draws the time of a message between an owner and a task's service.
func (g *Graph) latency(o *owner, t *task, direction uint64) time.Duration {
	s := g.owners[t.owner].service
	law := o.links[s]
	if law == nil {
		return 0
	}
	g.stream = drawOf(t.key, drawLink, direction).Stream()
	return law.Sample(&g.stream)
}
