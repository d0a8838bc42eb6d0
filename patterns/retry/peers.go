package retry

import (
	"math"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/patterns/backoff"
)

// resilience4j spreads the exponential before it is capped, in whole milliseconds,
// of which there is at least one.
func (b Backoff) resilience4j(n int, draw float64) time.Duration {
	free := backoff.Series{Base: b.series.Base, Multiplier: b.series.Multiplier}
	x := float64(free.Nth(n) / time.Millisecond)
	delta := float64(b.factor * x)
	ms := x - delta + float64(draw*(float64(2*delta)+1))
	return backoff.Truncate(math.Floor(max(ms, 1))*float64(time.Millisecond), b.series.Max)
}

// pollyScale brings the median of the first wait near the base.
const pollyScale = 1.4

// polly draws how far along a smooth curve of all waits so far the n-th retry lies;
// the wait is the way from the one before. sum is that of the waits before.
func (b Backoff) polly(n int, sum time.Duration, draw float64) (wait, newSum time.Duration) {
	t := float64(n-1) + draw
	far := exact.Pow(2, t) * tanh(math.Sqrt(4*t))
	newSum = backoff.Truncate(far*(float64(b.series.Base)/pollyScale), 0)
	return backoff.Truncate(float64(max(newSum-sum, 0)), b.series.Max), newSum
}

// tanh of y >= 0.
func tanh(y float64) float64 { return 1 - 2/(exact.Exp(2*y)+1) }

func (b Backoff) awsLegacy(n int, draw float64) time.Duration {
	free := backoff.Series{Base: b.series.Base, Multiplier: 2}
	reach := 2 * float64(free.Nth(n))
	if b.series.Max > 0 && reach > float64(b.series.Max) {
		return b.series.Max
	}
	return backoff.Truncate(draw*reach, b.series.Max)
}
