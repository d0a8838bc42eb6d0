package world

import (
	"time"

	"github.com/resilsim/resilsim/sim/scenario"
)

// Scope describes what the curves of a fleet or a service are drawn against.
type Scope struct {
	// Name is "callers.NAME" or "services.NAME": fleets first, in the scenario's order.
	Name      string
	Instances int
	// Timeout of one attempt as the callers see it (fleets: of their first call);
	// 0: none.
	Timeout time.Duration
	// QueueLimit over all instances of a service; -1: unbounded, or a fleet.
	QueueLimit int
	// Capacity in requests per second at full health; 0 for fleets and for services
	// without work of their own.
	Capacity float64
	// Breakers is the number of breakers in the pipelines of a fleet or of a
	// service's handlers.
	Breakers int
	// Calls are the services that a fleet or a service's handler calls in its steps.
	Calls []string
	// Visits is the number of calls to a service per request, without retries and
	// fallbacks: over all fleets, each weighted with its rate at the start.
	Visits float64
}

// Scopes describes the fleets and then the services.
func (w *World) Scopes() []Scope {
	var out []Scope
	for i := range w.sc.Callers {
		out = append(out, w.fleetScope(&w.sc.Callers[i]))
	}
	visits := w.visits()
	for i := range w.sc.Services {
		s := &w.sc.Services[i]
		scope := Scope{Name: "services." + s.Name, Instances: s.Instances, QueueLimit: -1, Visits: visits[i]}
		if s.Queue.Limit >= 0 {
			scope.QueueLimit = s.Queue.Limit * s.Instances
		}
		if work := ownWork(s.Do); work > 0 {
			cfg := serviceOf(s)
			scope.Capacity = cfg.Parallel() / work
		}
		seen := map[int]bool{}
		for _, step := range s.Do {
			if step.Call >= 0 {
				scope.Calls = append(scope.Calls, w.sc.Services[step.Call].Name)
				scope.Breakers += w.breakers(step.Through, s.Instances, seen)
			}
		}
		out = append(out, scope)
	}
	return out
}

func (w *World) fleetScope(f *scenario.Fleet) Scope {
	scope := Scope{Name: "callers." + f.Name, Instances: f.Instances, QueueLimit: -1}
	first := true
	seen := map[int]bool{}
	for _, s := range f.Do {
		if s.Call < 0 {
			continue
		}
		scope.Calls = append(scope.Calls, w.sc.Services[s.Call].Name)
		if first && s.Through >= 0 {
			scope.Timeout = innermostTimeout(&w.sc.Pipelines[s.Through])
		}
		first = false
		scope.Breakers += w.breakers(s.Through, f.Instances, seen)
	}
	return scope
}

// breakers counts those of a pipeline and of the ones its fallbacks go through.
func (w *World) breakers(through, instances int, seen map[int]bool) int {
	if through < 0 || seen[through] {
		return 0
	}
	seen[through] = true
	p := &w.sc.Pipelines[through]
	if p.Shared {
		instances = 1
	}
	n, deeper := 0, 0
	for _, pol := range p.Policies {
		if pol.CircuitBreaker != nil {
			n += instances
		}
		if pol.Fallback != nil {
			for _, s := range pol.Fallback.Steps {
				if s.Call >= 0 {
					deeper += w.breakers(s.Through, instances, seen)
				}
			}
		}
	}
	return n + deeper
}

func innermostTimeout(p *scenario.Pipeline) time.Duration {
	var d time.Duration
	for _, pol := range p.Policies {
		if pol.Timeout != nil {
			d = pol.Timeout.TimeoutDuration.Std()
		}
	}
	return d
}

// ownWork is the mean work of a handler itself, in seconds.
func ownWork(do []scenario.Step) float64 {
	sum := 0.0
	for _, s := range do {
		if s.Call < 0 {
			sum += s.Work.Mean().Seconds() * s.Probability
		}
	}
	return sum
}

// visits follows the calls of one average request down the services. A graph
// with a cycle is cut at as many levels as there are services.
func (w *World) visits() []float64 {
	total := 0.0
	for i := range w.sc.Callers {
		total += w.sc.Callers[i].StartRate()
	}
	level := make([]float64, len(w.sc.Services))
	for i := range w.sc.Callers {
		f := &w.sc.Callers[i]
		weight := 1 / float64(len(w.sc.Callers))
		if total > 0 {
			weight = f.StartRate() / total
		}
		addCalls(level, f.Do, weight)
	}
	sum := make([]float64, len(level))
	for range w.sc.Services {
		next := make([]float64, len(level))
		for i, v := range level {
			sum[i] += v
			addCalls(next, w.sc.Services[i].Do, v)
		}
		level = next
	}
	return sum
}

func addCalls(to []float64, do []scenario.Step, weight float64) {
	for _, s := range do {
		if s.Call >= 0 {
			to[s.Call] += weight * s.Weight()
		}
	}
}
