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
	keys     keys
	patience *PatienceConfig
	retrial  *RetrialConfig
	loop     *loop // nil: nobody thinks
	plan     plan
}

func (g *Graph) addFleet(cfg *FleetConfig) {
	o := g.addOwner(owner{name: "callers." + cfg.Name, fleet: int32(len(g.fleets)), service: -1, instances: cfg.Instances, steps: cfg.Do})
	f := &fleet{index: len(g.fleets), name: cfg.Name, key: named(cfg.Name), owner: o}
	f.gen.base = newCurve(cfg.Curve)
	f.gen.curve = newCurve(cfg.Curve)
	f.gen.uniform = cfg.Uniform
	f.classes, f.keys = g.addClasses(cfg.Classes), newKeys(cfg.Keys)
	f.patience, f.retrial, f.gen.batch = cfg.Patience, cfg.Retrial, cfg.Batch
	if cfg.Centred {
		f.gen.target = -0.5
	}
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
	n, key, instance := f.gen.n, f.gen.key, f.gen.instance
	f.gen.draw(g.seed, f.key, f.owner.instances)
	g.schedule(f)
	g.enter(f, key, instance, -1)
	g.company(f, n)
}

// request lets one request in at the fleet's door, or turns it away. visitor is
// place+1 of who sends it, 0 where that does not matter.
func (g *Graph) request(f *fleet, visitor uint32, key engine.Key, m mark, instance int32) {
	now := g.now()
	g.sent(f, m)
	if chance(drawShedRequest, refusedShare(f.sheds), key, 0) {
		g.ended(f, m, Refused, WhyShed, 0)
		g.afterwards(f, visitor, Refused, 0)
		return
	}
	g.remember(f, visitor, &m)
	slot, t := g.newTask()
	t.key, t.owner, t.instance, t.mark, t.visitor = key, f.owner.index, instance, m, visitor
	t.since, t.state = now, running
	h := handleOf(slot, t.generation)
	g.wait(f, h, t)
	g.proceed(h, t)
}

// mark draws what travels with a request.
func (f *fleet) mark(key engine.Key) mark {
	var m mark
	if len(f.classes.upper) > 0 {
		m.class = f.classes.draw(drawOf(key, drawClass, 0).Unit())
	}
	if f.keys.Count > 0 {
		s := drawOf(key, drawKey, 0).Stream()
		m.item = f.keys.draw(&s)
	}
	return m
}

// endRequest closes the account of a request.
func (g *Graph) endRequest(h handle, t *task, how Ending, why Why) {
	f, visitor, took := g.fleets[g.owners[t.owner].fleet], t.visitor, g.now()-t.since
	g.ended(f, t.mark, how, why, took)
	g.freeTask(h, t)
	g.afterwards(f, visitor, how, took)
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
