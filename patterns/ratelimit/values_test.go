package ratelimit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/resilsim/resilsim/patterns"
)

// refused plays calls that come by chance (Poisson) at load times the rate of 100 a
// second, and returns the share that is refused, in percent.
func refused(t *testing.T, c Config, load float64) float64 {
	t.Helper()
	l := New(compile(t, c))
	r := rand.New(rand.NewPCG(7, 11))
	now, no := 0.0, 0
	const calls = 60_000
	for range calls {
		now += r.ExpFloat64() * 1e7 / load
		if _, v := l.Reserve(patterns.Instant(now), 1, l.MaxWait()); !v.OK {
			no++
		}
	}
	return 100 * float64(no) / calls
}

// TestSuggestedValuesAreMeasured repeats the measurement behind the table in the
// package comment. A bucket of one is a server without a queue, of which Erlang
// knew the answer: load/(1 + load).
func TestSuggestedValuesAreMeasured(t *testing.T) {
	loads := []float64{0.5, 0.8, 0.95}
	bucket := func(n int) Config {
		c := perSecond(TokenBucket, 100)
		c.Burst = n
		return c
	}
	cycle := func(n int) Config {
		return Config{LimitForPeriod: n, LimitRefreshPeriod: patterns.Duration(n) * patterns.Duration(10*ms)}
	}
	smooth := func(n int) Config {
		c := perSecond(Smooth, 100)
		c.TimeoutDuration = patterns.Duration(n) * patterns.Duration(10*ms)
		return c
	}
	for _, row := range []struct {
		c    Config
		want []float64
	}{
		{bucket(1), []float64{33.3, 44.4, 48.7}},
		{bucket(5), []float64{0.2, 3.6, 8.3}},
		{bucket(10), []float64{0.0, 0.4, 3.2}},
		{bucket(20), []float64{0.0, 0.0, 0.9}},
		{bucket(50), []float64{0.0, 0.0, 0.0}},
		{cycle(1), []float64{21.3, 31.1, 35.5}},
		{cycle(5), []float64{2.5, 10.3, 15.7}},
		{cycle(10), []float64{0.4, 5.4, 10.5}},
		{cycle(20), []float64{0.0, 2.3, 7.0}},
		{cycle(50), []float64{0.0, 0.5, 3.7}},
		{smooth(1), []float64{5.6, 14.4, 19.6}},
		{smooth(5), []float64{0.0, 1.8, 5.9}},
		{smooth(10), []float64{0.0, 0.2, 2.5}},
		{smooth(20), []float64{0.0, 0.0, 0.8}},
		{smooth(50), []float64{0.0, 0.0, 0.0}},
	} {
		for i, load := range loads {
			if got := refused(t, row.c, load); math.Abs(got-row.want[i]) > 0.3+row.want[i]/50 {
				t.Errorf("%+v at %v: %.2f percent refused, the table says %v", row.c, load, got, row.want[i])
			}
			if erlang := 100 * load / (1 + load); row.c.Burst == 1 && math.Abs(erlang-row.want[i]) > 0.06 {
				t.Errorf("at %v the table says %v, Erlang %.2f", load, row.want[i], erlang)
			}
		}
	}
}

// TestCycleLetsTwiceItsLimitThroughAtItsEdge: the known weakness, which the law of
// its type allows. In the same 20 ms a bucket with a burst of 20 lets 22 through.
func TestCycleLetsTwiceItsLimitThroughAtItsEdge(t *testing.T) {
	bucket := perSecond(TokenBucket, 100)
	bucket.Burst = 20
	for _, row := range []struct {
		c    Config
		want int
	}{{perSecond(Cycle, 100), 200}, {bucket, 22}, {perSecond(Smooth, 100), 3}} {
		l, passed := New(compile(t, row.c)), 0
		for now := patterns.Instant(990 * ms); now <= 1010*ms; now += ms / 100 {
			if l.Try(now, 1).OK {
				passed++
			}
		}
		if passed != row.want {
			t.Errorf("%s: %d passed within 20 ms, want %d", row.c.Type, passed, row.want)
		}
	}
}
