package dist

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/sim/engine"
)

// Dist is a distribution of durations.
type Dist interface {
	// Sample takes one draw and returns the quantile at it.
	Sample(s *engine.Stream) time.Duration
	// Mean is the expected duration.
	Mean() time.Duration
	// String names the shape and its parameters, as in "exponential 50ms".
	String() string
}

// Quantiler is a distribution that knows its quantiles; all of this package do.
type Quantiler interface {
	// Quantile returns the duration that a share p in [0,1] of samples does not
	// exceed. At 1 it is the longest sample that can occur.
	Quantile(p float64) time.Duration
}

// Longest is the longest sample, about 73 years: an instant plus a sample stays
// within a time.Duration. Parameters are held to it, samples are cut at it.
const Longest = time.Duration(1) << 61

// topDraw is the largest draw below one, which Quantile(1) stands for.
const topDraw = 1 - 0x1p-53

// draw brings p into the range of the draws; what is below 0 counts as 0.
func draw(p float64) float64 { return math.Max(0, math.Min(p, topDraw)) }

// nanoseconds rounds to the nearest whole nanosecond in [0, Longest].
func nanoseconds(x float64) time.Duration {
	switch {
	case !(x > 0):
		return 0
	case x >= float64(Longest):
		return Longest
	}
	return time.Duration(math.RoundToEven(x))
}

func checkLength(shape, name string, d time.Duration) error {
	switch {
	case d <= 0:
		return fmt.Errorf("dist: %s: %s must be longer than 0, got %v", shape, name, d)
	case d > Longest:
		return fmt.Errorf("dist: %s: %s must be at most %v, got %v", shape, name, Longest, d)
	}
	return nil
}

// scvMax bounds squared coefficients of variation: beyond it a mean says nothing
// that a run could show.
const scvMax = 1e6

func checkSCV(shape string, scv, above float64) error {
	if !(scv > above && scv <= scvMax) {
		return fmt.Errorf("dist: %s: squared coefficient of variation must be above %v and at most %v, got %v",
			shape, above, float64(scvMax), scv)
	}
	return nil
}
