package stats

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Quantiles of Student's distribution against published tables, to their digits.
func TestStudentsQuantiles(t *testing.T) {
	for _, row := range []struct {
		n              int
		usual, extreme float64
	}{{10, 2.26216, 6.59368}, {20, 2.09302, 4.89746}, {30, 2.04523, 4.50551}, {50, 2.00958, 4.23573}} {
		near(t, "0.975", tQuantile(row.n-1, 0.975), row.usual, 6e-6)
		near(t, "1-1e-4/2", tQuantile(row.n-1, 1-0.5e-4), row.extreme, 6e-6)
	}
}

// The interval of 1..5: mean 3, s = sqrt(2.5), t(4, 0.975) = 2.776445.
func TestAMeanHasItsInterval(t *testing.T) {
	i := MeanInterval([]float64{5, 1, 4, 2, 3}, 0.95)
	half := 2.776445 * math.Sqrt(2.5/5)
	near(t, "mean", i.Mean, 3, 1e-12)
	near(t, "low", i.Low(), 3-half, 1e-6)
	near(t, "high", i.High(), 3+half, 1e-6)
	if one := MeanInterval([]float64{7}, 0.95); one.Mean != 7 || !math.IsInf(one.HalfWidth, 1) {
		t.Errorf("one value: %+v", one)
	}
	if none := MeanInterval(nil, 0.95); !math.IsNaN(none.Mean) {
		t.Errorf("no value: %+v", none)
	}
}

// The interval of a mean covers the true one in 95 % of 4,000 experiments with 10
// exponential values each, less the known shortfall for skewed values: between 88 %
// and 95 % + 3 standard errors (0.0034). Normal values cover within 3 of them.
func TestIntervalsCoverWhatTheySay(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	cover := func(draw func() float64, mean float64) float64 {
		in := 0
		for range 4000 {
			values := make([]float64, 10)
			for i := range values {
				values[i] = draw()
			}
			if i := MeanInterval(values, 0.95); i.Low() <= mean && mean <= i.High() {
				in++
			}
		}
		return float64(in) / 4000
	}
	near(t, "normal", cover(rng.NormFloat64, 0), 0.95, 3*0.0034)
	near(t, "exponential", cover(rng.ExpFloat64, 1), 0.915, 0.035+3*0.0034)
}

// Closed forms: 0 of n has the upper end 1-(tail)^(1/n), n of n mirrors it. 8 of 20
// against the published interval (0.1912, 0.6395).
func TestClopperPearson(t *testing.T) {
	low, high := ClopperPearson(0, 20, 0.95)
	near(t, "0 of 20 low", low, 0, 0)
	near(t, "0 of 20 high", high, 1-math.Pow(0.025, 1.0/20), 1e-9)
	low, high = ClopperPearson(20, 20, 0.95)
	near(t, "20 of 20 low", low, math.Pow(0.025, 1.0/20), 1e-9)
	near(t, "20 of 20 high", high, 1, 0)
	low, high = ClopperPearson(8, 20, 0.95)
	near(t, "8 of 20 low", low, 0.1912, 5e-5)
	near(t, "8 of 20 high", high, 0.6395, 5e-5)
}

// The binomial tails at the ends of the interval are what they must be: summed up
// term by term.
func TestClopperPearsonEndsWhereTheTailsAre(t *testing.T) {
	tail := func(n, k int, p float64) float64 { // P(X >= k)
		sum := 0.0
		for i := k; i <= n; i++ {
			a, _ := math.Lgamma(float64(n + 1))
			b, _ := math.Lgamma(float64(i + 1))
			c, _ := math.Lgamma(float64(n - i + 1))
			sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
		}
		return sum
	}
	for _, k := range []int{1, 7, 50, 99} {
		low, high := ClopperPearson(k, 100, 0.99)
		near(t, "lower tail", tail(100, k, low), 0.005, 1e-7)
		near(t, "upper tail", 1-tail(100, k+1, high), 0.005, 1e-7)
	}
}

// The rule of acceptance turns down what is wrong, what is too noisy to tell, and
// what does not vary but is off; it takes what is right.
func TestAccept(t *testing.T) {
	spread := func(mean, half float64) []float64 {
		var out []float64
		for i := range 20 {
			out = append(out, mean+half*float64(2*(i%2)-1))
		}
		return out
	}
	for _, row := range []struct {
		what   string
		values []float64
		want   float64
		ok     bool
	}{
		{"right", spread(0.5, 0.001), 0.5, true},
		{"right within its error", spread(0.5005, 0.001), 0.5, true},
		{"wrong", spread(0.502, 0.001), 0.5, false},
		{"too noisy", spread(0.5, 0.01), 0.5, false},
		{"exact", spread(27, 0), 27, true},
		{"exact but off", spread(27.0001, 0), 27, false},
		{"one value", []float64{0.5}, 0.5, false},
		{"not a number", []float64{math.NaN(), math.NaN()}, 0.5, false},
	} {
		if a := Accept(row.values, row.want, 0.002); a.OK != row.ok || !strings.Contains(a.Why, "wanted") {
			t.Errorf("%s: %+v", row.what, a)
		}
	}
	if a := AcceptShare(3, 1000, 0.002); !a.OK {
		t.Errorf("3 of 1000 for 0.2 %%: %s", a.Why)
	}
	if a := AcceptShare(3, 1000, 0.05); a.OK {
		t.Errorf("3 of 1000 for 5 %%: %s", a.Why)
	}
}
