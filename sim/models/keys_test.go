package models

import (
	"math"
	"testing"

	"github.com/resilsim/resilsim/sim/engine"
)

// shares draws 200,000 keys and counts them.
func shares(cfg KeysConfig) []float64 {
	k := newKeys(&cfg)
	counts := make([]float64, cfg.Count+1)
	for n := range uint64(200_000) {
		s := engine.Seed(7).Key(drawKey, 1, n, 0).Stream()
		counts[k.draw(&s)]++
	}
	return counts
}

// Keys come as the sum over all of them says, a table being the dumb twin of the
// rejection: chi-square over keys of more than 20 expected draws stays within five
// standard deviations of its mean, for exponents below, at and above 1.
func TestKeysComeByZipfsLaw(t *testing.T) {
	for _, count := range []int{1, 2, 10, 1000, 50_000} {
		for _, q := range []float64{0.5, 0.99, 0.9999999, 1, 1.0000001, 1.2, 3} {
			total := 0.0
			for k := 1; k <= count; k++ {
				total += math.Pow(float64(k), -q)
			}
			chi, cells, rest, restWant := 0.0, 0.0, 0.0, 0.0
			got := shares(KeysConfig{Count: count, Exponent: q})
			for k := 1; k <= count; k++ {
				want := 200_000 * math.Pow(float64(k), -q) / total
				if want < 20 {
					rest, restWant = rest+got[k], restWant+want
					continue
				}
				chi += (got[k] - want) * (got[k] - want) / want
				cells++
			}
			if restWant > 20 {
				chi += (rest - restWant) * (rest - restWant) / restWant
				cells++
			}
			if free := cells - 1; math.Abs(chi-free) > 5*math.Sqrt(2*max(free, 1)) {
				t.Errorf("%d keys, exponent %v: chi-square %.1f with %.0f degrees of freedom", count, q, chi, free)
			}
			if got[0] != 0 {
				t.Error("keys count from 1")
			}
		}
	}
}

// Two hot keys of a hundred share half of the requests, the others the rest; without hot
// keys all are alike. Within five standard deviations.
func TestHotKeysGetTheirShare(t *testing.T) {
	near := func(got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 5*math.Sqrt(want) {
			t.Errorf("%.0f draws, want %.0f", got, want)
		}
	}
	hot := shares(KeysConfig{Count: 100, Hot: 2, HotShare: 0.5})
	near(hot[1], 50_000)
	near(hot[2], 50_000)
	near(hot[3], 100_000/98.)
	near(hot[100], 100_000/98.)
	near(shares(KeysConfig{Count: 10})[10], 20_000)
	near(shares(KeysConfig{Count: 2, Hot: 2, HotShare: 0.1})[1], 100_000)
}
