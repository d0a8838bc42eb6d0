package models

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/engine"
)

// wavy rises, falls to nothing, and comes back in a ramp that is cut off.
func wavy() []RatePoint {
	return []RatePoint{
		{Rate: 100},
		{At: 10 * time.Second, Rate: 300, Ramp: 5 * time.Second},
		{At: 20 * time.Second, Rate: 0, Ramp: 2 * time.Second},
		{At: 30 * time.Second, Rate: 1000, Ramp: 10 * time.Second},
		{At: 35 * time.Second, Rate: 50},
	}
}

// The cumulative rate is the integral of the rate: compared with sums over
// slices of 10 µs, whose error for straight pieces is that of rounding.
func TestCumulativeRateIsTheIntegral(t *testing.T) {
	c := newCurve(wavy())
	const dt = 10 * time.Microsecond
	sum := 0.0
	for at := time.Duration(0); at < 40*time.Second; at += dt {
		if at%time.Second == 0 && math.Abs(c.expected(at)-sum) > 1e-6 {
			t.Fatalf("at %v: expected %.9f, integral %.9f", at, c.expected(at), sum)
		}
		sum += c.rateAt(at+dt/2) * dt.Seconds()
	}
}

// Reach inverts expected to within a nanosecond's worth of rate, never goes back,
// and says never when the rate stays at 0.
func TestReachInvertsTheCumulativeRate(t *testing.T) {
	c := newCurve(append(wavy(), RatePoint{At: 60 * time.Second, Rate: 0}))
	total := c.expected(60 * time.Second)
	last := time.Duration(0)
	for x := 0.0; x < total; x += 0.37 {
		at := c.reach(x)
		if at < last || at > 60*time.Second {
			t.Fatalf("%.2f is reached at %v, after %v", x, at, last)
		}
		if off := math.Abs(c.expected(at) - x); off > 1e-6 {
			t.Fatalf("%.2f is reached at %v, where %.8f are expected", x, at, c.expected(at))
		}
		last = at
	}
	if at := c.reach(total + 1e-3); at != never {
		t.Errorf("more than all is reached at %v", at)
	}
}

// A factor from the middle of a ramp on multiplies what is expected after it and
// leaves what came before.
func TestSurgeMultipliesWhatIsToCome(t *testing.T) {
	base := newCurve(wavy())
	a := generator{base: base, surges: []*surge{{times: 3}, {times: 0.5}}}
	now := 12 * time.Second
	c := base.from(now, &base, a.change)
	for _, at := range []time.Duration{13 * time.Second, 21 * time.Second, 50 * time.Second} {
		want := base.expected(now) + 1.5*(base.expected(at)-base.expected(now))
		if math.Abs(c.expected(at)-want) > 1e-6 {
			t.Errorf("at %v: %.6f expected, want %.6f", at, c.expected(at), want)
		}
	}
	a.surges = append(a.surges, &surge{rate: 40})
	c = base.from(now, &base, a.change)
	if got, want := c.expected(22*time.Second), base.expected(now)+10*40*1.5; math.Abs(got-want) > 1e-6 {
		t.Errorf("an absolute rate: %.6f expected, want %.6f", got, want)
	}
}

// Counts of Poisson arrivals in seconds of rate 100 have mean and variance 100,
// and the uniform law spaces them evenly. 20,000 seconds; 4 standard errors of
// sqrt(100/n) for the mean and of 100 sqrt(2/n) for the variance.
func TestPoissonCounts(t *testing.T) {
	const n = 20_000
	a := generator{curve: newCurve([]RatePoint{{Rate: 100}})}
	var counts [n]float64
	for {
		a.draw(engine.Seed(7), 0, 1)
		at := int(a.curve.reach(a.target) / time.Second)
		if at >= n {
			break
		}
		counts[at]++
	}
	var sum, squares float64
	for _, c := range counts {
		sum += c
		squares += c * c
	}
	mean := sum / n
	variance := squares/n - mean*mean
	if math.Abs(mean-100) > 4*math.Sqrt(100.0/n) || math.Abs(variance-100) > 4*100*math.Sqrt(2.0/n) {
		t.Errorf("mean %.3f, variance %.3f, want 100 and 100", mean, variance)
	}
	even := generator{curve: newCurve([]RatePoint{{Rate: 8}}), uniform: true}
	for k := 1; k <= 1000; k++ {
		even.draw(engine.Seed(7), 0, 1)
		if at, want := even.curve.reach(even.target), time.Duration(k)*125*time.Millisecond; at != want {
			t.Fatalf("arrival %d at %v, want %v", k, at, want)
		}
	}
}

// Each of ten instances gets a tenth of the requests: chi-square with 9 degrees of
// freedom below 27.9, its quantile at 0.999.
func TestRequestsSpreadEvenlyOverInstances(t *testing.T) {
	const n, k = 100_000, 10
	a := generator{}
	var counts [k]float64
	for range n {
		a.draw(engine.Seed(3), 5, k)
		counts[a.instance]++
	}
	chi := 0.0
	for _, c := range counts {
		chi += (c - n/k) * (c - n/k) / (n / k)
	}
	if chi > 27.9 {
		t.Errorf("chi-square %.1f: %v", chi, counts)
	}
}
