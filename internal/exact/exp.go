package exact

import "math"

// ln 2 in two parts; the first has 20 trailing zero bits, so that its product
// with any exponent is exact.
const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

const (
	expMax = 7.09782712893383973096e+02  // above it the result is infinite
	expMin = -7.45133219101941108420e+02 // below it the result is zero
)

// Exp returns e to the power x.
//
// x = k ln 2 + r with |r| <= ln(2)/2; e^r by a rational approximation with error
// below 2^-59; the result is scaled by 2^k.
//
// Source: the method and the coefficients are those of K. C. Ng, Sun Microsystems,
// "e_exp.c", FDLIBM 5.3 (1993).
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > expMax:
		return math.Inf(1)
	case x < expMin:
		return 0
	}
	k := math.RoundToEven(x * (1 / math.Ln2))
	high := x - float64(k*ln2High)
	low := float64(k * ln2Low)
	r := high - low
	t := float64(r * r)
	c := add(4.13813679705723846039e-08, t, -1.65339022054652515390e-06)
	c = add(c, t, 6.61375632143793436117e-05)
	c = add(c, t, -2.77777777770155933842e-03)
	c = add(c, t, 1.66666666666666019037e-01)
	c = r - float64(c*t)
	y := 1 - ((low - float64(r*c)/(2-c)) - high)
	return scale(y, int(k))
}

// scale returns y * 2^k for y near 1 and k from -1075 to 1024. Two factors keep
// each a normal number; the second product is the only one that may round.
func scale(y float64, k int) float64 {
	half := k / 2
	return y * power2(half) * power2(k-half)
}

func power2(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }
