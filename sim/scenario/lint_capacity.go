package scenario

import (
	"fmt"
	"math"
	"time"
)

// bottleneck is how many requests a second a service does at most while nothing waits
// anywhere, and what that is due to. hold is how long a request takes it then.
func (b *builder) bottleneck(service int, hold float64) (perSecond float64, due string) {
	s := &b.sc.Services[service]
	own := ownWork(s.Do)
	busy := hold
	if s.Asynchronous {
		busy = own
	}
	perSecond = math.Inf(1)
	n, slower := float64(s.Workers), s.Scalability.slowdown(float64(s.Workers))
	if s.Workers < Unlimited && busy > 0 {
		perSecond = float64(s.Instances) * n / (busy + own*(slower-1))
		due = fmt.Sprintf("%d x %d workers at %s a request", s.Instances, s.Workers, took(busy+own*(slower-1)))
	}
	if most := float64(s.Instances) * float64(s.Cores) / own; s.Cores > 0 && own > 0 && most < perSecond {
		perSecond, due = most, fmt.Sprintf("%d x %d cores at %s of work a request", s.Instances, s.Cores, took(own))
	}
	return perSecond, due
}

func took(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(10 * time.Microsecond)
}

// slowdown is by how much each of n pieces of work takes longer than one alone.
func (c Scalability) slowdown(n float64) float64 {
	return 1 + c.Contention*(n-1) + c.Coherence*n*(n-1)
}

// ownWork is the mean work of a handler itself, in seconds.
func ownWork(do []Step) float64 {
	sum := 0.0
	for _, s := range do {
		if s.Work != nil {
			sum += s.Probability * s.Work.Mean().Seconds()
		}
	}
	return sum
}
