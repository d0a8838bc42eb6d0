package models

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"
)

// Fault is something that goes wrong at At for For. Share is that of the
// instances that are hit: the calling ones for a Partition, the service's own
// for the others; the first so many, throughout.
type Fault struct {
	Kind    FaultKind
	Name    string
	At, For time.Duration
	Service int // -1 for a Surge
	Fleet   int // Surge; Partition: whose callers, -1: everybody's
	Share   float64

	Times  float64       // Slow: work takes so many times as long. Surge: so many times the load
	Plus   time.Duration // Slow: and so much longer
	Part   float64       // Errors: share that fails. Capacity: share of the workers that is left
	Rate   float64       // Surge: this rate instead, if above 0
	Cuts   Cuts          // Partition
	Notice bool          // Partition: the caller is refused at once instead of hearing nothing

	// RampIn and RampOut are parts of For in which Slow, Errors, Capacity and a Surge by Times
	// come and go, in equal steps.
	RampIn, RampOut time.Duration
	Healthy         bool            // LyingCheck: what the checks say
	Breakdowns      BreakdownConfig // Breakdown
	Cache           int             // Flush

	part  float64 // of its effect that is felt now, less 1: the zero value is all of it
	again func()  // has a new part felt
}

// FaultKind names a fault.
type FaultKind uint8

// The faults. Freeze: work in service is finished, nothing new starts, the queue
// stays. Crash: queue and work are lost, refused while down.
const (
	Slow FaultKind = iota + 1
	Errors
	Capacity
	Freeze
	Crash
	Partition
	Surge
	Breakdown  // instances fail and are repaired at random
	LyingCheck // health checks say that instances that are up are healthy, or are not
	Flush      // a cache finds and keeps nothing, and is empty afterwards
)

// Cuts says which direction a partition cuts.
type Cuts uint8

// The directions.
const (
	Requests Cuts = 1 << iota
	Responses
	Both = Requests | Responses
)

// hit is the number of instances that a share of them is, rounded up. The small
// term keeps a share like 10 % of 30 from becoming 4.
func hit(share float64, instances int) int {
	return min(instances, int(math.Ceil(float64(share*float64(instances))-1e-9)))
}

// Schedule puts a fault's beginning and end on the agenda.
func (g *Graph) Schedule(f Fault) {
	fault := &f
	g.slope(fault)
	var undo func()
	g.eng.Func(f.At, func() {
		undo = g.inflict(fault)
		g.happened("fault", g.faultSubject(fault), f.Name+" begins", fault.detail(), true)
		g.settle()
	})
	g.eng.Func(f.At+f.For, func() {
		undo()
		g.happened("fault", g.faultSubject(fault), f.Name+" ends", "", true)
		g.settle()
	})
}

// inflict makes the fault felt and returns what ends it.
func (g *Graph) inflict(f *Fault) (undo func()) {
	switch f.Kind {
	case Surge:
		return g.surge(f)
	case Partition:
		s := g.services[f.Service]
		k := &cut{fleet: int32(f.Fleet), share: f.Share, refused: f.Notice,
			requests: f.Cuts&Requests != 0, responses: f.Cuts&Responses != 0}
		s.cuts = append(s.cuts, k)
		return func() { s.cuts = without(s.cuts, k) }
	case Crash:
		s := g.services[f.Service]
		down := s.instances[:hit(f.Share, len(s.instances))]
		return g.fell(down)
	case Breakdown:
		return g.startBreakdowns(f)
	case Flush:
		return g.flushed(f.Cache)
	}
	s := g.services[f.Service]
	s.faults = append(s.faults, f)
	f.again = func() { g.refit(s) }
	g.refit(s)
	return func() {
		s.faults = without(s.faults, f)
		g.refit(s)
	}
}

func (g *Graph) surge(f *Fault) (undo func()) {
	fl, s := g.fleets[f.Fleet], &surge{times: f.between(1, f.Times), rate: f.Rate}
	f.again = func() {
		s.times = f.between(1, f.Times)
		g.reshape(fl)
	}
	fl.gen.surges = append(fl.gen.surges, s)
	g.reshape(fl)
	return func() {
		fl.gen.surges = without(fl.gen.surges, s)
		g.reshape(fl)
	}
}

