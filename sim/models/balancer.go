package models

import (
	"fmt"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/outlier"
	"github.com/resilsim/resilsim/sim/engine"
)

// Picking says how a balancer chooses an instance for a request.
type Picking uint8

// The rules. RandomChoices draws so many instances, with replacement, and takes the one
// with the fewest requests; LeastRequests looks at all of them (join the shortest
// queue), and takes the next in turn of those that are equal.
const (
	RoundRobin Picking = iota
	AtRandom
	LeastRequests
	RandomChoices
)

// BalancerConfig is what chooses the instances of a service. It sees every request and
// every answer, and knows how many are under way at each instance. The zero value takes
// one instance after the other, whether it is up or not.
type BalancerConfig struct {
	Picking Picking
	// Choices of RandomChoices, at least 1.
	Choices int
	// Outlier ejects instances that fail; nil: none.
	Outlier *outlier.Config
	// Panic: with less than this percentage of the instances in use, all are. The
	// balancer's own, where there is no Outlier.
	Panic patterns.Percent
	// Check takes instances out of use; nil: none.
	Check *CheckConfig
	// Liveness restarts instances; nil: none.
	Liveness *LivenessConfig
}

// balancer is the state of one.
type balancer struct {
	cfg     *BalancerConfig
	key     uint64
	set     *outlier.Set // nil: all instances are in use
	log     []outlier.Event
	load    []int32 // requests sent to an instance and not answered
	hosts   []host
	failing int  // hosts that fail their check
	ticking bool // there will be a tick of the set
}

// balance gives a service its balancer.
func (g *Graph) balance(s *service) error {
	cfg := s.cfg.Balancer
	if cfg == nil {
		return nil
	}
	n := len(s.instances)
	b := &balancer{cfg: cfg, key: named("balancer", s.cfg.Name), load: make([]int32, n), hosts: make([]host, n)}
	if cfg.Outlier != nil || cfg.Check != nil {
		settings, err := outlier.Compile(cfg.outlier())
		if err != nil {
			return fmt.Errorf("models: service %s: %w", s.cfg.Name, err)
		}
		b.set = outlier.New(settings, n)
	}
	s.balancer = b
	return g.watch(s)
}

// outlier is the set's configuration: one whose rules are off, if there is only a check.
func (c *BalancerConfig) outlier() outlier.Config {
	if c.Outlier != nil {
		return *c.Outlier
	}
	return outlier.Config{
		Interval:         patterns.Duration(c.Check.Interval),
		BaseEjectionTime: patterns.Duration(c.Check.Interval), MaxEjectionTime: patterns.Duration(c.Check.Interval),
		PanicThreshold: c.Panic,
	}
}

// choose returns the instance of a task, nil if none is in use.
func (g *Graph) choose(s *service, t *task) *instance {
	b := s.balancer
	if b == nil {
		return s.next()
	}
	var i int
	switch b.cfg.Picking {
	case AtRandom:
		i = g.anyOf(s, t, 1)
	case RandomChoices:
		i = g.anyOf(s, t, b.cfg.Choices)
	case LeastRequests:
		i = b.fewest(s, g.usable(s))
	default:
		i = s.inTurn(g.usable(s))
	}
	if i < 0 {
		return nil
	}
	b.load[i]++
	t.counted = true
	return &s.instances[i]
}

// usable returns the rule by which instances are in use now.
func (g *Graph) usable(s *service) func(i int) bool {
	set, now := s.balancer.set, patterns.Instant(g.now())
	return func(i int) bool { return !s.instances[i].off && (set == nil || set.Usable(now, i)) }
}

// inTurn is the next usable instance, -1: there is none.
func (s *service) inTurn(usable func(int) bool) int {
	for range s.instances {
		in := s.next()
		if usable(int(in.number)) {
			return int(in.number)
		}
	}
	return -1
}

// fewest is the usable instance with the fewest requests, the next in turn of equals.
func (b *balancer) fewest(s *service, usable func(int) bool) int {
	best, n := -1, len(s.instances)
	for k := range n {
		i := (s.turn + k) % n
		if usable(i) && (best < 0 || b.load[i] < b.load[best]) {
			best = i
		}
	}
	s.turn = (s.turn + 1) % n
	return best
}

// drawsMost bounds the draws of a request for one usable instance. If all of them
// hit others, the next one in turn is taken.
const drawsMost = 64

// anyOf draws usable instances and returns the one with the fewest requests, the first
// drawn of equals. The draws are keyed by the task.
func (g *Graph) anyOf(s *service, t *task, choices int) int {
	b, usable := s.balancer, g.usable(s)
	stream := drawOf(t.key, drawBalance, 0).Stream()
	best := -1
	for range choices {
		i := draw(&stream, len(s.instances), usable)
		if i < 0 {
			i = s.inTurn(usable)
		}
		if i >= 0 && (best < 0 || b.load[i] < b.load[best]) {
			best = i
		}
	}
	return best
}

func draw(stream *engine.Stream, n int, usable func(int) bool) int {
	for range drawsMost {
		if i := int(below(n, stream.Uint64())); usable(i) {
			return i
		}
	}
	return -1
}

// left notes that an instance has answered a task, or lost it.
func (g *Graph) left(s *service, t *task, why Why) {
	if !t.counted {
		return
	}
	t.counted = false
	s.balancer.load[t.instance]--
	if t.gone {
		return // its caller's end has been reported
	}
	o := patterns.Failure
	if why == WhyNone {
		o = patterns.Success
	}
	g.report(s, int(t.instance), o)
}

// timedOut tells the balancer of a task that its caller gave up for want of an answer.
func (g *Graph) timedOut(s *service, t *task) {
	if s.balancer != nil && t.counted {
		g.report(s, int(t.instance), patterns.Failure)
	}
}

func (g *Graph) report(s *service, i int, o patterns.Outcome) {
	b := s.balancer
	if b.set == nil {
		return
	}
	b.set.Report(patterns.Instant(g.now()), i, o, b.draw(g), &b.log)
	g.tellSet(s)
}

// draw is for the next step of the set that uses one.
func (b *balancer) draw(g *Graph) float64 {
	return g.seed.Key(drawEject, b.key, b.set.Draws(), 0).Unit()
}

// tellSet tells what the set has to tell and keeps its next sweep on the agenda.
func (g *Graph) tellSet(s *service) {
	b := s.balancer
	for _, e := range b.log {
		switch e.Kind {
		case outlier.HostEjected:
			g.happened("balancer", s.subject(), "ejects an instance", fmt.Sprintf("instance %d, %s", e.Host+1, e.Why), false)
		case outlier.HostReturned:
			g.happened("balancer", s.subject(), "uses an instance again", fmt.Sprintf("instance %d", e.Host+1), false)
		case outlier.PanicBegan:
			g.happened("balancer", s.subject(), "panics", "too few instances are in use: all are", true)
		case outlier.PanicEnded:
			g.happened("balancer", s.subject(), "panics no more", "", false)
		}
	}
	b.log = b.log[:0]
	if next, ok := b.set.Next(); ok && !b.ticking {
		b.ticking = true
		g.eng.Func(max(g.now(), next.Sub(0)), func() {
			b.ticking = false
			b.set.Tick(patterns.Instant(g.now()), b.draw(g), &b.log)
			g.tellSet(s)
			g.settle()
		})
	}
}
