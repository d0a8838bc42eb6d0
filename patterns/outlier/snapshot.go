package outlier

import "github.com/resilsim/resilsim/patterns"

// Snapshot is what a set shows.
type Snapshot struct {
	// Hosts of the set; Ejected of them, and Down by the word of health checks.
	Hosts, Ejected, Down int
	Panicking            bool
	// Mean success rate and the Threshold below which hosts were outliers at the last
	// interval, in percent; -1: too few hosts had enough calls.
	Mean, Threshold float64
	// Ejections in all; Detections that were not enforced; Spared because as many
	// as may be were ejected; Late results of ejected hosts.
	Ejections, Detections, Spared, Late int64
}

// Snapshot returns the state at the given instant. It changes nothing.
func (s *Set) Snapshot(now patterns.Instant) Snapshot {
	v := Snapshot{
		Hosts: s.present, Panicking: s.Panicking(now), Mean: s.mean, Threshold: s.threshold,
		Ejections: s.ejections, Detections: s.detections, Spared: s.spared, Late: s.late,
	}
	for i := range s.hosts {
		if s.Ejected(now, i) {
			v.Ejected++
		}
		if s.hosts[i].down {
			v.Down++
		}
	}
	return v
}

// HostSnapshot is what a host shows.
type HostSnapshot struct {
	Ejected, Down, Usable bool
	// Times is the number of ejections in a row, less the good intervals since.
	Times int
	// Returns is the instant of the interval at which an ejected host comes back.
	Returns patterns.Instant
	// FailuresInRow, Calls and Failed are those of the running interval, but for a
	// row, which goes on.
	FailuresInRow, Calls, Failed int64
	// SuccessRate of the last interval in percent; -1: no calls.
	SuccessRate float64
	// Ejections of the host in all.
	Ejections int64
}

// Host returns the state of a host at the given instant; false if it is not in
// the set. It changes nothing.
func (s *Set) Host(now patterns.Instant, i int) (v HostSnapshot, ok bool) {
	if !s.has(i) {
		return v, false
	}
	h := &s.hosts[i]
	v = HostSnapshot{
		Ejected: s.Ejected(now, i), Down: h.down, Usable: s.Usable(now, i), Times: int(h.times),
		FailuresInRow: int64(h.inRow), Calls: h.total, Failed: h.failed,
		SuccessRate: h.rate, Ejections: h.ejections,
	}
	if v.Ejected {
		v.Returns = h.back
	}
	return v, true
}
