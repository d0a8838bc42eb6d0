package dist

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/sim/engine"
)

// Lognormal is the distribution whose logarithm is normal, with mean mu and
// standard deviation sigma: the usual shape of latencies, with a long right tail.
type Lognormal struct {
	mu, sigma float64 // of the logarithm of nanoseconds
	mean      time.Duration
	name      string
}

// NewLognormal returns the lognormal distribution with a mean in (0, Longest] and
// a squared coefficient of variation (variance over squared mean) in (0, 1e6]:
// sigma^2 = ln(1+scv), mu = ln(mean) - sigma^2/2.
func NewLognormal(mean time.Duration, scv float64) (Lognormal, error) {
	if err := checkLength("lognormal", "mean", mean); err != nil {
		return Lognormal{}, err
	}
	if err := checkSCV("lognormal", scv, 0); err != nil {
		return Lognormal{}, err
	}
	variance := exact.Log1p(scv)
	return Lognormal{
		mu:    exact.Log(float64(mean)) - float64(variance/2),
		sigma: math.Sqrt(variance),
		mean:  mean,
		name:  fmt.Sprintf("lognormal %v scv %v", mean, scv),
	}, nil
}

// NewLognormalQuantiles returns the lognormal distribution with the given median
// and 99th percentile, 0 < p50 < p99: mu = ln(p50), sigma = ln(p99/p50)/z(0.99).
// Its mean, p50 exp(sigma^2/2), must be at most Longest.
func NewLognormalQuantiles(p50, p99 time.Duration) (Lognormal, error) {
	if err := checkLength("lognormal", "p50", p50); err != nil {
		return Lognormal{}, err
	}
	if err := checkLength("lognormal", "p99", p99); err != nil {
		return Lognormal{}, err
	}
	if p99 <= p50 {
		return Lognormal{}, fmt.Errorf("dist: lognormal: p99 must be longer than p50 (%v), got %v", p50, p99)
	}
	sigma := exact.Log(float64(p99)/float64(p50)) / exact.NormalQuantile(0.99)
	mean := float64(p50) * exact.Exp(float64(sigma*sigma)/2)
	if mean > float64(Longest) {
		return Lognormal{}, fmt.Errorf("dist: lognormal: p50 %v and p99 %v have a mean beyond %v", p50, p99, Longest)
	}
	return Lognormal{
		mu:    exact.Log(float64(p50)),
		sigma: sigma,
		mean:  nanoseconds(mean),
		name:  fmt.Sprintf("lognormal p50 %v p99 %v", p50, p99),
	}, nil
}

func (l Lognormal) Sample(s *engine.Stream) time.Duration { return l.Quantile(s.Unit()) }

// Quantile is exp(mu + sigma z(p)), z the quantile of the standard normal.
func (l Lognormal) Quantile(p float64) time.Duration {
	return nanoseconds(exact.Exp(l.mu + float64(l.sigma*exact.NormalQuantile(draw(p)))))
}

func (l Lognormal) Mean() time.Duration { return l.mean }
func (l Lognormal) String() string      { return l.name }
