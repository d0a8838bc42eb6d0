package stats

import (
	"fmt"
	"math"
)

// acceptAlpha is the chance that a right model is turned down, for each quantity:
// over 250 quantities some 2.5 % for random seeds. With fixed seeds an answer never
// changes.
const acceptAlpha = 1e-4

// exactTolerance is the relative error of a quantity that does not vary.
const exactTolerance = 1e-9

// Acceptance says whether a model gives a known value, and how it was decided.
type Acceptance struct {
	OK bool
	// Mean over the replications, and how far it may be from the wanted value.
	Mean, Allowed float64
	// HalfWidth95 of the 95 % interval, and how wide it may be.
	HalfWidth95, Widest float64
	// Why is a sentence with these figures.
	Why string
}

// Accept compares independent replications of a quantity with the value that theory
// gives, and accepts if and only if
//
//	|mean - want| <= t(n-1, 1 - 1e-4/2) * s / sqrt(n)   and
//	t(n-1, 0.975) * s / sqrt(n) <= maxRelHalfwidth * |want|
//
// The second stops a noisy test from passing whatever it measures. Values that do
// not vary at all must be within 1e-9 of want, relatively. Fewer than two values
// are not accepted.
func Accept(values []float64, want, maxRelHalfwidth float64) Acceptance {
	strict, usual := MeanInterval(values, 1-acceptAlpha), MeanInterval(values, 0.95)
	a := Acceptance{
		Mean: strict.Mean, Allowed: strict.HalfWidth,
		HalfWidth95: usual.HalfWidth, Widest: maxRelHalfwidth * math.Abs(want),
	}
	if strict.HalfWidth == 0 {
		a.Allowed = exactTolerance * math.Abs(want)
	}
	off := math.Abs(a.Mean - want)
	a.OK = off <= a.Allowed && a.HalfWidth95 <= a.Widest
	a.Why = fmt.Sprintf("mean %.6g of %d, wanted %.6g: off by %.3g, allowed %.3g; 95 %% half-width %.3g, allowed %.3g",
		a.Mean, len(values), want, off, a.Allowed, a.HalfWidth95, a.Widest)
	return a
}

// AcceptShare is Accept for a proportion of rare events: k of n were seen, and want
// must lie in the Clopper-Pearson interval at the same alpha.
func AcceptShare(k, n int, want float64) Acceptance {
	low, high := ClopperPearson(k, n, 1-acceptAlpha)
	a := Acceptance{Mean: float64(k) / float64(n), OK: low <= want && want <= high}
	a.Why = fmt.Sprintf("%d of %d, wanted %.6g: interval from %.6g to %.6g", k, n, want, low, high)
	return a
}
