package dist

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/sim/engine"
)

// Uniform is any duration between Min and Max with equal probability.
type Uniform struct{ min, max time.Duration }

// NewUniform returns the uniform distribution from min to max, with
// 0 <= min <= max <= Longest and max longer than 0.
func NewUniform(min, max time.Duration) (Uniform, error) {
	if err := checkLength("uniform", "max", max); err != nil {
		return Uniform{}, err
	}
	if min < 0 || min > max {
		return Uniform{}, fmt.Errorf("dist: uniform: min must be from 0 to max (%v), got %v", max, min)
	}
	return Uniform{min, max}, nil
}

func (u Uniform) Sample(s *engine.Stream) time.Duration { return u.Quantile(s.Unit()) }

// Quantile is min + p (max - min).
func (u Uniform) Quantile(p float64) time.Duration {
	return u.min + nanoseconds(draw(p)*float64(u.max-u.min))
}

func (u Uniform) Mean() time.Duration { return u.min + (u.max-u.min)/2 }
func (u Uniform) String() string      { return fmt.Sprintf("uniform %v..%v", u.min, u.max) }
