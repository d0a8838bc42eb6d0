package retry

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns/backoff"
)

// Backoff is the schedule of waits between attempts. With b the base, m the
// multiplier, c the cap, e(n) the capped exponential of package backoff, U a draw in
// [0,1), f the factor, n from 1:
//
//	none          e(n)
//	full          U e(n)
//	equal         e(n)/2 + U e(n)/2
//	factor        min(c/(1+f), b m^(n-1)) (1 - f + 2fU)
//	decorrelated  min(c, b + U (3 prev - b)); prev is b at first
//	a6            e(n) (0.8 + 0.4 U), not capped again
//	resilience4j  x = b m^(n-1) in ms; min(c, max(1, x - fx + U (2fx + 1))), whole ms
//	polly         t = n - 1 + U, s(n) = 2^t tanh(sqrt(4t)); min(c, (s(n) - s(n-1)) b/1.4)
//	aws_legacy    U b 2^n, but c alone where b 2^n is above c
//
// full, equal, decorrelated: AWS Architecture Blog 2015. a6: gRPC proposal A6.
// resilience4j: IntervalFunction.ofExponentialRandomBackoff. polly: its
// DecorrelatedJitterBackoffV2. aws_legacy: SDK for Go v2 before 2026, b = 1 s.
//
// none, full, equal and factor keep to D6: never above the cap and, but for none,
// not all on it either. The last three are what those libraries do, and pile up on
// the cap.
type Backoff struct {
	series backoff.Series
	kind   Jitter
	factor float64
}

const a6Factor = 0.2

// NewBackoff returns the schedule that the settings describe. Without
// enableExponentialBackoff every e(n) is waitDuration. The error tells every
// fault of the settings that concern waits.
func NewBackoff(c Config) (Backoff, error) {
	if err := c.validateBackoff().Err(); err != nil {
		return Backoff{}, fmt.Errorf("retry: %w", err)
	}
	return newBackoff(c, c.WaitDuration.Std()), nil
}

func newBackoff(c Config, base time.Duration) Backoff {
	b := Backoff{
		series: backoff.Series{Base: base, Multiplier: 1, Max: c.ExponentialMaxWaitDuration.Std()},
		kind:   c.jitter(), factor: c.RandomizedWaitFactor,
	}
	if c.EnableExponentialBackoff {
		b.series.Multiplier = c.ExponentialBackoffMultiplier
	}
	return b
}

// NeedsDraw reports whether Wait uses its draw.
func (b Backoff) NeedsDraw() bool { return b.kind != None && b.kind != "" }

// Wait returns the wait before the n-th retry, n from 1. prev is what Step
// remembered of the wait before it, 0 if there was none. The draw is in [0,1).
// The wait is never negative and, a6 aside, never above the cap, at any n.
func (b Backoff) Wait(n int, prev time.Duration, draw float64) time.Duration {
	wait, _ := b.Step(n, prev, draw)
	return wait
}

// Step is Wait, and returns what the next one is told about this one: the wait
// itself, but for polly the sum of all waits before they were capped.
func (b Backoff) Step(n int, prev time.Duration, draw float64) (wait, remember time.Duration) {
	if b.kind == Polly {
		return b.polly(n, prev, draw)
	}
	wait = b.wait(n, prev, draw)
	return wait, wait
}

func (b Backoff) wait(n int, prev time.Duration, draw float64) time.Duration {
	e := b.series.Nth(n)
	switch b.kind {
	case Full:
		return backoff.Truncate(draw*float64(e), e)
	case Equal:
		half := float64(e) / 2
		return backoff.Truncate(half+float64(draw*half), e)
	case Factor:
		return b.series.Spread(n, b.factor, draw)
	case Decorrelated:
		return b.decorrelated(prev, draw)
	case A6:
		return backoff.Truncate(float64(e)*backoff.Factor(a6Factor, draw), 0)
	case Resilience4j:
		return b.resilience4j(n, draw)
	case AWSLegacy:
		return b.awsLegacy(n, draw)
	}
	return e
}

func (b Backoff) decorrelated(prev time.Duration, draw float64) time.Duration {
	base := float64(b.series.Base)
	if prev <= 0 {
		prev = b.series.Base
	}
	reach := float64(3*float64(prev)) - base
	return backoff.Truncate(base+float64(draw*max(reach, 0)), b.series.Max)
}
