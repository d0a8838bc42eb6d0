package exact

import "math"

// Log returns the natural logarithm of x: NaN below zero, minus infinity at zero.
//
// x = 2^k m with m between sqrt(1/2) and sqrt(2); with s = (m-1)/(m+1),
// log m = 2 s + 2/3 s^3 + 2/5 s^5 + ..., the tail by a minimax polynomial with
// error below 2^-58.
//
// Source: the method and the coefficients are those of K. C. Ng, Sun Microsystems,
// "e_log.c", FDLIBM 5.3 (1993).
func Log(x float64) float64 {
	if y, special := logSpecial(x); special {
		return y
	}
	k, m := split(x)
	f := m - 1
	s := f / (2 + f)
	halfSquare := float64(0.5 * float64(f*f))
	r := logTail(float64(s * s))
	low := float64(s*(halfSquare+r)) + float64(k*ln2Low)
	return float64(k*ln2High) - ((halfSquare - low) - f)
}

func logSpecial(x float64) (float64, bool) {
	switch {
	case x != x || math.IsInf(x, 1):
		return x, true
	case x < 0:
		return math.NaN(), true
	case x == 0:
		return math.Inf(-1), true
	}
	return 0, false
}

// split returns k, a whole number, and m in [sqrt(1/2), sqrt(2)) with x = 2^k m.
// x is positive and finite.
func split(x float64) (k, m float64) {
	const smallestNormal = 0x1p-1022
	shift := 0
	if x < smallestNormal {
		x, shift = x*0x1p54, 54
	}
	b := math.Float64bits(x)
	exponent := int(b>>52) - 1023
	m = math.Float64frombits(b&(1<<52-1) | 1023<<52)
	if m >= math.Sqrt2 {
		m, exponent = m/2, exponent+1
	}
	return float64(exponent - shift), m
}

// logTail returns (log(m) - 2s) / s for t = s^2.
func logTail(t float64) float64 {
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860511658591e-01
	)
	t2 := float64(t * t)
	odd := float64(t * add(add(add(l7, t2, l5), t2, l3), t2, l1))
	even := float64(t2 * add(add(l6, t2, l4), t2, l2))
	return odd + even
}

// Log1p returns log(1+x), precise also where x is small.
//
// With u = 1+x rounded, log(1+x) = log(u) + (x-(u-1))/u, up to the square of the
// rounding error.
func Log1p(x float64) float64 {
	u := 1 + x
	if u <= 0 || math.IsInf(u, 1) || u != u {
		return Log(u)
	}
	return Log(u) + (x-(u-1))/u
}
