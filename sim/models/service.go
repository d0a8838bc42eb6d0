package models

import "github.com/resilsim/resilsim/patterns"

// service is instances with a queue and workers each. A worker is held while a
// handler's steps run, waiting for a downstream included.
type service struct {
	index     int
	cfg       *ServiceConfig
	owner     *owner
	instances []instance
	turn      int // round robin
	crashes   int // under load
	faults    []*Fault
	cuts      []*cut
	sheds     []*shed
	level     gauge
	stale     bool    // capacity has to be computed afresh
	warming   bool    // there will be a warmer event
	pieces    float64 // expected pieces of own work in a handler
	rules     *rules  // nil: a plain line, and workers of their own
	balancer  *balancer
	scaler    *scaler
	dead      int // messages that were given up
}

func (g *Graph) addService(cfg *ServiceConfig) error {
	o := g.addOwner(owner{name: "services." + cfg.Name, fleet: -1, service: int32(len(g.services)), instances: cfg.most(), steps: cfg.Do})
	s := &service{index: len(g.services), cfg: cfg, owner: o, instances: make([]instance, cfg.most())}
	for i := range s.instances {
		s.instances[i] = instance{service: s, number: int32(i), coldSince: -1, off: i >= cfg.Instances}
	}
	s.level.work, s.pieces = meanWork(cfg.Do)
	g.services = append(g.services, s)
	if err := g.furnish(s); err != nil {
		return err
	}
	g.refit(s)
	return nil
}

// arrived lets a task in at its service's door, or turns it away.
func (g *Graph) arrived(h handle) {
	t := g.task(h)
	if t == nil {
		return
	}
	s := g.services[g.owners[t.owner].service]
	if t.gone && s.cfg.Abandoned == Cancel {
		g.leave(h, t, WhyCancelled)
		return
	}
	in := g.choose(s, t)
	now := g.now()
	g.probe.Arrived(now, s.index)
	if in == nil {
		g.turnAway(s, h, t, WhyUnreachable)
		return
	}
	t.instance = in.number
	switch {
	case chance(drawShedAttempt, refusedShare(s.sheds), t.key, 0) && (in.down == 0 || s.cfg.Broker != nil):
		g.turnAway(s, h, t, WhyShed)
	case s.cfg.Broker != nil:
		g.stored(in, h, t)
	case in.down > 0:
		g.turnAway(s, h, t, WhyUnreachable)
	case in.room != nil:
		g.received(in, h, t)
	case in.idle() && in.waiting.n == 0:
		t.since = now
		g.start(in, h, t)
	case s.cfg.QueueLimit >= 0 && in.waiting.n >= s.cfg.QueueLimit:
		g.turnAway(s, h, t, WhyQueueFull)
	default:
		t.since, t.state = now, waiting
		g.push(&in.waiting, h.slot(), t)
		s.level.now.Queue++
		g.touch(s)
		if s.cfg.CrashAbove >= 0 && in.waiting.n > s.cfg.CrashAbove {
			g.overload(s, in)
		}
	}
}

// next chooses the instance of the next task, one after the other. One that is off is
// left out: there is always another.
func (s *service) next() *instance {
	for {
		in := &s.instances[s.turn]
		if s.turn++; s.turn == len(s.instances) {
			s.turn = 0
		}
		if !in.off {
			return in
		}
	}
}

func (g *Graph) turnAway(s *service, h handle, t *task, why Why) {
	g.probe.TurnedAway(g.now(), s.index, why)
	g.leave(h, t, why)
}

// start gives a task a worker.
func (g *Graph) start(in *instance, h handle, t *task) {
	now := g.now()
	s := in.service
	t.step = 0
	if in.room != nil {
		g.takeWorker(in, h, t)
	} else {
		t.started, t.state = now, running
		g.push(&in.running, h.slot(), t)
		s.level.now.Busy++
		g.touch(s)
	}
	g.probe.Started(now, s.index, now-t.since)
	g.proceed(h, t)
}

// pull gives idle workers what waits. A handler that ends at once pulls again:
// the loop that is under way sees to it.
func (g *Graph) pull(in *instance) {
	if in.pulling {
		return
	}
	in.pulling = true
	if in.room != nil {
		g.seatNext(in)
	}
	for in.waiting.n > 0 && in.idle() {
		slot := in.waiting.first
		if in.service.cfg.LIFO {
			slot = in.waiting.last
		}
		t := g.tasks.at(slot)
		g.remove(&in.waiting, slot, t)
		in.service.level.now.Queue--
		g.touch(in.service)
		h := handleOf(slot, t.generation)
		if t.gone && in.service.cfg.Abandoned != Keep {
			g.leave(h, t, WhyCancelled)
			continue
		}
		g.start(in, h, t)
	}
	in.pulling = false
}

// served ends a handler: its worker takes the next task, its caller hears.
func (g *Graph) served(h handle, t *task, o patterns.Outcome) {
	in := g.instanceOf(t)
	why := WhyNone
	if o != patterns.Success || chance(drawError, in.errorShare, t.key, 0) {
		why = WhyError
	}
	if why == WhyNone {
		g.carriedOut(t, in.service.index)
	}
	g.vacate(in, h, t, why != WhyNone)
	if why != WhyNone {
		g.redelivers(in, t)
	}
	g.leave(h, t, why)
	g.pull(in)
}

// vacate takes a running task off its worker.
func (g *Graph) vacate(in *instance, h handle, t *task, failed bool) {
	now := g.now()
	held := now - t.started
	if in.room != nil {
		held = g.clearOut(in, h.slot(), t)
	} else {
		g.remove(&in.running, h.slot(), t)
		in.service.level.now.Busy--
		g.touch(in.service)
	}
	g.probe.Served(now, in.service.index, held, !t.gone, failed)
}

// callerGone is the news at the service that nobody waits any more.
func (g *Graph) callerGone(h handle) {
	t := g.task(h)
	if t == nil {
		return
	}
	switch t.state {
	case waiting:
		in := g.instanceOf(t)
		g.drop(in, h, t, WhyCancelled)
		g.pull(in)
	case running, away, returning:
		in := g.instanceOf(t)
		g.stop(in, h, t, WhyCancelled, false)
		g.pull(in)
	}
}

// drop takes a waiting task out of the queue.
func (g *Graph) drop(in *instance, h handle, t *task, why Why) {
	if in.room != nil {
		g.unseat(in, h.slot(), t)
	} else {
		g.remove(&in.waiting, h.slot(), t)
		in.service.level.now.Queue--
		g.touch(in.service)
	}
	g.leave(h, t, why)
}

// stop ends a running task before its steps are done; dying when its process
// ends with it.
func (g *Graph) stop(in *instance, h handle, t *task, why Why, dying bool) {
	nested := t.nested
	t.nested = 0
	g.abandonLoad(t)
	g.foldFan(t, dying)
	g.vacate(in, h, t, true)
	if dying {
		g.redelivers(in, t)
	}
	g.leave(h, t, why)
	g.cancel(nested, dying)
}

func (g *Graph) instanceOf(t *task) *instance {
	return &g.services[g.owners[t.owner].service].instances[t.instance]
}

// meanWork is the expected time in ns that a handler works itself, and in how
// many pieces.
func meanWork(steps []Step) (ns, pieces float64) {
	for _, st := range steps {
		if st.Call < 0 {
			ns += float64(float64(st.Work.Mean()) * st.Probability)
			pieces += st.Probability
		}
	}
	return ns, pieces
}
