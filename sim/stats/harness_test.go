package stats

import (
	"math"
	"math/rand/v2"
)

// curve is a run with one-second intervals: 800/s offered and answered with one
// attempt each, unless a part of it is changed.
func curve(seconds int) Case {
	c := Case{Scope: "callers.web", EndS: float64(seconds), RecoveryShare: 0.95, RecoveryForS: 30}
	for i := range seconds {
		c.StartS = append(c.StartS, float64(i))
		c.Offered = append(c.Offered, 800)
		c.Goodput = append(c.Goodput, 800)
		c.Attempts = append(c.Attempts, 800)
	}
	return c
}

// span is a fault or an action without a noun of its own.
func span(name string, fromS, toS float64) Span { return Span{Name: name, FromS: fromS, ToS: toS} }

// set changes goodput and attempts from one second up to another.
func (c *Case) set(from, to int, goodput, attempts float64) {
	for i := from; i < to; i++ {
		c.Goodput[i], c.Attempts[i] = goodput, attempts
	}
}

// noisy replaces the curves by Poisson counts at these rates, goodput thinned by a
// share that may differ from second to second.
func (c *Case) noisy(seed uint64, rate float64, answered func(second int) float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range c.Offered {
		c.Offered[i] = poisson(rng, rate)
		c.Goodput[i] = 0
		for range int(c.Offered[i]) {
			if rng.Float64() < answered(i) {
				c.Goodput[i]++
			}
		}
		c.Attempts[i] = c.Offered[i]
	}
	// A third of the answers come in the second after the request.
	for i := len(c.Goodput) - 1; i > 0; i-- {
		late := math.Floor(c.Goodput[i-1] / 3)
		c.Goodput[i] += late
		c.Goodput[i-1] -= late
	}
}

func poisson(rng *rand.Rand, mean float64) float64 {
	n := 0.0
	for t := rng.ExpFloat64() / mean; t < 1; t += rng.ExpFloat64() / mean {
		n++
	}
	return n
}
