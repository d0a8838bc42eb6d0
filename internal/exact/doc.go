// Package exact answers: what is exp(x), the same on every machine?
//
// The standard library has assembly versions of some functions on some
// processors, and the language lets a compiler fuse a multiplication with an
// addition. Either may change the last bit, and one bit in a duration reorders a
// simulation. The functions here have one path each, in Go, and every product
// that is added to is rounded first by an explicit conversion, which the language
// forbids to fuse. They use nothing of package math but what IEEE 754 defines to
// the bit: square root, rounding to integer, and the bits themselves.
//
// Relative errors against the true value stay below 1e-15 (Exp, Log, Log1p),
// 4e-15 (Pow) and 1e-14 (NormalQuantile).
package exact

// add returns a*b + c with both operations rounded.
func add(a, b, c float64) float64 { return float64(a*b) + c }

// polynomial evaluates the sum of coefficients[i] * x^i.
func polynomial(x float64, coefficients *[8]float64) float64 {
	sum := coefficients[7]
	for i := 6; i >= 0; i-- {
		sum = add(sum, x, coefficients[i])
	}
	return sum
}
