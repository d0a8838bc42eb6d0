package retry

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns/backoff"
)

// Backoff is the schedule of waits between attempts. With e(n) the capped
// exponential of package backoff, U a draw in [0,1), f the factor:
//
//	none          e(n)
//	full          U e(n)
//	equal         e(n)/2 + U e(n)/2
//	factor        e(n) (1 - f + 2fU), the cap holding after spreading
//	decorrelated  min(cap, base + U (3 prev - base)); prev is base at first
//	a6            e(n) (0.8 + 0.4 U), not capped again (gRPC)
//
// full, equal, decorrelated: AWS Architecture Blog 2015. a6: gRPC proposal A6.
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
	return newBackoff(c), nil
}

func newBackoff(c Config) Backoff {
	b := Backoff{
		series: backoff.Series{
			Base: c.WaitDuration.Std(), Multiplier: 1, Max: c.ExponentialMaxWaitDuration.Std(),
		},
		kind: c.jitter(), factor: c.RandomizedWaitFactor,
	}
	if c.EnableExponentialBackoff {
		b.series.Multiplier = c.ExponentialBackoffMultiplier
	}
	return b
}

// NeedsDraw reports whether Wait uses its draw.
func (b Backoff) NeedsDraw() bool { return b.kind != None && b.kind != "" }

// Wait returns the wait before the n-th retry, n from 1. prev is the wait before
// this one, 0 if there was none; only decorrelated uses it. The draw is in [0,1).
// The wait is never negative and, a6 aside, never above the cap, at any n.
func (b Backoff) Wait(n int, prev time.Duration, draw float64) time.Duration {
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
