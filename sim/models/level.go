package models

// gauge keeps what Level tells of a service, summed over its instances as it
// changes.
type gauge struct {
	now, told Level
	work      float64 // mean of a handler's own work in ns, without faults
	dirty     bool
	spoken    bool
}

// touch notes that a level may have changed; it is told once, when this
// instant's errands are done.
func (g *Graph) touch(s *service) {
	if s.scaler != nil {
		s.scaler.account(g.now(), s.level.now.Busy)
	}
	if !s.level.dirty {
		s.level.dirty = true
		g.dirty = append(g.dirty, s)
	}
}

// levels tells the levels that changed.
func (g *Graph) levels() {
	for _, s := range g.dirty {
		l := &s.level
		l.dirty = false
		if s.stale {
			s.stale = false
			s.measure(g)
		}
		if l.now != l.told || !l.spoken {
			l.told, l.spoken = l.now, true
			g.probe.Level(g.now(), s.index, l.now)
		}
	}
	g.dirty = g.dirty[:0]
}

// measure computes workers and capacity from the instances: the sum of
// workers x speed / mean work. A service without work of its own has none to
// tell: 0. It costs a look at every instance, so it is done when their health
// changes and a number of times while they warm up.
func (s *service) measure(g *Graph) {
	l := &s.level
	l.now.Workers, l.now.CapacityPerSecond, l.now.Cores = 0, 0, 0
	for i := range s.instances {
		in := &s.instances[i]
		if in.down > 0 || in.frozen > 0 || in.off {
			continue
		}
		if in.room != nil {
			l.now.Cores += in.room.speeds.cores
		}
		if s.cfg.Workers < Unlimited {
			l.now.Workers += in.workers
		}
		work := float64(l.work*in.times) + float64(float64(in.plus)*s.pieces)
		if work > 0 {
			l.now.CapacityPerSecond += float64(in.parallel() * in.speed(g.now()) / work * 1e9)
		}
	}
}
