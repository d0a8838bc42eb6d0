package dist

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/sim/engine"
)

// Exponential is the memoryless distribution: how long it took so far says nothing
// about how long it will take. Its squared coefficient of variation is 1.
type Exponential struct{ mean time.Duration }

// NewExponential returns the exponential distribution with a mean in (0, Longest].
func NewExponential(mean time.Duration) (Exponential, error) {
	if err := checkLength("exponential", "mean", mean); err != nil {
		return Exponential{}, err
	}
	return Exponential{mean}, nil
}

func (e Exponential) Sample(s *engine.Stream) time.Duration { return e.Quantile(s.Unit()) }

// Quantile is -mean ln(1-p). For a draw, which is a multiple of 2^-53, 1-p is exact.
func (e Exponential) Quantile(p float64) time.Duration {
	return nanoseconds(-float64(e.mean) * exact.Log(1-draw(p)))
}

func (e Exponential) Mean() time.Duration { return e.mean }
func (e Exponential) String() string      { return fmt.Sprintf("exponential %v", e.mean) }
