package models

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// displace makes room in the full queue of a service that interrupts, as the library's
// priority queue does: the newest of the lowest level leaves, if that is below the given
// one.
func (g *Graph) displace(in *instance, level uint8) bool {
	if !in.service.rules.preempt || in.waiting.n == 0 {
		return false
	}
	slot := in.waiting.last
	t := g.tasks.at(slot)
	st := g.seatOf(t)
	if st.level >= level {
		return false
	}
	if !st.broken {
		g.probe.TurnedAway(g.now(), in.service.index, WhyShed)
	}
	g.drop(in, handleOf(slot, t.generation), t, WhyShed)
	return true
}

// lineUp has a task wait.
func (g *Graph) lineUp(in *instance, h handle, t *task) {
	s, r := in.service, in.room
	t.state = waiting
	if s.rules.preempt {
		st := g.seatOf(t)
		g.rank(&in.waiting, &r.waits, h.slot(), t, st.level, st.broken)
	} else {
		g.push(&in.waiting, h.slot(), t)
	}
	if s.rules.random {
		g.seatOf(t).place = int32(len(r.bag))
		r.bag = append(r.bag, h.slot())
	}
	s.level.now.Queue++
	g.touch(s)
}

// unline takes a waiting task out of the queue of its instance.
func (g *Graph) unline(in *instance, slot uint32, t *task) {
	r, st := in.room, g.seatOf(t)
	if in.service.rules.preempt {
		r.waits.leaves(slot, t, st.level)
	}
	if st.place != nobody {
		last := r.bag[len(r.bag)-1]
		r.bag[st.place] = last
		g.seatOf(g.tasks.at(last)).place = st.place
		r.bag = r.bag[:len(r.bag)-1]
		st.place = nobody
	}
	g.eng.Cancel(st.expiry)
	g.remove(&in.waiting, slot, t)
	in.service.level.now.Queue--
	g.touch(in.service)
}

// next is whose turn it is among those that wait.
func (g *Graph) next(in *instance) uint32 {
	switch r := in.room; {
	case in.service.rules.random:
		r.picks++
		key := g.seed.Key(drawPick, in.service.rules.key, uint64(in.number), r.picks)
		s := key.Stream()
		return r.bag[below(len(r.bag), s.Uint64())]
	case in.service.cfg.LIFO:
		return in.waiting.last
	}
	return in.waiting.first
}

// seatNext gives idle workers of an instance with a room what waits.
func (g *Graph) seatNext(in *instance) {
	r := in.room
	for in.idle() {
		switch {
		case in.service.rules.guard != nil:
			if !g.takeGrant(in) {
				return
			}
		case r.ready.n > 0:
			slot := r.ready.first
			t := g.tasks.at(slot)
			g.goOn(in, handleOf(slot, t.generation), t)
		case in.waiting.n > 0:
			slot := g.next(in)
			t := g.tasks.at(slot)
			g.unline(in, slot, t)
			g.serve(in, handleOf(slot, t.generation), t)
		default:
			return
		}
	}
}

// serve gives a task a worker that has waited for one, unless it is too late for that.
func (g *Graph) serve(in *instance, h handle, t *task) {
	switch {
	case t.gone && in.service.cfg.Abandoned != Keep:
		g.giveUpSlot(in, t)
		g.leave(h, t, WhyCancelled)
	case g.seatOf(t).broken:
		g.resume(in, h, t)
	case g.judge(in, g.now()-t.since):
		g.giveUpSlot(in, t)
		g.turnAway(in.service, h, t, WhyShed)
	default:
		g.start(in, h, t)
	}
}

// judge asks CoDel about a task whose turn it is; true: it is to be dropped.
func (g *Graph) judge(in *instance, waited time.Duration) (drop bool) {
	if in.service.rules.codel == nil {
		return false
	}
	now := patterns.Instant(g.now())
	drop = in.room.codel.Dequeue(now, waited)
	if in.waiting.n == 0 {
		in.room.codel.Empty(now)
	}
	return drop
}
