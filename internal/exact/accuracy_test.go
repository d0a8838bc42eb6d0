package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// worst returns the largest relative error of got against want over n draws.
func worst(n int, draw func(r *rand.Rand) (got, want float64)) float64 {
	r := rand.New(rand.NewPCG(11, 0))
	largest := 0.0
	for range n {
		got, want := draw(r)
		if err := math.Abs(got-want) / math.Abs(want); err > largest || err != err {
			largest = err
		}
	}
	return largest
}

// TestCloseToTheStandardLibrary bounds the relative distance to package math, whose
// own error is below one unit in the last place (1.1e-16 to 2.2e-16).
func TestCloseToTheStandardLibrary(t *testing.T) {
	rows := []struct {
		name string
		draw func(r *rand.Rand) (got, want float64)
	}{
		{"Exp", func(r *rand.Rand) (float64, float64) {
			x := (r.Float64() - 0.5) * 1400
			return Exp(x), math.Exp(x)
		}},
		{"Exp near zero", func(r *rand.Rand) (float64, float64) {
			x := (r.Float64() - 0.5) * 2
			return Exp(x), math.Exp(x)
		}},
		{"Log", func(r *rand.Rand) (float64, float64) {
			x := math.Ldexp(r.Float64()+0.5, r.IntN(2000)-1000)
			return Log(x), math.Log(x)
		}},
		{"Log near one", func(r *rand.Rand) (float64, float64) {
			x := 1 + (r.Float64()-0.5)*math.Ldexp(1, -r.IntN(50))
			if x == 1 {
				x = 2
			}
			return Log(x), math.Log(x)
		}},
		{"Log1p", func(r *rand.Rand) (float64, float64) {
			x := (r.Float64() - 0.5) * math.Ldexp(2, -r.IntN(200))
			return Log1p(x), math.Log1p(x)
		}},
		{"Log1p of draws", func(r *rand.Rand) (float64, float64) {
			x := -r.Float64()
			return Log1p(x), math.Log1p(x)
		}},
	}
	for _, row := range rows {
		if err := worst(300_000, row.draw); !(err <= 1e-15) {
			t.Errorf("%s: relative error %.2g, want at most 1e-15", row.name, err)
		}
	}
}

// TestPowAgainstExactArithmetic takes powers that rational arithmetic can reach:
// x^(n/4) is two square roots of a product, worked out to 300 bits.
func TestPowAgainstExactArithmetic(t *testing.T) {
	err := worst(4000, func(r *rand.Rand) (float64, float64) {
		x := math.Ldexp(r.Float64()+0.5, r.IntN(20)-10)
		quarters := r.IntN(1200)
		want := new(big.Float).SetPrec(300).SetInt64(1)
		factor := new(big.Float).SetPrec(300).SetFloat64(x)
		for range quarters {
			want.Mul(want, factor)
		}
		want.Sqrt(want)
		want.Sqrt(want)
		y := float64(quarters) / 4
		if r.IntN(2) == 0 {
			y = -y
			want.Quo(big.NewFloat(1).SetPrec(300), want)
		}
		f, _ := want.Float64()
		if f == 0 || math.IsInf(f, 0) || f < 0x1p-1022 {
			return 1, 1
		}
		return Pow(x, y), f
	})
	if !(err <= 4e-15) {
		t.Errorf("relative error %.2g, want at most 4e-15", err)
	}
}

// TestPowOfWholeNumbersIsWhole proves that backoffs that double or triple stay on
// the grid: there is an exact result, and it must be met.
func TestPowOfWholeNumbersIsWhole(t *testing.T) {
	for _, base := range []float64{1.5, 2, 3, 10} {
		want := 1.0
		for n := 0; want < 1<<52 && n <= wholeMax; n++ {
			if got := Pow(base, float64(n)); got != want {
				t.Errorf("Pow(%v, %d) = %v, want %v", base, n, got, want)
			}
			want *= base
		}
	}
}

