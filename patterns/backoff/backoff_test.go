package backoff

import (
	"math"
	"math/big"
	"testing"
	"time"
)

// TestNthNeverOverflows compares e(n) with arithmetic of any size: exact where
// the powers are, and the cap (or the longest duration) wherever they are beyond.
func TestNthNeverOverflows(t *testing.T) {
	for _, row := range []struct {
		base, limit time.Duration
		multiplier  int64
	}{
		{time.Second, 5 * time.Second, 2}, {100 * time.Millisecond, 20 * time.Second, 2},
		{time.Nanosecond, 0, 2}, {time.Second, 0, 3}, {time.Hour, 0, 1}, {time.Minute, time.Second, 2},
	} {
		s := Series{Base: row.base, Multiplier: float64(row.multiplier), Max: row.limit}
		limit := big.NewInt(math.MaxInt64)
		if row.limit > 0 {
			limit = big.NewInt(int64(row.limit))
		}
		for _, n := range []int{1, 2, 3, 10, 30, 31, 62, 63, 64, 119, 1024, 100_000, math.MaxInt32, 1 << 31} {
			// Beyond 2000 the power only has to be beyond the cap.
			want := new(big.Int).Exp(big.NewInt(row.multiplier), big.NewInt(int64(min(n, 2000)-1)), nil)
			want.Mul(want, big.NewInt(int64(row.base)))
			if want.Cmp(limit) > 0 {
				want = limit
			}
			if got := s.Nth(n); int64(got) != want.Int64() {
				t.Errorf("%+v: wait %d is %d, want %s", s, n, got, want)
			}
		}
	}
}

// TestNthIsAtOnceAtAnyN: a multiplier barely above 1 at the largest n takes as
// long as any other, and is capped.
func TestNthIsAtOnceAtAnyN(t *testing.T) {
	s := Series{Base: time.Second, Multiplier: math.Nextafter(1, 2), Max: time.Minute}
	if got := s.Nth(math.MaxInt); got != time.Minute {
		t.Errorf("%s, want the cap", got)
	}
	if got := s.Nth(1); got != time.Second {
		t.Errorf("%s, want the base", got)
	}
}

// TestSpreadStaysInItsRange: within [1-f, 1+f] of the wait and below the cap, the
// ends reached at the ends of the draw.
func TestSpreadStaysInItsRange(t *testing.T) {
	s := Series{Base: time.Second, Multiplier: 2, Max: 10 * time.Second}
	last := math.Nextafter(1, 0)
	for n := 1; n < 200; n++ {
		for _, f := range []float64{0, 0.25, 0.5, 0.99} {
			e := math.Min(float64(s.Nth(n)), float64(s.Max)/(1+f))
			for _, draw := range []float64{0, 0.3, 0.5, 0.7, last} {
				got := float64(s.Spread(n, f, draw))
				if got < e*(1-f)-1 || got > e*(1+f)+1 || got > float64(s.Max) {
					t.Errorf("wait %d, factor %v, draw %v: %v is not within %v of %v", n, f, draw, got, f, e)
				}
			}
			if lo, hi := float64(s.Spread(n, f, 0)), float64(s.Spread(n, f, last)); lo > e*(1-f)+2 || hi < e*(1+f)-2 {
				t.Errorf("wait %d, factor %v: from %v to %v does not reach the ends of the range around %v", n, f, lo, hi, e)
			}
		}
	}
}

// TestSpreadNeverOverflows: at attempt 2^31 and the largest draw the cap holds, and
// without one the longest duration there is.
func TestSpreadNeverOverflows(t *testing.T) {
	last := math.Nextafter(1, 0)
	for _, n := range []int{64, 1 << 31, math.MaxInt} {
		free := Series{Base: time.Second, Multiplier: 2}
		if got := free.Spread(n, 0.5, last); got != math.MaxInt64 {
			t.Errorf("wait %d without a cap: %d", n, got)
		}
		free.Max = time.Minute
		if got := free.Spread(n, 0.5, last); got > time.Minute || got < time.Minute-2 {
			t.Errorf("wait %d: %s, want just the cap", n, got)
		}
	}
}

// TestZeroIsZero: no base, no wait; no multiplier, no growth.
func TestZeroIsZero(t *testing.T) {
	if got := (Series{Multiplier: 2, Max: time.Second}).Nth(5000); got != 0 {
		t.Errorf("without a base %s, want 0", got)
	}
	if got := (Series{Base: time.Second}).Nth(50); got != time.Second {
		t.Errorf("without a multiplier %s, want 1s", got)
	}
}
