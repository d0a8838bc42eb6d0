package backoff

import (
	"math"
	"time"
)

// Series is a sequence of growing waits. The zero Series waits 0.
type Series struct {
	// Base is the first wait, at least 0.
	Base time.Duration
	// Multiplier is the growth from wait to wait, at least 1; 0 is taken as 1.
	Multiplier float64
	// Max caps every wait; 0: no cap but the longest time.Duration.
	Max time.Duration
}

// Nth returns e(n), the n-th wait from 1, capped.
func (s Series) Nth(n int) time.Duration { return Truncate(s.nth(n), s.Max) }

// Spread returns the n-th wait spread by factor f in [0,1) with a draw in [0,1).
// It is never above Max.
func (s Series) Spread(n int, f, draw float64) time.Duration {
	e := s.nth(n)
	if s.Max > 0 {
		e = min(e, float64(s.Max)/(1+f))
	}
	return Truncate(e*Factor(f, draw), s.Max)
}

// Factor returns 1 - f + 2f*draw, which is uniform in [1-f, 1+f).
func Factor(f, draw float64) float64 { return 1 - f + float64(2*f*draw) }

// nth is e(n) in nanoseconds, not yet an integer.
func (s Series) nth(n int) float64 {
	if s.Base <= 0 {
		return 0
	}
	e := float64(s.Base) * power(s.Multiplier, n-1)
	if s.Max > 0 {
		e = min(e, float64(s.Max))
	}
	return e
}

// power returns m^k by squaring; +Inf when it is too large. A multiplier below
// 1 or a k below 1 gives 1.
func power(m float64, k int) float64 {
	p := 1.0
	if m <= 1 {
		return p
	}
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			p = float64(p * m)
		}
		m = float64(m * m)
	}
	return p
}

// Truncate turns a wait in nanoseconds into a duration, saturating at limit
// (0: the longest duration) instead of overflowing.
func Truncate(ns float64, limit time.Duration) time.Duration {
	if limit <= 0 {
		limit = math.MaxInt64
	}
	if ns >= float64(limit) {
		return limit
	}
	return time.Duration(ns)
}
