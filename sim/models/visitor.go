package models

import (
	"time"

	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/engine"
)

// visitor is who sends a request, where that matters afterwards: a user of a closed
// loop, one with limited patience, or one who comes back.
type visitor struct {
	root     engine.Key // of the first request
	patience engine.Timer
	fleet    int32
	instance int32
	user     int32  // of a closed loop, -1: of none
	returns  uint32 // how often it came back
	again    bool   // patience has run out once at this instant
	effects  uint32 // of what it sent, for when it comes back
}

// PatienceConfig is how long a user waits for an answer before giving up.
type PatienceConfig struct {
	Time dist.Dist
	// UntilStarted: who is being served stays, however long it takes.
	UntilStarted bool
}

// RetrialConfig says that users who got no answer come back.
type RetrialConfig struct {
	After dist.Dist
	// Probability of coming back, each time.
	Probability float64
	// Limit is how often at most; 0: no limit.
	Limit int
}

// pause is between two requests of one user that would take no time at all: a user
// who is refused at once and comes back at once would stop the clock.
const pause = time.Millisecond

// enter lets the user of a new request in at the fleet's door. user is that of a
// closed loop, -1 of none.
func (g *Graph) enter(f *fleet, key engine.Key, instance, user int32) {
	if f.patience == nil && f.retrial == nil && user < 0 {
		g.request(f, 0, key, f.mark(key), instance)
		return
	}
	slot, v := g.visitors.take()
	*v = visitor{root: key, fleet: int32(f.index), instance: instance, user: user}
	g.request(f, slot+1, key, f.mark(key), instance)
}

// wait starts the patience of a request's user.
func (g *Graph) wait(f *fleet, h handle, t *task) {
	if f.patience == nil {
		return
	}
	g.stream = drawOf(t.key, drawPatience, 0).Stream()
	v := g.visitors.at(t.visitor - 1)
	v.again = false
	v.patience = g.eng.Timer(g.now()+f.patience.Time.Sample(&g.stream), g.on.patience, uint64(h))
}

// outOfPatience has the user of a request give up. An answer that is due at the same
// instant is heard first.
func (g *Graph) outOfPatience(h handle) {
	t := g.task(h)
	v := g.visitors.at(t.visitor - 1)
	if !v.again {
		v.again = true
		v.patience = g.eng.Timer(g.now(), g.on.patience, uint64(h))
		return
	}
	if g.fleets[v.fleet].patience.UntilStarted && g.attended(t) {
		return
	}
	nested := t.nested
	t.nested = 0
	g.foldFan(t, false)
	g.cancel(nested, false)
	g.endRequest(h, t, Abandoned, WhyCancelled)
}

// attended reports whether a worker has begun with the attempt that a request waits
// for, or the fleet itself works on it.
func (g *Graph) attended(t *task) bool {
	c := g.call(t.nested)
	if c == nil {
		return true
	}
	if job := g.task(c.first.job); job != nil && job.state == running {
		return true
	}
	for i := range c.more {
		if job := g.task(c.more[i].job); job != nil && job.state == running {
			return true
		}
	}
	return false
}

// afterwards is what the user of a request that has ended does next.
func (g *Graph) afterwards(f *fleet, id uint32, how Ending, took time.Duration) {
	if id == 0 {
		return
	}
	v := g.visitors.at(id - 1)
	g.eng.Cancel(v.patience)
	if f.comesBack(v, how) {
		g.stream = drawOf(v.root, drawReturnAfter, uint64(v.returns)).Stream()
		v.returns++
		g.eng.At(g.now()+atLeast(took, f.retrial.After.Sample(&g.stream)), g.on.back, uint64(id))
		return
	}
	user := v.user
	g.letGo(mark{effects: v.effects})
	g.visitors.give(id - 1)
	if user >= 0 {
		g.think(f, user, took)
	}
}

// atLeast is a wait, or a pause if neither it nor the request before it took any time.
func atLeast(took, wait time.Duration) time.Duration {
	if took == 0 && wait == 0 {
		return pause
	}
	return wait
}

func (f *fleet) comesBack(v *visitor, how Ending) bool {
	r := f.retrial
	if r == nil || how == Answered || how == Degraded || (r.Limit > 0 && int(v.returns) >= r.Limit) {
		return false
	}
	return chance(drawReturn, r.Probability, v.root, uint64(v.returns))
}

// cameBack sends the request of a user once more.
func (g *Graph) cameBack(id uint32) {
	v := g.visitors.at(id - 1)
	f := g.fleets[v.fleet]
	g.probe.CameBack(g.now(), f.index)
	g.request(f, id, drawOf(v.root, drawReturn, 1<<32|uint64(v.returns)), f.mark(v.root), v.instance)
}
