package models

import (
	"fmt"
	"math"
	"time"
)

// ScalerConfig changes the number of instances of a service as a horizontal autoscaler
// does: at each interval it wants
//
//	ceil(ready instances x utilisation of the last interval / Target)
//
// instances, unless utilisation is within Tolerance of Target, and never fewer than
// it wanted at any time in the last Stabilisation.
type ScalerConfig struct {
	Min, Max  int
	Target    float64 // utilisation of the workers, in (0,1]
	Tolerance float64 // 0.1: no change between 0.9 and 1.1 times the target
	Interval  time.Duration
	// Startup is the time from the decision to the first request of a new instance.
	Startup       time.Duration
	Stabilisation time.Duration
}

// scaler is the state of one.
type scaler struct {
	cfg    *ScalerConfig
	wanted int // instances, those that start included
	busy   int // workers held, since at
	at     time.Duration
	area   float64 // worker nanoseconds held in this interval
	recent []wish  // of the last Stabilisation
}

type wish struct {
	at time.Duration
	n  int
}

// scale gives a service its scaler. Its instances are all made; those beyond the first
// ones are off.
func (g *Graph) scale(s *service) {
	c := s.cfg.Scaler
	if c == nil {
		return
	}
	s.scaler = &scaler{cfg: c, wanted: s.cfg.Instances}
	var again func()
	again = func() {
		g.eng.Func(g.now()+c.Interval, again)
		g.rescale(s)
		g.settle()
	}
	g.eng.Func(c.Interval, again)
}

// account adds up what the workers have been held since the last change.
func (x *scaler) account(now time.Duration, busy int) {
	x.area += float64(float64(x.busy) * float64(now-x.at))
	x.at, x.busy = now, busy
}

// rescale looks at the last interval and starts or stops instances.
func (g *Graph) rescale(s *service) {
	x, now := s.scaler, g.now()
	x.account(now, s.level.now.Busy)
	ready := s.ready()
	per := float64(s.cfg.Workers) * float64(ready) * float64(x.cfg.Interval)
	utilisation := 0.0
	if per > 0 {
		utilisation = x.area / per
	}
	x.area = 0
	n := x.wanted
	if ratio := utilisation / x.cfg.Target; ready > 0 && math.Abs(ratio-1) > x.cfg.Tolerance {
		n = int(math.Ceil(float64(float64(ready)*ratio) - 1e-9))
	}
	n = x.steady(now, max(x.cfg.Min, min(n, x.cfg.Max)))
	if n == x.wanted {
		return
	}
	g.happened("autoscaler", s.subject(), fmt.Sprintf("scales to %d instances", n), fmt.Sprintf("%.0f %% utilised, %d ready", utilisation*100, ready), false)
	was := x.wanted
	x.wanted = n
	g.resizeService(s, was, n, x.cfg.Startup)
}

// steady is the most that was wanted in the last Stabilisation, if that is not more than
// there are.
func (x *scaler) steady(now time.Duration, n int) int {
	kept := x.recent[:0]
	for _, w := range x.recent {
		if now-w.at < x.cfg.Stabilisation {
			kept = append(kept, w)
		}
	}
	x.recent = append(kept, wish{now, n})
	if n >= x.wanted {
		return n
	}
	for _, w := range x.recent {
		n = max(n, w.n)
	}
	return min(n, x.wanted)
}

// ready is the number of instances that take requests.
func (s *service) ready() int {
	n := 0
	for i := range s.instances {
		if in := &s.instances[i]; !in.off && in.down == 0 {
			n++
		}
	}
	return n
}

// resizeService starts the instances from was to n, or stops those from n on: they take
// no more requests and finish what they have.
func (g *Graph) resizeService(s *service, was, n int, startup time.Duration) {
	for i := n; i < was; i++ {
		s.instances[i].off = true
	}
	g.recheck(s)
	if n <= was {
		return
	}
	g.eng.Func(g.now()+startup, func() {
		for i := was; i < n; i++ {
			// One that was stopped again before it was up stays off.
			if s.scaler != nil && i >= s.scaler.wanted {
				continue
			}
			in := &s.instances[i]
			if in.off {
				in.off = false
				in.down++
				g.raise(in)
			}
		}
		g.recheck(s)
		g.settle()
	})
}

// most is how many instances a service may come to have.
func (c *ServiceConfig) most() int {
	n := max(c.Instances, c.Most)
	if c.Scaler != nil {
		n = max(n, c.Scaler.Max)
	}
	return n
}

// scaleOut is an operator's hand: so many instances, from Startup on. An autoscaler goes
// on from there.
func (g *Graph) scaleOut(op Operator) {
	s := g.services[op.Service]
	was := 0
	for i := range s.instances {
		if !s.instances[i].off {
			was = i + 1
		}
	}
	g.happened("operator", s.subject(), op.Name, fmt.Sprintf("from %d to %d instances", was, op.Instances), true)
	if s.scaler != nil {
		was = max(was, s.scaler.wanted)
		s.scaler.wanted = max(was, op.Instances)
	}
	g.resizeService(s, was, max(was, op.Instances), op.Startup)
}
