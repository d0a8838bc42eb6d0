package dist

import (
	"math"
)

// Varier is a distribution that knows its variance; all of this package do.
type Varier interface {
	// Variance in square nanoseconds; infinite where the tail is too heavy.
	Variance() float64
}

// SCV is the squared coefficient of variation, variance over squared mean: 0 for
// what is always the same, 1 for the exponential. NaN where the variance is not
// known or the mean is 0.
func SCV(d Dist) float64 {
	v, known := d.(Varier)
	mean := float64(d.Mean())
	if !known || mean == 0 {
		return math.NaN()
	}
	return v.Variance() / (mean * mean)
}

func squared(x float64) float64 { return float64(x * x) }

// Variance is 0.
func (c Constant) Variance() float64 { return 0 }

// Variance is (max-min)^2 / 12.
func (u Uniform) Variance() float64 { return squared(float64(u.max-u.min)) / 12 }

// Variance is the squared mean.
func (e Exponential) Variance() float64 { return squared(float64(e.mean)) }

// Variance is the squared mean over the number of phases.
func (e Erlang) Variance() float64 { return squared(float64(e.mean)) / float64(e.k) }

// Variance is scv times the squared mean.
func (h Hyperexponential) Variance() float64 { return h.scv * squared(float64(h.mean)) }

// Variance is (exp(sigma^2) - 1) times the squared mean.
func (l Lognormal) Variance() float64 {
	return expm1(squared(l.sigma)) * squared(float64(l.mean))
}
