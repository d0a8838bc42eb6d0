package dist

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/sim/engine"
)

// Constant is the same duration every time. It takes a draw as all others do, so
// that replacing it shifts no later draw of the stream. The zero value is zero.
type Constant struct{ value time.Duration }

// NewConstant returns the constant value, from 0 to Longest.
func NewConstant(value time.Duration) (Constant, error) {
	if value < 0 || value > Longest {
		return Constant{}, fmt.Errorf("dist: constant: value must be from 0 to %v, got %v", Longest, value)
	}
	return Constant{value}, nil
}

func (c Constant) Sample(s *engine.Stream) time.Duration {
	s.Uint64()
	return c.value
}

func (c Constant) Quantile(float64) time.Duration { return c.value }
func (c Constant) Mean() time.Duration            { return c.value }
func (c Constant) String() string                 { return fmt.Sprintf("constant %v", c.value) }
