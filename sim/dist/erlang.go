package dist

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/sim/engine"
)

// Erlang is the sum of k exponential phases of equal mean: less variable than one
// exponential, with a squared coefficient of variation of 1/k.
type Erlang struct {
	k       int
	mean    time.Duration
	logFact float64 // ln k!
}

// erlangMax bounds the phases; with more of them the sum is all but constant.
const erlangMax = 100

// NewErlang returns the Erlang distribution with k phases, 1 to 100, and a mean of
// all phases together in (0, Longest].
func NewErlang(k int, mean time.Duration) (Erlang, error) {
	if k < 1 || k > erlangMax {
		return Erlang{}, fmt.Errorf("dist: erlang: k must be from 1 to %d, got %d", erlangMax, k)
	}
	if err := checkLength("erlang", "mean", mean); err != nil {
		return Erlang{}, err
	}
	logFact := 0.0
	for n := 2; n <= k; n++ {
		logFact += exact.Log(float64(n))
	}
	return Erlang{k, mean, logFact}, nil
}

func (e Erlang) Sample(s *engine.Stream) time.Duration { return e.Quantile(s.Unit()) }
func (e Erlang) Mean() time.Duration                   { return e.mean }
func (e Erlang) String() string                        { return fmt.Sprintf("erlang %d %v", e.k, e.mean) }

// Quantile has no closed form. It is found by Newton steps, below the middle on
// ln P over ln x and above it on ln Q over x, where P is the distribution function
// of the sum in phases and Q = 1-P. Both functions are concave, so from the second
// step on the steps come from one side and cannot miss. Samples are exact to about
// 1e-14 of themselves.
func (e Erlang) Quantile(p float64) time.Duration {
	p = draw(p)
	if p == 0 {
		return 0
	}
	x := e.start(p)
	if p < 0.5 {
		x = e.solveLower(x, exact.Log(p))
	} else {
		x = e.solveUpper(x, exact.Log(1-p))
	}
	return nanoseconds(x * (float64(e.mean) / float64(e.k)))
}

// start is the approximation of Wilson and Hilferty (PNAS 17, 1931): the cube root
// of x/k is nearly normal. Far down it fails; there P is close to x^k/k!, which is
// never below P, so its solution is a lower bound.
func (e Erlang) start(p float64) float64 {
	k := float64(e.k)
	root := 1 - 1/(9*k) + exact.NormalQuantile(p)/(3*math.Sqrt(k))
	x := k * root * root * root
	bound := exact.Exp((exact.Log(p) + e.logFact) / k)
	return math.Max(x, bound)
}

// The error after a step is near the square of the step, both relative to x: the
// step that is smaller than stepSmall is the last.
const (
	stepsMax  = 60
	stepSmall = 1e-8
)

// solveLower finds x with ln P(x) = target. The derivative of ln P over ln x is
// k / series, from P = x^k e^-x / k! * series.
func (e Erlang) solveLower(x, target float64) float64 {
	k := float64(e.k)
	for range stepsMax {
		term, series := 1.0, 1.0
		for n := k + 1; term > series*0x1p-54; n++ {
			term = float64(term * x / n)
			series += term
		}
		logP := float64(k*exact.Log(x)) - x - e.logFact + exact.Log(series)
		step := (target - logP) * series / k
		x *= exact.Exp(step)
		if math.Abs(step) < stepSmall {
			break
		}
	}
	return x
}

// solveUpper finds x with ln Q(x) = target. Q = e^-x sum, where the sum runs over
// x^n/n! for n below k; the derivative of ln Q is minus the last term over the sum.
func (e Erlang) solveUpper(x, target float64) float64 {
	for range stepsMax {
		term, sum := 1.0, 1.0
		for n := 1; n < e.k; n++ {
			term = float64(term * x / float64(n))
			sum += term
		}
		logQ := exact.Log(sum) - x
		step := (logQ - target) * sum / term
		x += step
		if math.Abs(step) < stepSmall*x {
			break
		}
	}
	return x
}
