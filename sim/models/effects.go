package models

import "github.com/resilsim/resilsim/sim/engine"

// effects are what was done for one request that must not be done twice. The request, its
// calls and the tasks of these hold it together: a late execution may end when all
// who waited for it are gone.
type effects struct {
	holders int32
	first   uint32 // place+1 of a chain of done, 0: nothing was done
}

// done is how often one thing was done for a request. Which thing it is says the path of
// steps that leads to it, without the attempts.
type done struct {
	path  uint64
	times uint32
	next  uint32
}

// hold notes one more holder of what a mark names.
func (g *Graph) hold(m mark) {
	if m.effects != 0 {
		g.effects.at(m.effects-1).holders++
	}
}

// letGo forgets the effects when nobody can add to them any more.
func (g *Graph) letGo(m mark) {
	if m.effects == 0 {
		return
	}
	e := g.effects.at(m.effects - 1)
	if e.holders--; e.holders > 0 {
		return
	}
	for at := e.first; at != 0; {
		next := g.done.at(at - 1).next
		g.done.give(at - 1)
		at = next
	}
	g.effects.give(m.effects - 1)
}

// remember begins the effects of a request, held by the request itself; a user who
// comes back goes on with those of before.
func (g *Graph) remember(f *fleet, id uint32, m *mark) {
	if !g.classOf(*m).nonIdempotent {
		return
	}
	if id != 0 {
		if v := g.visitors.at(id - 1); v.effects != 0 {
			m.effects = v.effects
			g.hold(*m)
			return
		}
	}
	slot, e := g.effects.take()
	*e = effects{holders: 1}
	m.effects = slot + 1
	if f.retrial != nil {
		g.visitors.at(id - 1).effects = m.effects
		g.hold(*m)
	}
}

// carriedOut notes that a handler has done its work for a request, and tells if it was
// done before.
func (g *Graph) carriedOut(t *task, service int) {
	if t.effects == 0 {
		return
	}
	e := g.effects.at(t.effects - 1)
	for at := e.first; at != 0; {
		d := g.done.at(at - 1)
		if d.path == t.path {
			d.times++
			g.probe.Duplicated(g.now(), service)
			return
		}
		at = d.next
	}
	slot, d := g.done.take()
	*d = done{path: t.path, times: 1, next: e.first}
	e.first = slot + 1
}

// onward is the path of what is called in a step of what a path leads to.
func onward(path, step uint64) uint64 { return uint64(engine.Key(path).Child(step, 0)) }
