package record

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Quantiles of intervals, of pooled windows and of the run lie within a bucket
// (1/128) above the exact ones of a sorted list. 20,000 lognormal latencies over
// 10 intervals, fixed seed.
func TestQuantilesAreWithinABucketOfTheExactOnes(t *testing.T) {
	r, rng := recorder(10*s, s, 0), rand.New(rand.NewPCG(1, 2))
	exact := make([][]float64, 10)
	for i := range 20000 {
		at := time.Duration(i) * (10 * s / 20000)
		took := time.Duration(50e6 * math.Exp(rng.NormFloat64()))
		r.RequestSent(at, 0)
		r.RequestEnded(at, 0, 1, 0, took)
		exact[at/s] = append(exact[at/s], float64(took)/1e6)
	}
	closed(t, r, 10*s, counted{})
	series := r.Series()
	near(t, "p99 of an interval", series.Column("callers.web", "latency_p99")[3], exact[3], 0.99)
	near(t, "p50 of an interval", series.Column("callers.web", "latency_p50")[9], exact[9], 0.5)
	near(t, "p99 of a window", r.QuantileMS(0, 0.99, 2, 7), slices.Concat(exact[2:7]...), 0.99)
	near(t, "p99.9 of the run", *r.Latency()[0].P999MS, slices.Concat(exact...), 0.999)
	near(t, "pooled over the run", r.QuantileMS(0, 0.999, 0, 10), slices.Concat(exact...), 0.999)
}

func near(t *testing.T, what string, got float64, exact []float64, share float64) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(exact))
	// The library's rank is round(share*n); one rank of slack on either side.
	rank := int(math.Round(share*float64(len(sorted)))) - 1
	low, high := sorted[max(rank-1, 0)], sorted[min(rank+1, len(sorted)-1)]*(1+1.0/128)
	if got < low || got > high {
		t.Errorf("%s: %v, want from %v to %v", what, got, low, high)
	}
}

// A window in which nothing was answered has no quantile.
func TestAnEmptyWindowHasNoQuantile(t *testing.T) {
	r := recorder(5*s, s, 0)
	answer(r, 0, ms)
	closed(t, r, 5*s, counted{})
	if got := r.QuantileMS(0, 0.5, 1, 5); !math.IsNaN(got) {
		t.Errorf("an empty window: %v", got)
	}
	if got := r.QuantileMS(0, 0.5, 0, 5); got != 1 {
		t.Errorf("one call of 1 ms: %v", got)
	}
	if row := recorder(s, s, 0).Latency()[0]; row.P99MS != nil || row.Count != 0 {
		t.Errorf("nothing heard: %+v", row)
	}
}

// Classes hold every call once, at its class: 1 ms is at most 1, 1.5 ms at most 2.
// A call of two days is counted in the last class.
func TestHistogramsHoldEveryCallOnce(t *testing.T) {
	r := recorder(2*s, s, 0)
	for _, took := range []time.Duration{0, ms, 1500 * time.Microsecond, 1900 * time.Microsecond, 48 * time.Hour} {
		r.RequestSent(0, 0)
		r.RequestEnded(s, 0, 1, 0, took)
	}
	closed(t, r, 2*s, counted{})
	got := map[float64]uint64{}
	for _, row := range r.Histograms() {
		if row.TS != 1 || row.Scope != "callers.web" {
			t.Errorf("row %+v", row)
		}
		got[row.LeMS] += row.Count
	}
	if len(got) != 4 || got[0.1] != 1 || got[1] != 1 || got[2] != 2 || got[1e8] != 1 {
		t.Errorf("classes %v", got)
	}
}
