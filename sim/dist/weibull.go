package dist

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/sim/engine"
)

// Weibull is the distribution of -ln(1-u) to the power 1/shape. With a shape of 1
// it is exponential; below 1 its tail is longer (what has taken long takes longer
// still), above 1 it is shorter.
type Weibull struct {
	scale, shape float64 // scale in nanoseconds
	mean         time.Duration
	name         string
}

// The shapes of a Weibull law. Below the smallest the squared coefficient of
// variation is beyond 1.8e5; above the largest the law is all but constant.
const (
	WeibullShapeMin = 0.1
	WeibullShapeMax = 100
)

// NewWeibull returns the Weibull distribution with a mean in (0, Longest] and a
// shape from 0.1 to 100: scale = mean / Gamma(1 + 1/shape).
func NewWeibull(mean time.Duration, shape float64) (Weibull, error) {
	if err := checkLength("weibull", "mean", mean); err != nil {
		return Weibull{}, err
	}
	if err := checkShape("weibull", shape, WeibullShapeMin, WeibullShapeMax); err != nil {
		return Weibull{}, err
	}
	scale := float64(mean) / exact.Exp(logGamma(1+1/shape))
	return Weibull{scale, shape, mean, fmt.Sprintf("weibull mean %v shape %v", mean, shape)}, nil
}

// NewWeibullScale returns the Weibull distribution with a scale, the time that
// 63.2 % of samples do not exceed, above 0 and a shape from 0.1 to 100. Its mean,
// scale Gamma(1 + 1/shape), must be at most Longest.
func NewWeibullScale(scale time.Duration, shape float64) (Weibull, error) {
	if err := checkLength("weibull", "scale", scale); err != nil {
		return Weibull{}, err
	}
	w, err := weibull(float64(scale), shape)
	w.name = fmt.Sprintf("weibull scale %v shape %v", scale, shape)
	return w, err
}

func weibull(scale, shape float64) (Weibull, error) {
	if err := checkShape("weibull", shape, WeibullShapeMin, WeibullShapeMax); err != nil {
		return Weibull{}, err
	}
	mean, err := checkMean("weibull", scale*exact.Exp(logGamma(1+1/shape)))
	return Weibull{scale: scale, shape: shape, mean: mean}, err
}

func (w Weibull) Sample(s *engine.Stream) time.Duration { return w.Quantile(s.Unit()) }

// Quantile is scale (-ln(1-p))^(1/shape).
func (w Weibull) Quantile(p float64) time.Duration {
	hazard := -exact.Log(1 - draw(p))
	if w.shape == 1 || hazard == 0 {
		return nanoseconds(w.scale * hazard)
	}
	return nanoseconds(w.scale * exact.Exp(exact.Log(hazard)/w.shape))
}

func (w Weibull) Mean() time.Duration { return w.mean }

// Variance is scale^2 (Gamma(1+2/shape) - Gamma(1+1/shape)^2).
func (w Weibull) Variance() float64 {
	first, second := logGamma(1+1/w.shape), logGamma(1+2/w.shape)
	return w.scale * w.scale * exact.Exp(second) * -expm1(float64(2*first)-second)
}

func (w Weibull) String() string { return w.name }

// checkShape holds a shape parameter to a range.
func checkShape(law string, shape, least, most float64) error {
	if !(shape >= least && shape <= most) {
		return fmt.Errorf("dist: %s: shape must be from %v to %v, got %v", law, least, most, shape)
	}
	return nil
}

// checkMean rounds a mean in nanoseconds that was worked out, and refuses one that
// no instant could hold.
func checkMean(law string, mean float64) (time.Duration, error) {
	if !(mean <= float64(Longest)) {
		return 0, fmt.Errorf("dist: %s: the mean of this law is beyond %v", law, Longest)
	}
	return nanoseconds(mean), nil
}

// expm1 is exp(x) - 1, precise also where x is small.
func expm1(x float64) float64 {
	if math.Abs(x) > 1e-2 {
		return exact.Exp(x) - 1
	}
	sum := 0.0
	for n := 8.0; n >= 1; n-- {
		sum = float64((1+sum)*x) / n
	}
	return sum
}
