package scenario

import (
	"math"
	"testing"
)

// TestChanceOfEnoughTrials compares the bound with the sum of Poisson's law, taken term by
// term from the other side: it is never less, and at a hundredth or below at most twice as much.
func TestChanceOfEnoughTrials(t *testing.T) {
	for _, calls := range []float64{0.01, 0.5, 1, 3, 7.5, 20, 90} {
		fewer, term := 0.0, math.Exp(-calls) // fewer: chance of less than n
		for n := 1; n <= 300; n++ {
			fewer += term
			term *= calls / float64(n)
			exact, got := 1-fewer, gathered(calls, n, false)
			if got < exact-1e-12 || got > 1 || exact > 1e-12 && got <= hardly && got > 2*exact {
				t.Errorf("%v calls, %d needed: chance %v, bound %v", calls, n, exact, got)
			}
		}
	}
}

// TestTrialsAtTheEdge: none needed, none made, a fixed interval, and so many that the
// bound is a rule of thumb.
func TestTrialsAtTheEdge(t *testing.T) {
	for _, row := range []struct {
		calls  float64
		n      int
		even   bool
		enough bool
	}{
		{0.001, 0, false, true}, {0, 1, false, false}, {math.Inf(1), 1_000_000, false, true},
		{5, 5, true, false}, {5.01, 5, true, true}, {5, 5, false, true},
		{700, 1000, false, false}, {900, 1000, false, true}, {1001, 1000, false, true}, {5e5, 999_999, false, false},
	} {
		if got := gathered(row.calls, row.n, row.even); (got > hardly) != row.enough || math.IsNaN(got) {
			t.Errorf("%+v: chance %v", row, got)
		}
	}
}
