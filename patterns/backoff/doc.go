// Package backoff answers: how long is the n-th wait of a series that grows, and
// how is it spread by chance so that callers do not come back together?
//
// With base b, multiplier m, cap c (0: none) and n from 1:
//
//	e(n) = min(c, b * m^(n-1))
//
// computed by squaring and compared before it becomes an integer, so that it
// neither overflows nor turns negative at any n. The power uses multiplications
// only, each rounded to float64, so that every machine computes the same wait.
//
// A spread by factor f with draw U in [0,1) is e * (1 - f + 2fU). Its cap holds
// after spreading: e is first limited to c/(1+f), so that a wait neither exceeds
// the cap nor piles up on it.
//
// Suggested: m of 1.5 to 2, a cap of some 10 to 60 s, f of 0.25 to 0.5. A series
// without a spread is for a caller that is alone: many that failed together come
// back together.
package backoff
