package models

// fleet is the door that requests come in by.
type fleet struct {
	index int
	name  string
	key   uint64 // of its name
	owner *owner
	gen   generator
	sheds []*shed // shares that operators refuse
}

func (g *Graph) addFleet(cfg *FleetConfig) {
	o := g.addOwner(owner{name: "callers." + cfg.Name, fleet: int32(len(g.fleets)), service: -1, instances: cfg.Instances, steps: cfg.Do})
	f := &fleet{index: len(g.fleets), name: cfg.Name, key: named(cfg.Name), owner: o}
	f.gen.base = newCurve(cfg.Curve)
	f.gen.curve = newCurve(cfg.Curve)
	f.gen.uniform = cfg.Uniform
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
	now := g.now()
	g.probe.RequestSent(now, f.index)
	if chance(drawShedRequest, refusedShare(f.sheds), key, 0) {
		g.probe.RequestEnded(now, f.index, Refused, WhyShed, 0)
		return
	}
	slot, t := g.newTask()
	t.key, t.owner, t.instance = key, f.owner.index, instance
	t.since, t.state = now, running
	g.proceed(handleOf(slot, t.generation), t)
}

// endRequest closes the account of a request.
func (g *Graph) endRequest(h handle, t *task, how Ending, why Why) {
	now := g.now()
	g.probe.RequestEnded(now, int(g.owners[t.owner].fleet), how, why, now-t.since)
	g.freeTask(h, t)
}
