package models

import "time"

// Burst is a number of requests at one instant, and again each Every; 0: once. They are
// those of one instance after the other.
type Burst struct {
	At, Every time.Duration
	Size      int
}

// plan is arrivals at known instants.
type plan struct {
	bursts []Burst
	rounds []uint64 // of each burst so far
	times  []time.Duration
	next   int // of the times
}

func (g *Graph) startPlan(f *fleet, cfg *FleetConfig) {
	f.plan = plan{bursts: cfg.Bursts, rounds: make([]uint64, len(cfg.Bursts)), times: cfg.Times}
	for i := range f.plan.bursts {
		g.eng.At(f.plan.bursts[i].At, g.on.burst, uint64(f.index)|uint64(i)<<32)
	}
	g.record(f)
}

// burst sends the requests of a burst.
func (g *Graph) burst(f *fleet, i uint64) {
	b := &f.plan.bursts[i]
	round := f.plan.rounds[i]
	f.plan.rounds[i]++
	if b.Every > 0 {
		g.eng.At(g.now()+b.Every, g.on.burst, uint64(f.index)|i<<32)
	}
	n := f.owner.instances
	first := int(round % uint64(n) * uint64(b.Size%n) % uint64(n))
	for k := range b.Size {
		g.enter(f, g.seed.Key(drawBurst, f.key, i<<32|round, uint64(k)), int32((first+k)%n), -1)
	}
}

// record puts the next recorded arrival on the agenda.
func (g *Graph) record(f *fleet) {
	if p := &f.plan; p.next < len(p.times) {
		g.eng.At(max(p.times[p.next], g.now()), g.on.recorded, uint64(f.index))
	}
}

// recorded sends the request of a recorded arrival.
func (g *Graph) recorded(f *fleet) {
	key := g.seed.Key(drawRecorded, f.key, uint64(f.plan.next), 0)
	f.plan.next++
	g.record(f)
	s := key.Stream()
	g.enter(f, key, below(f.owner.instances, s.Uint64()), -1)
}

// company sends the requests that arrive together with one.
func (g *Graph) company(f *fleet, first uint64) {
	for k := uint64(1); k < uint64(f.gen.batch); k++ {
		key := g.seed.Key(drawBatch, f.key, first, k)
		s := key.Stream()
		g.enter(f, key, below(f.owner.instances, s.Uint64()), -1)
	}
}
