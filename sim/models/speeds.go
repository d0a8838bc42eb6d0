package models

import (
	"math"
	"math/bits"
)

// speeds say how fast each of n pieces of work goes that are under way at one time:
//
//	min(1, cores/n) / (1 + contention (n-1) + coherence n (n-1))
//
// The first factor is processor sharing, the second the Universal Scalability Law.
//
// Source: Gunther, "Guerrilla Capacity Planning", 2007, chapter 4.
type speeds struct {
	cores                 int // 0: enough
	contention, coherence float64
	known                 []rate // by n
}

// of returns the rate of each of n pieces.
func (s *speeds) of(n int) rate {
	for n >= len(s.known) {
		s.known = append(s.known, s.reckon(len(s.known)))
	}
	return s.known[n]
}

func (s *speeds) reckon(n int) rate {
	if s.contention == 0 && s.coherence == 0 {
		if s.cores == 0 || n <= s.cores {
			return 0
		}
		q, _ := bits.Div64(uint64(s.cores), 0, uint64(n))
		return rate(q)
	}
	x := s.share(float64(n))
	if x >= 1 {
		return 0
	}
	return rate(max(x*0x1p64, 1))
}

// share is the rate of each of n pieces as a number in (0,1].
func (s *speeds) share(n float64) float64 {
	if n <= 1 {
		return 1
	}
	x := 1.0
	if s.cores > 0 {
		x = min(x, float64(s.cores)/n)
	}
	return x / (1 + float64(s.contention*(n-1)) + float64(float64(s.coherence*n)*(n-1)))
}

// Parallel is how many pieces of work all instances of a service do in the time of one
// when all workers are at it, at full health. 0: there is no bound.
func (cfg *ServiceConfig) Parallel() float64 {
	s := speeds{cores: cfg.Cores, contention: cfg.Contention, coherence: cfg.Coherence}
	return float64(cfg.Instances) * s.parallel(cfg.Workers)
}

// parallel is how many pieces of work are done in the time of one when all of so many
// workers are at it; with Unlimited the most that ever are. 0: there is no bound.
func (s *speeds) parallel(workers int) float64 {
	if workers < Unlimited {
		return float64(workers) * s.share(float64(workers))
	}
	if s.contention == 0 && s.coherence == 0 {
		return float64(s.cores)
	}
	if s.coherence == 0 {
		if s.cores > 0 {
			return float64(s.cores) * s.share(float64(s.cores))
		}
		return 1 / s.contention
	}
	best := max(math.Sqrt(max(1-s.contention, 0)/s.coherence), 1)
	if s.cores > 0 {
		best = min(best, float64(s.cores))
	}
	return best * s.share(best)
}
