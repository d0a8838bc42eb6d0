package models

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/codel"
)

// room is the state of that at one instance. It is lost in a crash.
type room struct {
	guard   bulkhead.Bulkhead
	granted []bulkhead.Grant // that have not got their worker yet
	drops   []bulkhead.Drop
	codel   codel.Codel
	porter  porter
	cpu     processor
	active  int      // cores of it
	speeds  *speeds  // of its cores; those of the rules while all are left
	bag     []uint32 // tasks that wait, in no order
	picks   uint64   // from the bag so far
	waits   ranks
	works   ranks
	ready   list // have been away and want a worker again
	away    list // call another service and hold no worker
}

// furnish gives a service its rules and its instances their rooms, if it needs any.
func (g *Graph) furnish(s *service) error {
	cfg := s.cfg
	r := &rules{key: named(cfg.Name), random: cfg.Random, preempt: cfg.Preempt, async: cfg.Asynchronous, memory: cfg.Memory,
		speeds: speeds{cores: cfg.Cores, contention: cfg.Contention, coherence: cfg.Coherence}}
	r.processor = r.preempt || r.cores > 0 || r.contention > 0 || r.coherence > 0 || (r.memory != nil && r.memory.Collector > 0)
	if r.memory != nil {
		r.most = r.memory.room()
	}
	if err := r.compile(cfg); err != nil {
		return fmt.Errorf("models: service %s: %w", cfg.Name, err)
	}
	plain := !r.random && !r.async && !r.processor && r.guard == nil && r.codel == nil && r.memory == nil && len(cfg.Admission) == 0
	if plain {
		return nil
	}
	s.rules, s.owner.async, s.owner.processor = r, r.async, r.processor
	for i := range s.instances {
		in := &s.instances[i]
		in.room = &room{speeds: &r.speeds}
		g.refurnish(in)
	}
	return nil
}

// refurnish makes the room of an instance anew, as a process has it that starts. What
// was in it has left.
func (g *Graph) refurnish(in *instance) {
	s, r := in.service, in.room
	if s.rules.guard != nil {
		r.guard = bulkhead.New(s.rules.guard)
		r.guard.Resize(patterns.Instant(g.now()), max(in.workers, 1), nil)
		r.granted = r.granted[:0]
	}
	if s.rules.codel != nil {
		r.codel = codel.New(s.rules.codel)
	}
	r.porter = s.rules.door.porter()
}

// received lets a task in at an instance with a room.
func (g *Graph) received(in *instance, h handle, t *task) {
	s, r, now := in.service, in.room, g.now()
	st := g.sit(t)
	if why := g.admit(in, t, st); why != WhyNone {
		g.turnAway(s, h, t, why)
		return
	}
	t.since = now
	switch {
	case s.rules.memory != nil && in.load() >= s.rules.most:
		g.turnAway(s, h, t, WhyCrashed)
		g.outOfMemory(in)
	case s.rules.guard != nil:
		g.ask(in, h, t, st)
	case in.idle() && in.waiting.n == 0 && r.ready.n == 0:
		g.judge(in, 0)
		g.start(in, h, t)
	case s.rules.preempt && g.interrupt(in, st.level):
		g.start(in, h, t)
	case s.cfg.QueueLimit >= 0 && in.waiting.n >= s.cfg.QueueLimit && !g.displace(in, st.level):
		g.turnAway(s, h, t, WhyQueueFull)
	default:
		g.lineUp(in, h, t)
	}
	g.burdened(in)
	if s.cfg.CrashAbove >= 0 && in.waiting.n > s.cfg.CrashAbove {
		g.overload(s, in)
	}
}

// clearOut takes a task that was begun out of its instance, and returns how long it
// held workers.
func (g *Graph) clearOut(in *instance, slot uint32, t *task) (held time.Duration) {
	switch t.state {
	case away:
		g.remove(&in.room.away, slot, t)
		held = g.seatOf(t).held
	case returning:
		g.noLongerReady(in, slot, t)
		held = g.seatOf(t).held
	default:
		g.rest(in, t)
		held = g.standUp(in, slot, t)
	}
	g.giveUpSlot(in, t)
	return held
}

// unseat takes a waiting task out of its instance. One that was begun and interrupted
// has held a worker.
func (g *Graph) unseat(in *instance, slot uint32, t *task) {
	g.unline(in, slot, t)
	g.giveUpSlot(in, t)
	if st := g.seatOf(t); st.broken {
		g.probe.Served(g.now(), in.service.index, st.held, !t.gone, true)
	}
}

// clearRoom loses what a crash has left in a room.
func (g *Graph) clearRoom(in *instance) {
	for _, l := range []*list{&in.room.ready, &in.room.away} {
		for l.n > 0 {
			slot := l.first
			t := g.tasks.at(slot)
			g.stop(in, handleOf(slot, t.generation), t, WhyCrashed, true)
		}
	}
	g.refurnish(in)
}

// parallel is how many pieces of work an instance does in the time of one.
func (in *instance) parallel() float64 {
	workers := in.workers
	if in.service.cfg.Workers >= Unlimited {
		workers = Unlimited
	}
	switch {
	case in.room != nil:
		return in.room.speeds.parallel(workers)
	case workers == Unlimited:
		return 0
	}
	return float64(workers)
}
