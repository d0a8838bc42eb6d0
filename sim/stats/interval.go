package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a mean with its confidence interval.
type Interval struct {
	N          int
	Mean       float64
	HalfWidth  float64 // infinite for fewer than two values
	Confidence float64
}

// Low is the lower end.
func (i Interval) Low() float64 { return i.Mean - i.HalfWidth }

// High is the upper end.
func (i Interval) High() float64 { return i.Mean + i.HalfWidth }

// MeanInterval is the mean over independent replications with Student's interval
// mean +- t(n-1, (1+confidence)/2) * s / sqrt(n). confidence is in (0,1). The mean
// of nothing is NaN.
func MeanInterval(values []float64, confidence float64) Interval {
	i := Interval{N: len(values), Mean: math.NaN(), HalfWidth: math.Inf(1), Confidence: confidence}
	if i.N > 0 {
		i.Mean = stat.Mean(values, nil)
	}
	if i.N > 1 {
		i.HalfWidth = tQuantile(i.N-1, (1+confidence)/2) * stat.StdDev(values, nil) / math.Sqrt(float64(i.N))
	}
	return i
}

// tQuantile of Student's distribution.
func tQuantile(degrees int, p float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}.Quantile(p)
}

// ClopperPearson is the exact confidence interval of a proportion of which k of n
// were seen, 0 <= k <= n and n above 0: quantiles of beta distributions. It covers
// at least confidence, never less.
//
// Source: Clopper, Pearson, "The use of confidence or fiducial limits illustrated
// in the case of the binomial", Biometrika 26, 1934.
func ClopperPearson(k, n int, confidence float64) (low, high float64) {
	tail := (1 - confidence) / 2
	low, high = 0, 1
	if k > 0 {
		low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		high = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return low, high
}
