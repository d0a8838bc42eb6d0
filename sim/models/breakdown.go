package models

import (
	"time"

	"github.com/resilsim/resilsim/sim/dist"
)

// BreakdownConfig is how instances break down by themselves, each independently: up and
// down times are exponential.
type BreakdownConfig struct {
	MeanUp, MeanDown time.Duration
	// Frozen: what breaks down takes no new work, but keeps its queue and ends what it
	// has begun. Else it crashes.
	Frozen bool
}

// breakdowns is a fault of that kind while it holds.
type breakdowns struct {
	fault    *Fault
	key      uint64
	up, down dist.Dist
	broken   []bool // by instance
	count    int    // so far
	over     bool
}

// startBreakdowns lets instances break down from now on and returns what ends it: those
// that are down are up again.
func (g *Graph) startBreakdowns(f *Fault) (undo func()) {
	s := g.services[f.Service]
	b := &breakdowns{fault: f, key: named(s.cfg.Name, f.Name),
		up: mustExponential(f.Breakdowns.MeanUp), down: mustExponential(f.Breakdowns.MeanDown)}
	b.broken = make([]bool, hit(f.Share, len(s.instances)))
	for i := range b.broken {
		g.breakLater(b, &s.instances[i], 0)
	}
	return func() {
		b.over = true
		for i, broken := range b.broken {
			if broken {
				g.repair(b, &s.instances[i])
			}
		}
	}
}

func mustExponential(mean time.Duration) dist.Dist {
	d, err := dist.NewExponential(mean)
	if err != nil {
		panic("models: a breakdown has times above 0: " + err.Error())
	}
	return d
}

// breakLater puts the next breakdown of an instance on the agenda, and its repair.
func (g *Graph) breakLater(b *breakdowns, in *instance, round uint64) {
	s := g.seed.Key(drawBreakdown, b.key, uint64(in.number), round).Stream()
	up, down := max(b.up.Sample(&s), 1), max(b.down.Sample(&s), 1)
	g.eng.Func(g.now()+up, func() {
		if b.over {
			return
		}
		g.breakDown(b, in, down)
		g.settle()
	})
	g.eng.Func(g.now()+up+down, func() {
		if b.over {
			return
		}
		g.repair(b, in)
		g.settle()
		g.breakLater(b, in, round+1)
	})
}

func (g *Graph) breakDown(b *breakdowns, in *instance, down time.Duration) {
	b.broken[in.number] = true
	b.count++
	detail := joined(in.service.instanceDetail(in), "for "+down.Round(time.Millisecond).String())
	g.happened("fault", in.service.subject(), in.service.cfg.Name+" breaks down", detail, b.count <= crashesMarked)
	if b.fault.Breakdowns.Frozen {
		in.stuck++
		g.refit(in.service)
		return
	}
	g.crash(in)
}

func (g *Graph) repair(b *breakdowns, in *instance) {
	b.broken[in.number] = false
	if b.fault.Breakdowns.Frozen {
		in.stuck--
		g.refit(in.service)
	} else {
		g.raise(in)
	}
	g.happened("fault", in.service.subject(), in.service.cfg.Name+" is repaired", in.service.instanceDetail(in), false)
}
