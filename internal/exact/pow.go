package exact

import "math"

// wholeMax is the largest exponent that is worked out by multiplication, which is
// exact where the result has at most 53 bits: doubling backoffs stay whole.
const wholeMax = 32

// Pow returns x to the power y for x >= 0; NaN for x < 0. Pow(x, 0) and Pow(1, y)
// are 1, Pow(0, y) is 0 or, for y < 0, infinite.
//
// x^y = exp(y log x), with log x and the product in two parts of 53 bits, because
// an error of the exponent is an error of the result up to 745 times as large.
func Pow(x, y float64) float64 {
	switch {
	case y == 0 || x == 1:
		return 1
	case x != x || y != y || x < 0:
		return math.NaN()
	case x == 0 || math.IsInf(x, 1) || math.IsInf(y, 0):
		return powLimit(x, y)
	case y > 0 && y <= wholeMax && y == math.Trunc(y):
		return powWhole(x, int(y))
	}
	high, low := logParts(x)
	p, rest := product(y, high)
	if p > 2*expMax || p < 2*expMin {
		return Exp(p)
	}
	rest += float64(y * low)
	e := Exp(p)
	if math.IsInf(e, 1) {
		return e
	}
	return e + float64(e*rest)
}

// powLimit is x^y where x is 0 or infinite, or y is infinite.
func powLimit(x, y float64) float64 {
	if (x > 1) == (y > 0) {
		return math.Inf(1)
	}
	return 0
}

func powWhole(x float64, n int) float64 {
	result := x
	for range n - 1 {
		result *= x
	}
	return result
}

// logParts returns log x as an unevaluated sum of two numbers with a relative
// error near 2^-58. It is the series of Log, with the first term, 2s, in two parts.
func logParts(x float64) (high, low float64) {
	k, m := split(x)
	f := m - 1
	d := 2 + f
	s := f / d
	p, rest := product(s, d)
	dLow := f - (d - 2)
	sLow := ((f - p) - rest - float64(s*dLow)) / d
	tail := float64(s * logSeries(float64(s*s)))
	high, low = sum(float64(k*ln2High), 2*s)
	low += float64(2*sLow) + tail + float64(k*ln2Low)
	return sum(high, low)
}

// logSeries returns (log(m) - 2s) / s for t = s^2, as logTail does, but to 2^-58 of
// log m itself: the power series 2 (t/3 + t^2/5 + ...), for t <= 0.0295.
func logSeries(t float64) float64 {
	const terms = 23
	total := 0.0
	for n := terms; n >= 3; n -= 2 {
		total = float64((total + 2/float64(n)) * t)
	}
	return total
}

// sum returns a+b exactly, as a rounded number and what was lost (Knuth).
func sum(a, b float64) (rounded, lost float64) {
	rounded = a + b
	bb := rounded - a
	return rounded, (a - (rounded - bb)) + (b - bb)
}

// product returns a*b exactly, as a rounded number and what was lost (Dekker 1971),
// where neither is so large that splitting overflows.
func product(a, b float64) (rounded, lost float64) {
	rounded = float64(a * b)
	aHigh, aLow := halves(a)
	bHigh, bLow := halves(b)
	lost = float64(aHigh*bHigh) - rounded
	lost += float64(aHigh * bLow)
	lost += float64(aLow * bHigh)
	lost += float64(aLow * bLow)
	return rounded, lost
}

// halves splits a number into two of 26 bits (Veltkamp).
func halves(a float64) (high, low float64) {
	c := float64(a * (1<<27 + 1))
	high = c - (c - a)
	return high, a - high
}