// TestNormalQuantileInvertsTheNormal puts the quantile into the distribution
// function, erfc(-z/sqrt 2)/2. An error dz of the quantile shows as phi(z) dz, so
// it is divided by the density again; what is left is relative to max(1, |z|).
func TestNormalQuantileInvertsTheNormal(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 0))
	largest := 0.0
	for range 300_000 {
		p := 0.5 * math.Pow(r.Float64(), float64(1+r.IntN(12)))
		z := NormalQuantile(p)
		density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		dz := (0.5*math.Erfc(-z/math.Sqrt2) - p) / density
		largest = max(largest, math.Abs(dz)/max(1, -z))
		if upper := NormalQuantile(1 - p); p > 1e-3 && math.Abs(upper+z) > 1e-12 {
			t.Fatalf("quantiles of %v and its complement: %v and %v", p, z, upper)
		}
	}
	if !(largest <= 1e-14) {
		t.Errorf("error %.2g, want at most 1e-14", largest)
	}
}

// TestMonotone proves that a larger draw is never a smaller sample: common random
// numbers rest on it. Neighbouring arguments are the hard case.
func TestMonotone(t *testing.T) {
	rows := []struct {
		name     string
		f        func(float64) float64
		from, to float64
	}{
		{"Exp", Exp, -40, 40},
		{"Log", Log, 1e-9, 40},
		{"Log1p", Log1p, -1 + 1e-9, 1},
		{"NormalQuantile", NormalQuantile, 1e-12, 1},
	}
	r := rand.New(rand.NewPCG(13, 0))
	for _, row := range rows {
		for range 200_000 {
			x := row.from + r.Float64()*(row.to-row.from)
			next := x + math.Abs(x)*1e-15*float64(1+r.IntN(20))
			if a, b := row.f(x), row.f(next); a-b > 4e-16*max(math.Abs(a), 1) {
				t.Errorf("%s falls from %v at %v to %v at %v", row.name, a, x, b, next)
				break
			}
		}
	}
}

func TestLimits(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	rows := []struct {
		name      string
		got, want float64
	}{
		{"exp 0", Exp(0), 1}, {"exp inf", Exp(inf), inf}, {"exp -inf", Exp(-inf), 0},
		{"exp 710", Exp(710), inf}, {"exp -746", Exp(-746), 0}, {"exp nan", Exp(nan), nan},
		{"exp -745", Exp(-745), 5e-324},
		{"log 1", Log(1), 0}, {"log 0", Log(0), -inf}, {"log inf", Log(inf), inf}, {"log -1", Log(-1), nan},
		{"log least", Log(5e-324), -744.4400719213812},
		{"log1p 0", Log1p(0), 0}, {"log1p -1", Log1p(-1), -inf}, {"log1p -2", Log1p(-2), nan},
		{"log1p inf", Log1p(inf), inf}, {"log1p 1e-300", Log1p(1e-300), 1e-300},
		{"pow 0 0", Pow(0, 0), 1}, {"pow 1 inf", Pow(1, inf), 1}, {"pow 0 2", Pow(0, 2), 0},
		{"pow 0 -2", Pow(0, -2), inf}, {"pow inf .5", Pow(inf, 0.5), inf}, {"pow inf -1", Pow(inf, -1), 0},
		{"pow .5 inf", Pow(0.5, inf), 0}, {"pow 2 -inf", Pow(2, -inf), 0}, {"pow .5 -inf", Pow(0.5, -inf), inf},
		{"pow -1 2", Pow(-1, 2), nan}, {"pow 2 1024", Pow(2, 1024), inf}, {"pow 2 -1074", Pow(2, -1074), 5e-324},
		{"pow 1e300 1e300", Pow(1e300, 1e300), inf}, {"pow 1e300 -1e300", Pow(1e300, -1e300), 0},
		{"quantile 0", NormalQuantile(0), -inf}, {"quantile 1", NormalQuantile(1), inf},
		{"quantile .5", NormalQuantile(0.5), 0}, {"quantile 2", NormalQuantile(2), nan},
	}
	for _, row := range rows {
		if row.got != row.want && !(row.got != row.got && row.want != row.want) {
			t.Errorf("%s = %v, want %v", row.name, row.got, row.want)
		}
	}
}
