package dist

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/sim/engine"
)

// Family is the kind of law that quantiles are fitted with.
type Family string

// The families. PiecewiseFamily, the default, meets all quantiles that are given;
// the others have one parameter (exponential) or two, and meet as many.
const (
	PiecewiseFamily   Family = "piecewise"
	LognormalFamily   Family = "lognormal"
	WeibullFamily     Family = "weibull"
	ParetoFamily      Family = "pareto"
	ExponentialFamily Family = "exponential"
)

// Families lists them, the default first.
func Families() []Family {
	return []Family{PiecewiseFamily, LognormalFamily, WeibullFamily, ParetoFamily, ExponentialFamily}
}

// missMax is by how much, of itself, a quantile may be missed: no measurement of a
// quantile is better.
const missMax = 0.01

// Fitted is a law that was found from quantiles.
type Fitted struct {
	family     Family
	asked      []Point
	law        Dist
	parameters string
	beyond     float64
}

// Fit finds the law of a family through quantiles. Points may come in any order;
// they must rise: a higher percentile is a longer time. Two are needed, one for the
// exponential family; 100 are the most.
//
// A family with two parameters goes through the lowest and the highest point, one
// with one parameter through the highest. If it then misses another point by more
// than 1 %, the error says which and by how much.
func Fit(family Family, points []Point) (*Fitted, error) {
	asked, err := ordered(points)
	if err != nil {
		return nil, err
	}
	need := 2
	if family == ExponentialFamily {
		need = 1
	}
	if len(asked) < need {
		return nil, fmt.Errorf("dist: quantiles: the %s family needs at least %d, got %d", family, need, len(asked))
	}
	f := &Fitted{family: family, asked: asked}
	high := asked[len(asked)-1]
	if err := f.solve(asked[0], high); err != nil {
		return nil, err
	}
	if tail, known := f.law.(interface{ tailShare(p float64) float64 }); known {
		f.beyond = tail.tailShare(high.P)
	}
	if err := f.missed(); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *Fitted) solve(low, high Point) error {
	spread := exact.Log(float64(high.At) / float64(low.At))
	switch f.family {
	case PiecewiseFamily:
		w, err := newPiecewise(f.asked)
		if err != nil {
			return err
		}
		f.law, f.beyond, f.parameters = w, w.beyond, w.describe()
	case LognormalFamily:
		w, err := newPiecewise([]Point{low, high})
		if err != nil {
			return err
		}
		f.law, f.beyond = w, w.beyond
		f.parameters = fmt.Sprintf("sigma %.3g", w.growth[0])
	case WeibullFamily:
		return f.weibull(low, high, (hazardLog(high.P)-hazardLog(low.P))/spread)
	case ParetoFamily:
		return f.pareto(low, (exact.Log1p(-low.P)-exact.Log1p(-high.P))/spread)
	case ExponentialFamily:
		law, err := weibull(float64(high.At)/-exact.Log1p(-high.P), 1)
		f.law = law
		return err
	default:
		return fmt.Errorf("dist: quantiles: there is no family %q; there are %s", f.family, familyNames())
	}
	return nil
}

func familyNames() string {
	var names []string
	for _, f := range Families() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// hazardLog is ln(-ln(1-p)), over which the logarithm of a Weibull quantile is a
// straight line of slope 1/shape.
func hazardLog(p float64) float64 { return exact.Log(-exact.Log1p(-p)) }

func (f *Fitted) weibull(low, high Point, shape float64) error {
	if !(shape >= WeibullShapeMin && shape <= WeibullShapeMax) {
		return fmt.Errorf("dist: quantiles: a weibull law through %v and %v would have a shape of %.3g; it must be from %v to %v",
			low, high, shape, WeibullShapeMin, WeibullShapeMax)
	}
	law, err := weibull(float64(low.At)*exact.Exp(-hazardLog(low.P)/shape), shape)
	f.law = law
	f.parameters = fmt.Sprintf("scale %v, shape %.4g", brief(time.Duration(law.scale)), shape)
	return err
}

func (f *Fitted) pareto(low Point, shape float64) error {
	if !(shape > 1 && shape <= ParetoShapeMax) {
		return fmt.Errorf("dist: quantiles: a pareto law through the lowest and the highest quantile would have a shape of %.3g; it must be above 1 (else there is no mean) and at most %v",
			shape, ParetoShapeMax)
	}
	law, err := pareto(float64(low.At)*exact.Exp(exact.Log1p(-low.P)/shape), shape)
	f.law = law
	f.parameters = fmt.Sprintf("min %v, shape %.4g", brief(time.Duration(law.min)), shape)
	return err
}

// missed says which quantile the family cannot honour, the worst one.
func (f *Fitted) missed() error {
	worst, at := 0.0, Point{}
	for _, m := range f.Met() {
		if miss := m.Miss(); math.Abs(miss) > math.Abs(worst) {
			worst, at = miss, m.Point
		}
	}
	if math.Abs(worst) <= missMax {
		return nil
	}
	through := PercentileName(f.asked[len(f.asked)-1].P)
	if f.family != ExponentialFamily {
		through = PercentileName(f.asked[0].P) + " and " + through
	}
	return fmt.Errorf("dist: quantiles: the %s family cannot honour %v: through %s it has %v there, %+.1f %%; the piecewise fit honours all",
		f.family, at, through, brief(f.Quantile(at.P)), 100*worst)
}

// Met is a quantile that was asked for and what the law has there.
type Met struct {
	Point
	Got time.Duration
}

// Miss is the difference over what was asked: 0.1 is 10 % too long.
func (m Met) Miss() float64 { return float64(m.Got-m.At) / float64(m.At) }

// Met lists the quantiles that were asked for, from the lowest to the highest.
func (f *Fitted) Met() []Met {
	var out []Met
	for _, p := range f.asked {
		out = append(out, Met{p, f.Quantile(p.P)})
	}
	return out
}

// Family that was fitted.
func (f *Fitted) Family() Family { return f.family }

// Beyond is the share of the mean that lies above the highest quantile asked for,
// where nothing was measured.
func (f *Fitted) Beyond() float64 { return f.beyond }

// Sample takes one draw and returns the quantile at it.
func (f *Fitted) Sample(s *engine.Stream) time.Duration { return f.law.Sample(s) }

// Quantile is that of the fitted law.
func (f *Fitted) Quantile(p float64) time.Duration { return f.law.(Quantiler).Quantile(p) }

// Mean is that of the fitted law.
func (f *Fitted) Mean() time.Duration { return f.law.Mean() }

// Variance is that of the fitted law.
func (f *Fitted) Variance() float64 { return f.law.(Varier).Variance() }

// String names the family and what was asked for.
func (f *Fitted) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "fitted %s", f.family)
	for _, p := range f.asked {
		b.WriteString(" " + p.String())
	}
	return b.String()
}
