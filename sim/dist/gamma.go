package dist

import "github.com/resilsim/resilsim/internal/exact"

// halfLog2Pi is ln(2 pi)/2.
const halfLog2Pi = 0.91893853320467274178

// stirlingFrom is where the series of logGamma is precise: its first term left out
// is below 1e-14 there.
const stirlingFrom = 12

// logGamma returns ln Gamma(x) for x >= 1, to about 1e-13.
//
// Source: Stirling's series (Abramowitz and Stegun, Handbook of Mathematical
// Functions, 1964, 6.1.41), after moving x up by Gamma(x+1) = x Gamma(x).
func logGamma(x float64) float64 {
	product := 1.0
	for x < stirlingFrom {
		product *= x
		x++
	}
	y := 1 / float64(x*x)
	series := 1.0 / 1188
	for _, c := range [4]float64{-1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12} {
		series = float64(series*y) + c
	}
	return float64((x-0.5)*exact.Log(x)) - x + halfLog2Pi + series/x - exact.Log(product)
}
