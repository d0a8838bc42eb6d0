package scenario

import (
	"math"
)

// lint warns of what is allowed but tells no story: a load that is too much
// before anything fails, a fault without effect, a part that nobody uses, a breaker
// that its callers cannot close. It runs only on a scenario without faults.
func (b *builder) lint() {
	visits := b.visits()
	b.overload(visits)
	for i, f := range b.sc.Faults {
		b.idle(f, b.root.list("faults")[i], visits)
	}
	b.unused(visits)
	b.fewTrials()
}

// visits returns, for each service, how many requests per second reach it at
// the fleets' peak before the first fault, by first attempts alone.
func (b *builder) visits() []float64 {
	first := b.sc.Duration
	for _, f := range b.sc.Faults {
		first = min(first, f.At)
	}
	out := make([]float64, len(b.sc.Services))
	for _, f := range b.sc.Callers {
		peak := 0.0
		for _, p := range f.Arrivals.Curve {
			if p.At < first || p.At == 0 {
				peak = math.Max(peak, p.Rate)
			}
		}
		b.spread(f.Do, peak, out)
	}
	return out
}

func (b *builder) spread(do []Step, perSecond float64, into []float64) {
	for _, s := range do {
		if s.Call < 0 {
			continue
		}
		into[s.Call] += perSecond * s.Weight()
	}
}

// hold is the mean time a worker of the service is held when nothing waits
// anywhere: its own work and the work of those it calls.
func (b *builder) hold(service int, memo []float64) float64 {
	if memo[service] >= 0 {
		return memo[service]
	}
	sum := 0.0
	for _, s := range b.sc.Services[service].Do {
		switch {
		case s.Call >= 0:
			sum += s.Probability * b.hold(s.Call, memo)
		case s.Work != nil:
			sum += s.Probability * s.Work.Mean().Seconds()
		}
	}
	memo[service] = sum
	return sum
}

// order lists the services so that callers come before those they call.
func (b *builder) order() []int {
	var out []int
	seen := make([]bool, len(b.sc.Services))
	var visit func(int)
	visit = func(s int) {
		seen[s] = true
		for _, next := range b.calls(b.sc.Services[s].Do) {
			if !seen[next] {
				visit(next)
			}
		}
		out = append(out, s)
	}
	for s := range b.sc.Services {
		if !seen[s] {
			visit(s)
		}
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

func (b *builder) overload(visits []float64) {
	memo := make([]float64, len(b.sc.Services))
	for i := range memo {
		memo[i] = -1
	}
	for _, i := range b.order() {
		s := b.sc.Services[i]
		b.spread(s.Do, visits[i], visits)
		if capacity, due := b.bottleneck(i, b.hold(i, memo)); visits[i] >= capacity {
			v := b.root.get("services").fields[i]
			b.fs.warn(v.at("workers"), v.path, "", "'%s' is offered %s/s before any fault, but %s serve only %s/s", s.Name, rounded(visits[i]), due, rounded(capacity))
		}
	}
}

func rounded(x float64) string { return decimal(math.Round(x*10) / 10) }

// idle warns of a fault that changes nothing.
func (b *builder) idle(f Fault, v *value, visits []float64) {
	why := ""
	switch {
	case f.Service >= 0 && visits[f.Service] == 0 && !b.reached(f.Service):
		why = "no request ever reaches '" + b.sc.Services[f.Service].Name + "'"
	case f.Kind == Latency && f.Times == 1 && f.Plus == 0:
		why = "times 1 leaves the service times as they are"
	case f.Kind == Errors && f.Share == 0:
		why = "a share of 0% fails"
	case f.Kind == Capacity && f.Service >= 0 && left(f.Share, b.sc.Services[f.Service].Workers):
		why = "all workers of an instance are left"
	case f.Kind == Surge && f.RatePerSec == 0 && f.Times == 1:
		why = "times 1 leaves the load as it is"
	}
	if why != "" {
		b.fs.warn(v.node.pos, v.path, "", "this fault has no effect: %s", why)
	}
}

// left reports whether a share of the workers, to the nearest, is all of them.
func left(share float64, workers int) bool {
	return int(math.Round(share*float64(workers))) >= workers
}

// reached reports whether any fleet calls the service, directly or not.
func (b *builder) reached(service int) bool {
	seen := make([]bool, len(b.sc.Services))
	var visit func(do []Step)
	visit = func(do []Step) {
		for _, next := range b.calls(do) {
			if !seen[next] {
				seen[next] = true
				visit(b.sc.Services[next].Do)
			}
		}
	}
	for _, f := range b.sc.Callers {
		visit(f.Do)
	}
	return seen[service]
}

// unused warns of services and pipelines that no request meets.
func (b *builder) unused(visits []float64) {
	for i, s := range b.sc.Services {
		if visits[i] == 0 && !b.reached(i) {
			v := b.root.get("services")
			b.fs.warn(v.node.keyPos[i], v.fields[i].path, "", "nobody calls the service '%s'", s.Name)
		}
	}
	used := make([]bool, len(b.sc.Pipelines))
	mark := func(do []Step) {
		for _, s := range do {
			if s.Through >= 0 {
				used[s.Through] = true
			}
		}
	}
	for _, f := range b.sc.Callers {
		mark(f.Do)
	}
	for _, s := range b.sc.Services {
		mark(s.Do)
	}
	for i := range b.sc.Pipelines {
		b.rungs(i, func(step FallbackStep, _ *value) {
			if step.Through >= 0 {
				used[step.Through] = true
			}
		})
	}
	for i, p := range b.sc.Pipelines {
		if !used[i] {
			v := b.root.get("pipelines")
			b.fs.warn(v.node.keyPos[i], v.fields[i].path, "", "no call goes through the pipeline '%s'", p.Name)
		}
	}
}
