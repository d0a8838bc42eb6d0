package scenario

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/patterns/breaker"
)

// user is a fleet or a service, with the load that each of its instances hands on.
type user struct {
	name      string
	instances int
	do        []Step
	rate      float64 // requests per second of all instances, at the peak
	even      bool    // they come at a fixed interval
}

// fewTrials warns of a breaker that hardly ever closes once it is open: its half-open
// state ends before the callers, at their peak, have made the calls that it needs.
func (b *builder) fewTrials() {
	for _, u := range b.users() {
		rates := make([]float64, len(b.sc.Pipelines))
		for _, s := range u.do {
			if s.Call >= 0 {
				b.through(s.Through, u.rate*s.Weight(), rates, nil)
				u.even = u.even && s.Probability == 1
			}
		}
		for i, rate := range rates {
			for j, p := range b.sc.Pipelines[i].Policies {
				if p.CircuitBreaker != nil && rate > 0 {
					b.trials(u, i, j, rate)
				}
			}
		}
	}
}

// users lists who calls, with the peak of all that reaches them: faults that bring more
// load included. What comes by another law than a rate, in batches or again has no bound.
func (b *builder) users() (all []user) {
	reach := make([]float64, len(b.sc.Services))
	for i, f := range b.sc.Callers {
		even := f.Arrivals.Law == Uniform
		peak := math.Inf(1)
		if steady := even || f.Arrivals.Law == Poisson; steady && f.Sources.Batch <= 1 && f.Retrial == nil {
			peak = b.peak(i)
		}
		all = append(all, user{"callers." + f.Name, f.Instances, f.Do, peak, even})
		b.spread(f.Do, peak, reach)
	}
	for _, i := range b.order() {
		s := b.sc.Services[i]
		b.spread(s.Do, reach[i], reach)
		all = append(all, user{"services." + s.Name, s.Instances, s.Do, reach[i], false})
	}
	return all
}

func (b *builder) peak(fleet int) float64 {
	peak := 0.0
	for _, p := range b.sc.Callers[fleet].Arrivals.Curve {
		peak = max(peak, p.Rate)
	}
	most := peak
	for _, f := range b.sc.Faults {
		if f.Kind == Surge && f.Fleet == fleet {
			most = max(most, f.RatePerSec, peak*f.Times)
		}
	}
	return most
}

// through adds the calls of a pipeline, and as many at most of those that its
// fallbacks go through.
func (b *builder) through(pipeline int, rate float64, rates []float64, way []int) {
	if pipeline < 0 || slices.Contains(way, pipeline) {
		return
	}
	rates[pipeline] += rate
	for _, p := range b.sc.Pipelines[pipeline].Policies {
		if p.Fallback == nil {
			continue
		}
		for _, s := range p.Fallback.Steps {
			if s.Call >= 0 {
				b.through(s.Through, rate, rates, append(way, pipeline))
			}
		}
	}
}

// trials holds one breaker against the calls that it gets.
func (b *builder) trials(u user, pipeline, policy int, rate float64) {
	p := &b.sc.Pipelines[pipeline]
	c := *p.Policies[policy].CircuitBreaker
	trials, within := c.HalfOpenNeeds()
	if within == 0 || c.TransitionToStateAfterWaitDuration == breaker.ToClosed {
		return
	}
	who, even := "'"+u.name+"'", u.even && (p.Shared || u.instances == 1)
	if !p.Shared {
		rate /= float64(u.instances)
		who = "each instance of " + who
	}
	calls := rate * within.Seconds()
	if gathered(calls, trials-1, even) > hardly {
		return
	}
	v := b.policyValue(pipeline, policy).get("circuitBreaker")
	at := v.at("permittedNumberOfCallsInHalfOpenState")
	if v.get("maxWaitDurationInHalfOpenState") != nil {
		at = v.at("maxWaitDurationInHalfOpenState")
	}
	enough := time.Duration(min(math.Ceil(2*float64(trials-1)/rate), hintMax)) * time.Second
	b.fs.warn(at, v.path, fmt.Sprintf("permittedNumberOfCallsInHalfOpenState: %d, or maxWaitDurationInHalfOpenState: %s (0s: no limit), or transitionToStateAfterWaitDuration: CLOSED",
		1+int(calls/2), span2text(enough)),
		"half-open needs %d trials within %s of the first, but %s makes about %s calls in that time at its peak: this breaker hardly ever closes",
		trials, span2text(within), who, decimal(math.Round(calls*100)/100))
}

// hardly is the chance, each time that a breaker is half-open, from which on it is worth
// no warning. hintMax, in seconds, is the longest limit there may be: 1000 hours.
const (
	hardly  = 0.01
	hintMax = 3_600_000
)

// gathered returns the chance that n further calls come in the time of the given number
// of calls: by Poisson's law, at most; even ones come or do not.
func gathered(calls float64, n int, even bool) float64 {
	k := float64(n)
	switch {
	case n <= 0 || calls > k:
		return 1
	case even:
		return 0
	case n > 400: // calls of four fifths are 4 standard deviations away, and more beyond
		return max(calls/k-0.8, 0)
	}
	p := exact.Exp(-calls)
	for i := 1; i <= n; i++ {
		p *= calls / float64(i)
	}
	// The terms that follow fall by calls/(n+1) or faster.
	return min(p/(1-calls/(k+1)), 1)
}
