package models

import (
	"time"

	"github.com/resilsim/resilsim/sim/engine"
)

// fleet is the door that requests come in by.
type fleet struct {
	index int
	name  string
	key   uint64 // of its name
	owner *owner
	gen   generator
	sheds []*shed // shares that operators refuse
	classes
}

func (g *Graph) addFleet(cfg *FleetConfig) {
	o := g.addOwner(owner{name: "callers." + cfg.Name, fleet: int32(len(g.fleets)), service: -1, instances: cfg.Instances, steps: cfg.Do})
	f := &fleet{index: len(g.fleets), name: cfg.Name, key: named(cfg.Name), owner: o}
	f.gen.base = newCurve(cfg.Curve)
	f.gen.curve = newCurve(cfg.Curve)
	f.gen.uniform = cfg.Uniform
	f.classes = g.addClasses(cfg.Classes)
	f.gen.draw(g.seed, f.key, cfg.Instances)
	g.fleets = append(g.fleets, f)
}

// schedule puts the pending arrival on the agenda.
func (g *Graph) schedule(f *fleet) {
	if at := f.gen.curve.reach(f.gen.target); at < never {
		g.eng.At(max(at, g.now()), g.on.arrival, uint64(f.index)|f.gen.shape<<32)
	}
}

// reshape applies the surges of a fleet from now on: the pending arrival keeps
// its number and its draws.
func (g *Graph) reshape(f *fleet) {
	f.gen.curve = f.gen.curve.from(g.now(), &f.gen.base, f.gen.change)
	f.gen.shape++
	g.schedule(f)
}

func (g *Graph) arrival(f *fleet) {
	key, instance := f.gen.key, f.gen.instance
	f.gen.draw(g.seed, f.key, f.owner.instances)
	g.schedule(f)
	g.request(f, key, instance)
}

// request lets one request in at the fleet's door, or turns it away.
func (g *Graph) request(f *fleet, key engine.Key, instance int32) {
	now := g.now()
	m := f.mark(key)
	g.sent(f, m)
	if chance(drawShedRequest, refusedShare(f.sheds), key, 0) {
		g.ended(f, m, Refused, WhyShed, 0)
		return
	}
	slot, t := g.newTask()
	t.key, t.owner, t.instance, t.mark = key, f.owner.index, instance, m
	t.since, t.state = now, running
	g.proceed(handleOf(slot, t.generation), t)
}

// mark draws what travels with a request.
func (f *fleet) mark(key engine.Key) mark {
	var m mark
	if len(f.classes.upper) > 0 {
		m.class = f.classes.draw(drawOf(key, drawClass, 0).Unit())
	}
	return m
}

// endRequest closes the account of a request.
func (g *Graph) endRequest(h handle, t *task, how Ending, why Why) {
	g.ended(g.fleets[g.owners[t.owner].fleet], t.mark, how, why, g.now()-t.since)
	g.freeTask(h, t)
}

// sent and ended tell the accounts of a fleet, and of its classes if it has any.
func (g *Graph) sent(f *fleet, m mark) {
	g.probe.RequestSent(g.now(), f.index)
	if m.class > 0 {
		g.probe.ClassSent(g.now(), f.index, g.classOf(m).place)
	}
}

func (g *Graph) ended(f *fleet, m mark, how Ending, why Why, took time.Duration) {
	g.probe.RequestEnded(g.now(), f.index, how, why, took)
	if m.class > 0 {
		g.probe.ClassEnded(g.now(), f.index, g.classOf(m).place, how, why, took)
	}
}
