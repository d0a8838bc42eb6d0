package experiment

import (
	"sort"
	"time"

	"github.com/resilsim/resilsim/sim/result"
	"github.com/resilsim/resilsim/sim/scenario"
	"github.com/resilsim/resilsim/sim/stats"
)

// evidence is what a run has shown so far, and what follows from it.
type evidence struct {
	series   result.Series
	endS     float64
	accounts []result.Account
	crashes  uint64
	fleets   []string
	services []string
	// pooledMS is a quantile over the calls of a fleet, see record.QuantileMS.
	pooledMS func(fleet int, share float64, from, to int) float64
	outcome  stats.Outcome
}

func newEvidence(sc *scenario.Scenario, p *pass) *evidence {
	e := &evidence{
		series: p.rec.Series(), endS: p.end.Seconds(), accounts: p.rec.Accounts(),
		crashes: p.rec.Crashes(), pooledMS: p.rec.QuantileMS,
	}
	for i := range sc.Callers {
		e.fleets = append(e.fleets, string(result.Callers)+"."+sc.Callers[i].Name)
	}
	for i := range sc.Services {
		e.services = append(e.services, string(result.Services)+"."+sc.Services[i].Name)
	}
	e.outcome = stats.Judge(e.theCase(sc, p))
	return e
}

// theCase judges the first fleet.
func (e *evidence) theCase(sc *scenario.Scenario, p *pass) stats.Case {
	c := stats.Case{
		StartS: e.series.StartS, EndS: e.endS, WastedShare: e.wastedShare(),
		RecoveryShare: sc.Recovery.Share, RecoveryForS: sc.Recovery.For.Seconds(),
	}
	if len(e.fleets) > 0 {
		c.Scope = e.fleets[0]
		c.Offered, c.Goodput = e.series.Column(c.Scope, "offered"), e.series.Column(c.Scope, "goodput")
		c.Attempts, c.InFlight = e.series.Column(c.Scope, "attempts"), e.series.Column(c.Scope, "in_flight")
		c.Capacities = capacities(sc, p, e)
	}
	if !p.bare {
		c.Faults, c.Actions = faults(sc), actions(sc)
	}
	return c
}

func (e *evidence) wastedShare() float64 {
	work, wasted := 0.0, 0.0
	for _, a := range e.accounts {
		work += a.WorkS
		wasted += a.WastedS
	}
	if work == 0 {
		return 0
	}
	return wasted / work
}

func span(name string, at, long time.Duration) stats.Span {
	return stats.Span{Name: name, FromS: at.Seconds(), ToS: (at + long).Seconds()}
}

func faults(sc *scenario.Scenario) []stats.Span {
	var out []stats.Span
	for i := range sc.Faults {
		f := &sc.Faults[i]
		one := span(f.Name, f.At, f.For)
		one.Noun = noun(sc, f)
		out = append(out, one)
	}
	return ordered(out)
}

// noun is what a sentence calls a fault to which nobody gave a name; "" where
// somebody did.
func noun(sc *scenario.Scenario, f *scenario.Fault) string {
	if f.Name != string(f.Kind) {
		return ""
	}
	at := ""
	switch {
	case f.Service >= 0 && f.Service < len(sc.Services):
		at = sc.Services[f.Service].Name
	case f.Fleet >= 0 && f.Fleet < len(sc.Callers):
		at = sc.Callers[f.Fleet].Name
	}
	if at == "" {
		return ""
	}
	switch f.Kind {
	case scenario.Latency:
		return "added latency on " + at
	case scenario.Errors:
		return "errors from " + at
	case scenario.Capacity:
		return "reduced capacity at " + at
	case scenario.Freeze:
		return "standstill at " + at
	case scenario.CrashDown:
		return "downtime at " + at
	case scenario.RandomDown:
		return "breakdowns of " + at
	case scenario.Surge:
		return "surge from " + at
	}
	switch f.Loses {
	case scenario.Requests:
		return "lost requests to " + at
	case scenario.Responses:
		return "lost responses from " + at
	}
	return "partition from " + at
}

// actions last for their downtime or for as long as they hold, ramp included.
func actions(sc *scenario.Scenario) []stats.Span {
	var out []stats.Span
	for i := range sc.Operators {
		o := &sc.Operators[i]
		long := o.For + o.Ramp
		if o.Kind == scenario.RestartService {
			long = o.Downtime
		}
		out = append(out, span(o.Name, o.At, long))
	}
	return ordered(out)
}

func ordered(spans []stats.Span) []stats.Span {
	sort.SliceStable(spans, func(i, k int) bool { return spans[i].FromS < spans[k].FromS })
	return spans
}

// capacities of the services that a request of the first fleet comes to.
func capacities(sc *scenario.Scenario, p *pass, e *evidence) []stats.Capacity {
	visits := make([][]float64, len(sc.Callers))
	for i := range sc.Callers {
		visits[i] = visitsOf(sc, sc.Callers[i].Do)
	}
	var out []stats.Capacity
	for k := range sc.Services {
		full := p.scopes[len(sc.Callers)+k].Capacity
		if full <= 0 || visits[0][k] <= 0 {
			continue
		}
		c := stats.Capacity{Service: sc.Services[k].Name, PerS: full, Visits: visits[0][k]}
		for i := 1; i < len(sc.Callers); i++ {
			sent := 0.0
			for _, a := range e.accounts {
				if a.Boundary == e.fleets[i] {
					sent = float64(a.Sent)
				}
			}
			c.OthersPerS += visits[i][k] * sent / e.endS
		}
		out = append(out, c)
	}
	return out
}

// visitsOf follows the calls of one request down the services, without retries and
// fallbacks. A cycle is cut at as many levels as there are services.
func visitsOf(sc *scenario.Scenario, do []scenario.Step) []float64 {
	sum, level := make([]float64, len(sc.Services)), make([]float64, len(sc.Services))
	call := func(to []float64, do []scenario.Step, weight float64) {
		for _, s := range do {
			if s.Call >= 0 {
				to[s.Call] += weight * s.Weight()
			}
		}
	}
	call(level, do, 1)
	for range sc.Services {
		next := make([]float64, len(level))
		for k, v := range level {
			sum[k] += v
			call(next, sc.Services[k].Do, v)
		}
		level = next
	}
	return sum
}
