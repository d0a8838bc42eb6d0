package dist

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/sim/engine"
)

// piecewise is a lognormal law in pieces: the logarithm of the quantile is a
// straight line over the normal quantile z between one given point and the next.
// With two points it is the lognormal through both.
//
// Below the lowest point the first line goes on. Above the highest the last one
// does, but no steeper than the line through the lowest and the highest point: one
// steep last step (a timeout, mostly) says little of what lies beyond it, and its
// own line would put all of the mean there.
type piecewise struct {
	points []Point
	z      []float64
	// growth of each line over z: the first is below points[0], the last above the
	// highest point. It is the sigma of the lognormal that the line stands for.
	growth   []float64
	mean     time.Duration
	variance float64
	// beyond is the share of the mean that lies above the highest point.
	beyond float64
}

// zMost bounds z: the smallest draw is 2^-53, the largest 1-2^-53.
const zMost = 8.2095361516013874

// newPiecewise wants at least two points in order.
func newPiecewise(points []Point) (*piecewise, error) {
	w := &piecewise{points: points}
	for _, p := range points {
		w.z = append(w.z, exact.NormalQuantile(p.P))
	}
	last := len(points) - 1
	w.growth = append(w.growth, w.line(0, 1))
	for i := range last {
		w.growth = append(w.growth, w.line(i, i+1))
	}
	w.growth = append(w.growth, math.Min(w.growth[last], w.line(0, last)))
	if end := exact.Log(float64(points[last].At)) + float64(w.growth[last+1]*(zMost-w.z[last])); end > exact.Log(float64(Longest)) {
		return nil, fmt.Errorf("dist: quantiles: %v and %v are so far apart that the tail above them would reach beyond 73 years; give a lower quantile too",
			points[0], points[last])
	}
	w.moments()
	return w, nil
}

// line is the growth from one point to another.
func (w *piecewise) line(i, k int) float64 {
	return exact.Log(float64(w.points[k].At)/float64(w.points[i].At)) / (w.z[k] - w.z[i])
}

// nothing is the logarithm of how much of a time is none of it.
const nothing = 45

func (w *piecewise) moments() {
	var first, second, top float64
	last := len(w.points) - 1
	for i, growth := range w.growth {
		// Far enough below the lowest point nothing is left that counts.
		k, from, to := max(i-1, 0), math.Max(-zMost, w.z[0]-nothing/growth), zMost
		if i > 0 {
			from = w.z[i-1]
		}
		if i <= last {
			to = w.z[i]
		}
		at := float64(w.points[k].At)
		part := at * normalMean(growth, w.z[k], from, to)
		first += part
		second += float64(squared(at) * normalMean(2*growth, w.z[k], from, to))
		top = part
	}
	w.mean = nanoseconds(first)
	w.variance = math.Max(0, second-squared(first))
	w.beyond = top / first
}

func (w *piecewise) Sample(s *engine.Stream) time.Duration { return w.Quantile(s.Unit()) }

// Quantile starts each line at the point below it, so that the given points are met
// to the nanosecond; rounding never takes a sample past the next point.
func (w *piecewise) Quantile(p float64) time.Duration {
	p = draw(p)
	if p == 0 {
		return 0
	}
	i := 0
	for i < len(w.points) && p >= w.points[i].P {
		i++
	}
	k := max(i-1, 0)
	x := nanoseconds(float64(w.points[k].At) * exact.Exp(w.growth[i]*(exact.NormalQuantile(p)-w.z[k])))
	if i < len(w.points) {
		x = min(x, w.points[i].At)
	}
	return x
}

func (w *piecewise) Mean() time.Duration { return w.mean }
func (w *piecewise) Variance() float64   { return w.variance }
func (w *piecewise) String() string      { return "piecewise lognormal" }
