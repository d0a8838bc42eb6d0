package dist

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/sim/engine"
)

// Hyperexponential is one of two exponentials, a short one mostly and a long one
// now and then: more variable than one exponential.
type Hyperexponential struct {
	mean  time.Duration
	scv   float64
	share [2]float64 // probability of each branch
	rate  [2]float64 // per nanosecond
}

// NewHyperexponential returns the two-branch distribution with a mean in
// (0, Longest], a squared coefficient of variation in (1, 1e6] and balanced means:
// each branch carries half of the mean. With r = sqrt((scv-1)/(scv+1)) the shares
// are (1+r)/2 and (1-r)/2, the rates 2 share / mean.
//
// Source: W. Whitt, "Approximating a point process by a renewal process", Operations
// Research 30 (1982).
func NewHyperexponential(mean time.Duration, scv float64) (Hyperexponential, error) {
	if err := checkLength("hyperexponential", "mean", mean); err != nil {
		return Hyperexponential{}, err
	}
	if err := checkSCV("hyperexponential", scv, 1); err != nil {
		return Hyperexponential{}, err
	}
	r := math.Sqrt((scv - 1) / (scv + 1))
	h := Hyperexponential{mean: mean, scv: scv, share: [2]float64{(1 + r) / 2, 1 / (scv + 1) / (1 + r)}}
	for i, share := range h.share {
		h.rate[i] = 2 * share / float64(mean)
	}
	return h, nil
}

func (h Hyperexponential) Sample(s *engine.Stream) time.Duration { return h.Quantile(s.Unit()) }
func (h Hyperexponential) Mean() time.Duration                   { return h.mean }
func (h Hyperexponential) String() string {
	return fmt.Sprintf("hyperexponential %v scv %v", h.mean, h.scv)
}

// Quantile has no closed form. It is found by Newton steps on the logarithm of the
// survival function, which is convex and falls: from below the steps come from one
// side and cannot miss. Each branch alone gives a lower bound to start from.
func (h Hyperexponential) Quantile(p float64) time.Duration {
	p = draw(p)
	target := exact.Log1p(-p)
	x := 0.0
	for i, share := range h.share {
		x = math.Max(x, (exact.Log(share)-target)/h.rate[i])
	}
	for range stepsMax {
		short := float64(h.share[0] * exact.Exp(-h.rate[0]*x))
		long := float64(h.share[1] * exact.Exp(-h.rate[1]*x))
		survival := short + long
		slope := float64(short*h.rate[0]) + float64(long*h.rate[1])
		step := (exact.Log(survival) - target) * survival / slope
		x += step
		if math.Abs(step) < stepSmall*x {
			break
		}
	}
	return nanoseconds(x)
}
