package retry

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

func backoffOf(t testing.TB, change func(*Config)) Backoff {
	t.Helper()
	c := Config{
		WaitDuration: patterns.Duration(time.Second), EnableExponentialBackoff: true, ExponentialBackoffMultiplier: 2,
	}
	change(&c)
	b, err := NewBackoff(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestH12_WaitsNeverOverflow: base 1 s, factor 2, cap 5 s, far attempts; and
// without a cap the wait grows until it is the longest there is.
func TestH12_WaitsNeverOverflow(t *testing.T) {
	capped := backoffOf(t, func(c *Config) { c.ExponentialMaxWaitDuration = patterns.Duration(5 * time.Second) })
	for _, n := range []int{62, 63, 119, math.MaxInt} {
		if got := capped.Wait(n, 0, 0); got != 5*time.Second {
			t.Errorf("wait %d is %s, want 5s", n, got)
		}
	}
	free, before := backoffOf(t, func(*Config) {}), time.Duration(0)
	for n := 1; n < 2000; n++ {
		got := free.Wait(n, 0, 0)
		if got < before || (got == before && got != math.MaxInt64) {
			t.Fatalf("wait %d is %s after %s", n, got, before)
		}
		before = got
	}
}

// TestH13_JitterStaysBelowTheCap: cap 60 s, factor 25 percent, attempt 12, the
// largest draw; and below the cap it does not pile up on one value.
func TestH13_JitterStaysBelowTheCap(t *testing.T) {
	b := backoffOf(t, func(c *Config) {
		c.ExponentialMaxWaitDuration = patterns.Duration(time.Minute)
		c.EnableRandomizedWait, c.RandomizedWaitFactor = true, 0.25
	})
	if got := b.Wait(12, 0, math.Nextafter(1, 0)); got > time.Minute || got < 59*time.Second {
		t.Errorf("largest draw: %s is not just below the cap of 1m", got)
	}
	if got := b.Wait(12, 0, 0.9); got >= b.Wait(12, 0, 0.95) {
		t.Errorf("two draws, one wait: %s", got)
	}
}

// FuzzWaitsStayInTheirRange takes any kind, number, draw and sizes: the wait is
// never negative, never above the kind's largest, and grows with the draw.
func FuzzWaitsStayInTheirRange(f *testing.F) {
	f.Add(uint8(0), int64(1e9), int64(0), 2.0, 5, 0.5, int64(0))
	f.Add(uint8(1), int64(1e9), int64(2e10), 1.5, 62, 0.999, int64(0))
	f.Add(uint8(2), int64(math.MaxInt64), int64(0), 10.0, 1000, 0.25, int64(0))
	f.Add(uint8(3), int64(1e8), int64(3e9), 3.0, 12, 0.75, int64(0))
	f.Add(uint8(4), int64(1e8), int64(3e9), 3.0, 12, 0.75, int64(2e9))
	f.Add(uint8(5), int64(1e8), int64(3e9), 2.0, 12, 0.999, int64(math.MaxInt64))
	f.Add(uint8(4), int64(1e8), int64(1), 2.0, 3, 0.0, int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, kind uint8, base, limit int64, multiplier float64, n int, draw float64, prev int64) {
		kinds := []Jitter{None, Full, Equal, Factor, Decorrelated, A6}
		c := Config{
			WaitDuration: patterns.Duration(base), ExponentialMaxWaitDuration: patterns.Duration(limit),
			EnableExponentialBackoff: true, ExponentialBackoffMultiplier: multiplier,
			Jitter: kinds[int(kind)%len(kinds)], RandomizedWaitFactor: 0.3,
		}
		b, err := NewBackoff(c)
		if err != nil || !(draw >= 0 && draw < 1) || n < 1 || prev < 0 {
			return
		}
		got := b.Wait(n, time.Duration(prev), draw)
		most := float64(math.MaxInt64)
		if limit > 0 {
			most = float64(limit)
		}
		if c.Jitter == A6 {
			most *= 1.2
		}
		if got < 0 || float64(got) > most {
			t.Errorf("%+v: wait %d for draw %v is %d, not in [0, %v]", c, n, draw, got, most)
		}
		if least := b.Wait(n, time.Duration(prev), 0); got < least {
			t.Errorf("%+v: wait %d for draw %v is %d, below %d for draw 0", c, n, draw, got, least)
		}
	})
}