// fell takes instances down and returns what brings them up again.
func (g *Graph) fell(down []instance) (undo func()) {
	for i := range down {
		g.crash(&down[i])
	}
	return func() {
		for i := range down {
			g.raise(&down[i])
		}
	}
}

// refit computes the health of a service's instances from the faults that hold
// now: factors multiply, additions add up, shares that fail compose.
func (g *Graph) refit(s *service) {
	for i := range s.instances {
		in := &s.instances[i]
		in.times, in.plus, in.frozen, in.lie = 1, 0, in.stuck, 0
		good, left := 1-s.cfg.ErrorShare, 1.0
		for _, f := range s.faults {
			if i >= hit(f.Share, len(s.instances)) {
				continue
			}
			switch f.Kind {
			case Slow:
				in.times *= f.between(1, f.Times)
				in.plus += time.Duration(f.between(0, float64(f.Plus)))
			case Errors:
				good *= 1 - f.between(0, f.Part)
			case Capacity:
				left *= f.between(1, f.Part)
			case LyingCheck:
				in.lie = lieOf(f.Healthy)
			case Freeze:
				in.frozen++
			}
		}
		in.errorShare = 1 - good
		in.workers = int(math.Round(float64(left * float64(s.cfg.Workers))))
		g.resizeGuard(in)
		g.recore(in, left)
		g.pull(in)
	}
	g.recheck(s)
}

// recheck has the capacity of a service computed afresh.
func (g *Graph) recheck(s *service) {
	s.stale = true
	g.touch(s)
}

func without[T any](list []*T, one *T) []*T {
	return slices.DeleteFunc(list, func(t *T) bool { return t == one })
}

func (g *Graph) faultSubject(f *Fault) string {
	if f.Kind == Flush {
		return g.cacheSubject(f.Cache)
	}
	if f.Kind == Surge {
		return "callers." + g.fleets[f.Fleet].name
	}
	return g.services[f.Service].subject()
}

func (s *service) subject() string { return "services." + s.cfg.Name }

func (s *service) instanceDetail(in *instance) string {
	if len(s.instances) == 1 {
		return ""
	}
	return fmt.Sprintf("instance %d of %d", in.number+1, len(s.instances))
}

// detail says how bad it is; what changes nothing is left out.
func (f *Fault) detail() string {
	text := ""
	switch f.Kind {
	case Slow:
		if f.Times != 1 {
			text = "times " + shown(f.Times)
		}
		if f.Plus != 0 {
			text = joined(text, fmt.Sprintf("plus %s", f.Plus))
		}
	case Errors:
		text = fmt.Sprintf("%g %% of requests fail", percent(f.Part))
	case Capacity:
		text = fmt.Sprintf("%g %% of the workers are left", percent(f.Part))
	case Partition:
		text = [...]string{"", "requests are lost", "responses are lost", "requests and responses are lost"}[f.Cuts]
	case Breakdown:
		text = fmt.Sprintf("up %s and down %s on average", f.Breakdowns.MeanUp, f.Breakdowns.MeanDown)
	case Surge:
		if f.Rate > 0 {
			return fmt.Sprintf("%s/s, for %s", shown(f.Rate), f.For)
		}
		return fmt.Sprintf("times %s, for %s", shown(f.Times), f.For)
	}
	if f.Share < 1 {
		text = joined(text, fmt.Sprintf("%g %% of the instances", percent(f.Share)))
	}
	return joined(text, fmt.Sprintf("for %s", f.For))
}

// shown is a number for display: four decimals are enough, or four digits where it
// is small.
func shown(x float64) string {
	if math.Abs(x) < 0.01 {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	return strconv.FormatFloat(math.Round(x*1e4)/1e4, 'f', -1, 64)
}

// percent is for display: two decimals are enough.
func percent(share float64) float64 { return math.Round(share*1e4) / 100 }

func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

func (g *Graph) happened(source, subject, what, detail string, marker bool) {
	g.probe.Happened(g.now(), Happening{Source: source, Subject: subject, What: what, Detail: detail, Marker: marker})
}
