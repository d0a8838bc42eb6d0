package dist

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/sim/engine"
)

// Pareto is the power law: the probability of more than x is (min/x)^shape. The
// tail is heavy: without an upper bound there is no mean for a shape of 1 or less
// and no variance for a shape of 2 or less. With one the law is that of the
// samples below the bound.
type Pareto struct {
	min, shape float64
	max        float64 // 0: without bound
	within     float64 // 1 - (min/max)^shape, the share that lies below the bound
	mean       time.Duration
	name       string
}

// The shapes of a Pareto law; without an upper bound the shape must be above 1.
const (
	ParetoShapeMin = 0.01
	ParetoShapeMax = 100
)

// NewPareto returns the Pareto distribution from min on, with a shape above 1 and
// at most 100. Its mean, min shape/(shape-1), must be at most Longest.
func NewPareto(min time.Duration, shape float64) (Pareto, error) {
	if err := checkLength("pareto", "min", min); err != nil {
		return Pareto{}, err
	}
	p, err := pareto(float64(min), shape)
	p.name = fmt.Sprintf("pareto min %v shape %v", min, shape)
	return p, err
}

func pareto(min, shape float64) (Pareto, error) {
	if shape <= 1 {
		return Pareto{}, fmt.Errorf("dist: pareto: shape must be above 1, got %v; a longer tail has no mean unless it ends at a max", shape)
	}
	if err := checkShape("pareto", shape, 1, ParetoShapeMax); err != nil {
		return Pareto{}, err
	}
	mean, err := checkMean("pareto", min*(shape/(shape-1)))
	return Pareto{min: min, shape: shape, within: 1, mean: mean}, err
}

// NewParetoBounded returns the Pareto distribution between min and max,
// 0 < min < max <= Longest, with a shape from 0.01 to 100.
func NewParetoBounded(min, max time.Duration, shape float64) (Pareto, error) {
	if err := checkLength("pareto", "min", min); err != nil {
		return Pareto{}, err
	}
	if err := checkLength("pareto", "max", max); err != nil {
		return Pareto{}, err
	}
	if max <= min {
		return Pareto{}, fmt.Errorf("dist: pareto: max must be longer than min (%v), got %v", min, max)
	}
	if err := checkShape("pareto", shape, ParetoShapeMin, ParetoShapeMax); err != nil {
		return Pareto{}, err
	}
	p := Pareto{min: float64(min), max: float64(max), shape: shape,
		name: fmt.Sprintf("pareto min %v shape %v max %v", min, shape, max)}
	p.within = -expm1(shape * exact.Log(p.min/p.max))
	p.mean = nanoseconds(p.moment(1))
	return p, nil
}

func (p Pareto) Sample(s *engine.Stream) time.Duration { return p.Quantile(s.Unit()) }

// Quantile is min (1 - u within)^(-1/shape).
func (p Pareto) Quantile(u float64) time.Duration {
	x := p.min * exact.Exp(-exact.Log1p(-float64(draw(u)*p.within))/p.shape)
	if p.max > 0 {
		x = math.Min(x, p.max)
	}
	return nanoseconds(x)
}

func (p Pareto) Mean() time.Duration { return p.mean }

// Variance is the second moment less the squared mean; infinite for a shape of 2
// or less without an upper bound.
func (p Pareto) Variance() float64 {
	if p.max == 0 {
		if p.shape <= 2 {
			return math.Inf(1)
		}
		return p.min * p.min * p.shape / ((p.shape - 1) * (p.shape - 1) * (p.shape - 2))
	}
	mean := p.moment(1)
	return math.Max(0, p.moment(2)-squared(mean))
}

// moment is the mean of x^m below the bound: the integral of shape min^shape
// x^(m-shape-1) over [min, max], over the share that lies there.
func (p Pareto) moment(m float64) float64 {
	e, span := p.shape-m, exact.Log(p.max/p.min)
	integral := span
	if e != 0 {
		integral = -expm1(-e*span) / e
	}
	return exact.Pow(p.min, m) * p.shape * integral / p.within
}

func (p Pareto) String() string { return p.name }
