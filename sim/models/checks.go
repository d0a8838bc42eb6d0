package models

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/health"
)

// CheckKind says what a check looks at. Each of them fails for an instance that is down
// or frozen.
type CheckKind uint8

// The kinds. ShallowCheck asks no more. PoolCheck asks the instance whether it is ready
// (package health): its workers are not all held, its queue is not full. DeepCheck also
// asks every service that the handler calls: it fails if no instance of one would answer
// within the timeout. BreakerCheck fails while a breaker of the instance is open.
const (
	ShallowCheck CheckKind = iota
	PoolCheck
	DeepCheck
	BreakerCheck
)

// CheckConfig is a health check that takes instances out of use. Instances are checked
// in turn, evenly spread over the interval.
type CheckConfig struct {
	Kind              CheckKind
	Interval, Timeout time.Duration
	// Unhealthy checks in a row take an instance out, and Healthy ones bring it back.
	Unhealthy, Healthy int
	// Readiness of a PoolCheck.
	Readiness health.Config
}

// LivenessConfig is a check that restarts instances.
type LivenessConfig struct {
	Kind              CheckKind
	Interval, Timeout time.Duration
	// Failures in a row restart an instance, which is down for Restart.
	Failures  int
	Restart   time.Duration
	Readiness health.Config
}

// host is what the checks remember of an instance.
type host struct {
	failed, passed int // in a row
	down           bool
	dead           int // liveness checks failed in a row
	ready, alive   *health.Readiness
}

// watch begins the checks of a service.
func (g *Graph) watch(s *service) error {
	b := s.balancer
	if c := b.cfg.Check; c != nil {
		if err := g.readied(s, c.Kind, c.Readiness, func(h *host) **health.Readiness { return &h.ready }); err != nil {
			return err
		}
		g.everyInstance(s, c.Interval, func(in *instance) { g.check(in) })
	}
	if c := b.cfg.Liveness; c != nil {
		if err := g.readied(s, c.Kind, c.Readiness, func(h *host) **health.Readiness { return &h.alive }); err != nil {
			return err
		}
		g.everyInstance(s, c.Interval, func(in *instance) { g.checkLife(in) })
	}
	return nil
}

// readied gives each host of a pool check its readiness.
func (g *Graph) readied(s *service, kind CheckKind, c health.Config, of func(*host) **health.Readiness) error {
	if kind != PoolCheck {
		return nil
	}
	settings, err := health.Compile(c)
	if err != nil {
		return fmt.Errorf("models: service %s: %w", s.cfg.Name, err)
	}
	for i := range s.balancer.hosts {
		r := health.NewReadiness(settings, 1)
		r.Start(0, nil)
		*of(&s.balancer.hosts[i]) = r
	}
	return nil
}

// everyInstance does something with each instance once in an interval.
func (g *Graph) everyInstance(s *service, interval time.Duration, do func(*instance)) {
	n := len(s.instances)
	for i := range s.instances {
		in := &s.instances[i]
		var again func()
		again = func() {
			g.eng.Func(g.now()+interval, again)
			do(in)
			g.settle()
		}
		g.eng.Func(time.Duration(float64(interval)*float64(i+1)/float64(n)), again)
	}
}

// check is a health check of an instance.
func (g *Graph) check(in *instance) {
	s := in.service
	b := s.balancer
	h, c := &b.hosts[in.number], b.cfg.Check
	if in.off {
		return
	}
	if g.passes(in, c.Kind, c.Timeout, h.ready) {
		h.passed, h.failed = h.passed+1, 0
	} else {
		h.failed, h.passed = h.failed+1, 0
	}
	down := h.down && h.passed < c.Healthy || !h.down && h.failed >= c.Unhealthy
	if down == h.down {
		return
	}
	h.down = down
	b.set.Mark(patterns.Instant(g.now()), int(in.number), down, b.draw(g), &b.log)
	g.tellCheck(s, down)
	g.tellSet(s)
}

// tellCheck tells of the first instance that is taken out, of the last one, and of
// their return: one by one they would fill the timeline.
func (g *Graph) tellCheck(s *service, down bool) {
	b, n := s.balancer, len(s.instances)
	if down {
		b.failing++
	} else {
		b.failing--
	}
	detail := fmt.Sprintf("%d of %d out of use", b.failing, n)
	switch {
	case down && b.failing == n:
		g.happened("balancer", s.subject(), "no instance passes its health check", detail, true)
	case down && b.failing == 1:
		g.happened("balancer", s.subject(), "an instance fails its health check", detail, true)
	case !down && b.failing == 0:
		g.happened("balancer", s.subject(), "all instances pass their health check", "", true)
	}
}

// checkLife is a liveness check of an instance. One that is down has nothing to restart.
func (g *Graph) checkLife(in *instance) {
	s := in.service
	h, c := &s.balancer.hosts[in.number], s.balancer.cfg.Liveness
	if in.off || in.down > 0 || g.passes(in, c.Kind, c.Timeout, h.alive) {
		h.dead = 0
		return
	}
	if h.dead++; h.dead >= c.Failures {
		h.dead = 0
		g.dies(in, "its liveness check failed", c.Restart)
	}
}

// passes reports whether an instance passes a check now.
func (g *Graph) passes(in *instance, kind CheckKind, timeout time.Duration, r *health.Readiness) bool {
	if in.down > 0 || in.lie < 0 {
		return false
	}
	if in.lie > 0 {
		return true
	}
	if in.frozen > 0 {
		return false
	}
	now := patterns.Instant(g.now())
	switch kind {
	case PoolCheck:
		r.Pool(now, 0, health.Load{InUse: in.running.n, Slots: in.workers, Waiting: in.waiting.n, Places: max(in.service.cfg.QueueLimit, 0)}, nil)
		return r.Ready(now, nil)
	case DeepCheck:
		return g.reaches(in, timeout)
	case BreakerCheck:
		return !g.anyOpen(in)
	}
	return true
}

// reaches reports whether each service that the handler calls has an instance that
// would answer within the timeout.
func (g *Graph) reaches(in *instance, timeout time.Duration) bool {
	o := in.service.owner
	for _, st := range o.steps {
		if st.Call >= 0 && !g.answers(g.services[st.Call], o, in.number, timeout) {
			return false
		}
	}
	return true
}

// answers estimates from the present queue and speed whether a service would answer one
// more request of an instance of the owner within the timeout.
func (g *Graph) answers(s *service, o *owner, instance int32, timeout time.Duration) bool {
	for _, response := range []bool{false, true} {
		if lost, _ := s.lost(o, instance, response); lost {
			return false
		}
	}
	for i := range s.instances {
		in := &s.instances[i]
		if in.off || in.down > 0 || in.frozen > 0 || in.errorShare >= 1 {
			continue
		}
		work := in.stretch(g.now(), time.Duration(s.level.work))
		ahead := float64(in.waiting.n) / float64(max(in.workers, 1))
		if takes := float64(work) * (1 + ahead); takes <= float64(timeout) {
			return true
		}
	}
	return false
}

// anyOpen reports whether a breaker through which the instance calls is open.
func (g *Graph) anyOpen(in *instance) bool {
	now := patterns.Instant(g.now())
	for _, p := range in.service.owner.pipes {
		if p == nil {
			continue
		}
		for k := range p.fleet.Breakers(int(p.instance(in.number))) {
			switch p.fleet.Breakers(int(p.instance(in.number)))[k].State(now) {
			case breaker.Open, breaker.ForcedOpen:
				return true
			}
		}
	}
	return false
}
