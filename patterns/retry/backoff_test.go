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
	for _, n := range []int{1, 2, 40, 64, 1 << 31, math.MaxInt} {
		for kind := uint8(6); kind < 9; kind++ {
			f.Add(kind, int64(1e8), int64(3e9), 2.0, n, 0.999, int64(0))
			f.Add(kind, int64(math.MaxInt64), int64(0), 1.5, n, 0.5, int64(1e9))
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, base, limit int64, multiplier float64, n int, draw float64, prev int64) {
		kinds := []Jitter{None, Full, Equal, Factor, Decorrelated, A6, Resilience4j, Polly, AWSLegacy}
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
		if least := b.Wait(n, time.Duration(prev), 0); got < least && c.Jitter != Polly {
			t.Errorf("%+v: wait %d for draw %v is %d, below %d for draw 0", c, n, draw, got, least)
		}
	})
}

// TestNoWaitOverflowsAtTheFarthestAttempt: at attempt 2^31 and beyond every kind waits
// something from 0 to its cap, and without a cap at most the longest there is.
func TestNoWaitOverflowsAtTheFarthestAttempt(t *testing.T) {
	kinds := []Jitter{None, Full, Equal, Factor, Decorrelated, A6, Resilience4j, Polly, AWSLegacy}
	for _, kind := range kinds {
		for _, limit := range []time.Duration{0, 20 * time.Second} {
			b := backoffOf(t, func(c *Config) {
				c.Jitter, c.RandomizedWaitFactor = kind, 0.5
				c.ExponentialMaxWaitDuration = patterns.Duration(limit)
			})
			most := float64(math.MaxInt64)
			if limit > 0 {
				most = float64(limit) * 1.2 // a6 exceeds its cap by a fifth
			}
			for _, n := range []int{1 << 31, 1<<31 + 1, math.MaxInt} {
				for _, draw := range []float64{0, 0.5, math.Nextafter(1, 0)} {
					if got := b.Wait(n, 0, draw); got < 0 || float64(got) > most {
						t.Errorf("%s, cap %s: wait %d is %d", kind, limit, n, got)
					}
				}
			}
		}
	}
}

// TestResilience4jInWholeMilliseconds works the rule out in integers for draws that
// make it exact, and at its three edges: at least one, cut after spreading, capped.
func TestResilience4jInWholeMilliseconds(t *testing.T) {
	b := backoffOf(t, func(c *Config) {
		c.Jitter, c.RandomizedWaitFactor = Resilience4j, 0.5
		c.WaitDuration, c.ExponentialMaxWaitDuration = patterns.Duration(100*time.Millisecond), patterns.Duration(time.Second)
	})
	for _, row := range []struct {
		n    int
		draw float64
		ms   time.Duration
	}{
		{1, 0, 50}, {1, 0.5, 100}, {1, 0.75, 125}, {1, 0.9999, 150}, // 50 + U 101
		{3, 0.5, 400}, {4, 0.5, 800}, {5, 0, 800}, {5, 0.5, 1000}, {50, 0.5, 1000},
	} {
		if got := b.Wait(row.n, 0, row.draw); got != row.ms*time.Millisecond {
			t.Errorf("wait %d, draw %v: %s, want %d ms", row.n, row.draw, got, row.ms)
		}
	}
	none := backoffOf(t, func(c *Config) { c.Jitter, c.WaitDuration = Resilience4j, 0 })
	if got := none.Wait(1, 0, 0.9); got != time.Millisecond {
		t.Errorf("no base: %s, want 1ms", got)
	}
}

// TestPollyFollowsItsCurve sums the waits of drawn schedules and compares the sums
// with the curve that the rule is made of, worked out with math; the median of the
// first wait is near the base, and the cap cuts each wait but not the curve.
func TestPollyFollowsItsCurve(t *testing.T) {
	b := backoffOf(t, func(c *Config) { c.Jitter = Polly })
	capped := backoffOf(t, func(c *Config) {
		c.Jitter, c.ExponentialMaxWaitDuration = Polly, patterns.Duration(3*time.Second)
	})
	var sum, memory, cappedMemory time.Duration
	for n, draw := range []float64{0.5, 0.1, 0.9, 0.3, 0.999, 0, 0.7} {
		wait, m := b.Step(n+1, memory, draw)
		short, cm := capped.Step(n+1, cappedMemory, draw)
		memory, cappedMemory, sum = m, cm, sum+wait
		at := float64(n) + draw
		want := math.Exp2(at) * math.Tanh(math.Sqrt(4*at)) * 1e9 / 1.4
		if math.Abs(float64(sum)-want) > 2+want*1e-12 {
			t.Errorf("after wait %d: %d ns in all, want %.0f", n+1, sum, want)
		}
		if short != min(wait, 3*time.Second) {
			t.Errorf("wait %d capped: %s, want %s at most 3s", n+1, short, wait)
		}
	}
	if got := b.Wait(1, 0, 0.5); got < 850*time.Millisecond || got > 1150*time.Millisecond {
		t.Errorf("median of the first wait: %s, want about 1s", got)
	}
}

// TestAWSLegacyIsTheBareCapBeyondIt: spread below the cap, no draw moves it above.
func TestAWSLegacyIsTheBareCapBeyondIt(t *testing.T) {
	b := backoffOf(t, func(c *Config) {
		c.Jitter, c.ExponentialMaxWaitDuration = AWSLegacy, patterns.Duration(20*time.Second)
	})
	for _, row := range []struct {
		n    int
		draw float64
		want time.Duration
	}{{1, 0.5, time.Second}, {4, 0.25, 4 * time.Second}, {4, 0, 0}, {5, 0, 20 * time.Second}, {5, 0.5, 20 * time.Second}} {
		if got := b.Wait(row.n, 0, row.draw); got != row.want {
			t.Errorf("wait %d, draw %v: %s, want %s", row.n, row.draw, got, row.want)
		}
	}
}
