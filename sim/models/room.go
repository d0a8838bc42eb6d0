package models

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/codel"
)

// Unlimited is the number of workers of a service that never lets anybody wait.
const Unlimited = 1<<31 - 1

// Queueing is how requests wait at a service where a plain line will not do. The zero
// value is a plain line.
type Queueing struct {
	// Random serves any of those that wait, with equal chances.
	Random bool
	// Preempt serves the highest priority first and takes workers away from lower
	// ones. Work that is interrupted goes on where it stopped.
	Preempt bool
	// Guard is the library's queue that looks at its calls: it is then the queue and
	// the workers of each instance. Its slots and its capacity are filled in.
	Guard *bulkhead.QueueConfig
	// CoDel is asked whether to drop a request when its turn comes.
	CoDel *codel.Config
	// Deadlines of callers travel with requests: Guard looks at them, and calls that
	// the handler makes have them too.
	Deadlines bool
}

// Processing is how an instance works on several requests at one time. The zero value
// gives each worker a processor of its own.
type Processing struct {
	// Cores are shared evenly by all pieces of work of an instance; 0: as many as
	// workers.
	Cores int
	// Contention and Coherence slow each of n pieces of work down by the factor
	// 1 + Contention (n-1) + Coherence n (n-1).
	Contention, Coherence float64
	// Asynchronous handlers hold no worker while they call another service.
	Asynchronous bool
	// Memory bounds the requests at an instance; nil: no bound.
	Memory *MemoryConfig
	// Admission is asked at the door, in this order; at most one of each kind.
	Admission []Admission
}

// rules are what a service does beyond a plain line and workers of their own.
type rules struct {
	key       uint64 // of its name
	random    bool
	preempt   bool
	async     bool
	processor bool // work is done by a processor
	guard     *bulkhead.Settings
	timed     bool // patience in the queue ends
	codel     *codel.Settings
	door      door
	memory    *MemoryConfig
	most      int // requests that memory has room for
	speeds
}

// room is the state of that at one instance. It is lost in a crash.
type room struct {
	guard   bulkhead.Bulkhead
	granted []bulkhead.Grant // that have not got their worker yet
	drops   []bulkhead.Drop
	codel   codel.Codel
	porter  porter
	cpu     processor
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
	r.processor = r.preempt || r.cores > 0 || r.contention > 0 || r.coherence > 0
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

// compile prepares the patterns of a service.
func (r *rules) compile(cfg *ServiceConfig) (err error) {
	if cfg.Guard != nil {
		c := *cfg.Guard
		c.MaxConcurrentCalls, c.QueueCapacity = cfg.Workers, max(cfg.QueueLimit, 0)
		r.timed = c.Order == bulkhead.AdaptiveLIFO || c.MaxWaitDuration < EndlessWait
		if r.guard, err = bulkhead.CompileQueue(c); err != nil {
			return fmt.Errorf("queue: %w", err)
		}
	}
	if cfg.CoDel != nil {
		if r.codel, err = codel.Compile(*cfg.CoDel); err != nil {
			return fmt.Errorf("queue: %w", err)
		}
	}
	return r.door.compile(cfg.Admission)
}

// EndlessWait is a guard's MaxWaitDuration for those who wait as long as it takes.
const EndlessWait = patterns.Duration(longest)

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
	if s.cfg.CrashAbove >= 0 && in.waiting.n > s.cfg.CrashAbove {
		g.overload(s, in)
	}
}

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
