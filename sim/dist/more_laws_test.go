package dist

import (
	"math"
	"sort"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/resilsim/resilsim/sim/engine"
)

// allShapes are those with parameters and those from data.
func allShapes() []shape { return append(append(shapes(), moreShapes()...), foundShapes()...) }

// moreShapes are laws with parameters, against those of another library. The
// Pareto law between bounds is worked out by hand: F = (1-(min/x)^a)/(1-(min/max)^a).
func moreShapes() []shape {
	short := distuv.Weibull{K: 2, Lambda: 40 * ms}
	long := distuv.Weibull{K: 0.7, Lambda: 50 * ms / math.Gamma(1+1/0.7)}
	pareto := distuv.Pareto{Xm: 10 * ms, Alpha: 6}
	const a = 1.5
	within := 1 - math.Pow(0.01, a)
	moment := func(m float64) float64 {
		return math.Pow(10*ms, m) * a / (a - m) * (1 - math.Pow(0.01, a-m)) / within
	}
	return []shape{
		{made(NewWeibullScale(40*time.Millisecond, 2)), short.Mean(), short.Variance(), short.CDF, false},
		{made(NewWeibull(50*time.Millisecond, 0.7)), 50 * ms, long.Variance(), long.CDF, false},
		{made(NewPareto(10*time.Millisecond, 6)), pareto.Mean(), pareto.Variance(), pareto.CDF, false},
		{made(NewParetoBounded(10*time.Millisecond, time.Second, a)), moment(1), moment(2) - moment(1)*moment(1),
			func(x float64) float64 {
				return math.Max(0, math.Min(1, (1-math.Pow(10*ms/x, a))/within))
			}, false},
	}
}

// foundShapes are laws found from quantiles and from values. Lines of a piecewise
// law are written out here with the normal distribution of another library, its
// moments by a fine sum over z.
func foundShapes() []shape {
	two := []Point{{0.5, 20 * time.Millisecond}, {0.99, 90 * time.Millisecond}}
	three := []Point{{0.5, 20 * time.Millisecond}, {0.9, 30 * time.Millisecond}, {0.99, 80 * time.Millisecond}}
	sigma := math.Log(4.5) / 2.3263478740408408
	lognormal := distuv.LogNormal{Mu: math.Log(20 * ms), Sigma: sigma}
	k := (math.Log(-math.Log(0.01)) - math.Log(-math.Log(0.5))) / math.Log(4.5)
	weibull := distuv.Weibull{K: k, Lambda: 20 * ms / math.Pow(math.Ln2, 1/k)}
	alpha := math.Log(0.5/0.0001) / math.Log(3)
	pareto := distuv.Pareto{Xm: 20 * ms * math.Pow(0.5, 1/alpha), Alpha: alpha}
	exponential := distuv.Exponential{Rate: math.Log(100) / (90 * ms)}
	lines := twinOf(three)
	seen := []Weighted{{30 * time.Millisecond, 1}, {10 * time.Millisecond, 2}, {10 * time.Millisecond, 3}, {40 * time.Millisecond, 4}}
	steps := func(x float64) float64 {
		return map[bool]float64{true: 0.5}[x >= 10*ms] + map[bool]float64{true: 0.1}[x >= 30*ms] + map[bool]float64{true: 0.4}[x >= 40*ms]
	}
	buckets := func(x float64) float64 {
		if x < 10*ms {
			return 0
		}
		return 0.5 + 0.1*math.Min(1, (x/ms-10)/20) + 0.4*math.Max(0, math.Min(1, (x/ms-30)/10))
	}
	square := ms * ms
	return []shape{
		{made(Fit(PiecewiseFamily, two)), lognormal.Mean(), lognormal.Variance(), lognormal.CDF, false},
		{made(Fit(LognormalFamily, two)), lognormal.Mean(), lognormal.Variance(), lognormal.CDF, false},
		{made(Fit(WeibullFamily, two)), weibull.Mean(), weibull.Variance(), weibull.CDF, false},
		{made(Fit(ParetoFamily, []Point{{0.5, 20 * time.Millisecond}, {0.9999, 60 * time.Millisecond}})), pareto.Mean(), pareto.Variance(), pareto.CDF, false},
		{made(Fit(ExponentialFamily, two[1:])), exponential.Mean(), exponential.Variance(), exponential.CDF, false},
		{made(Fit(PiecewiseFamily, three)), lines.mean, lines.variance, lines.cdf, false},
		{made(NewEmpirical(seen, "")), 24 * ms, (0.5*14*14 + 0.1*36 + 0.4*16*16) * square, steps, true},
		// Means 10, 20 and 35 ms; the buckets add 20^2/12 and 10^2/12.
		{made(NewHistogram(seen, "")), 21 * ms, (0.5*11*11 + 0.1*(1+400.0/12) + 0.4*(14*14+100.0/12)) * square, buckets, true},
	}
}

// twin is the dumb twin of a piecewise law.
type twin struct {
	cdf            func(x float64) float64
	mean, variance float64
}

func twinOf(points []Point) twin {
	var z, y []float64
	for _, p := range points {
		z, y = append(z, distuv.UnitNormal.Quantile(p.P)), append(y, math.Log(float64(p.At)))
	}
	last := len(points) - 1
	slope := func(i int) float64 { return (y[i+1] - y[i]) / (z[i+1] - z[i]) }
	tail := math.Min(slope(last-1), (y[last]-y[0])/(z[last]-z[0]))
	zOf := func(l float64) float64 {
		if l >= y[last] {
			return z[last] + (l-y[last])/tail
		}
		i := 0
		for i < last-1 && l >= y[i+1] {
			i++
		}
		return z[i] + (l-y[i])/slope(i)
	}
	t := twin{cdf: func(x float64) float64 { return distuv.UnitNormal.CDF(zOf(math.Log(x))) }}
	// Over ln x: the density of z times its slope, by differences of the CDF.
	const step = 1e-4
	var sum, square float64
	for l := y[0] - 20; l < y[last]+20; l += step {
		x := math.Exp(l + step/2)
		upper := distuv.UnitNormal.CDF(-zOf(l)) - distuv.UnitNormal.CDF(-zOf(l+step))
		sum += x * upper
		square += x * x * upper
	}
	t.mean, t.variance = sum, square-sum*sum
	return t
}

// TestKolmogorovDistance holds the steps of 40,000 samples against the distribution
// function. For a true law the distance times sqrt(n) exceeds 1.95 once in a
// thousand times; the draws are keyed, so it does for ever or never.
func TestKolmogorovDistance(t *testing.T) {
	const n = 40_000
	for i, sh := range allShapes() {
		x := make([]float64, n)
		for request := range uint64(n) {
			s := engine.Seed(8).Key(9, uint64(i), request, 1).Stream()
			x[request] = float64(sh.dist.Sample(&s))
		}
		sort.Float64s(x)
		worst := 0.0
		for k, at := range x {
			if k+1 < n && x[k+1] == at {
				continue // the step is at the last of equal samples
			}
			worst = math.Max(worst, math.Abs(float64(k+1)/n-sh.cdf(at+0.5)))
		}
		if d := worst * math.Sqrt(n); d > 1.95 {
			t.Errorf("%v: distance %.3f", sh.dist, d)
		}
	}
}

// TestVarianceIsThatOfTheory compares with the formula of each shape to a millionth;
// a variance from a mean of whole nanoseconds is no closer.
func TestVarianceIsThatOfTheory(t *testing.T) {
	for _, sh := range allShapes() {
		if got := sh.dist.(Varier).Variance(); math.Abs(got/sh.variance-1) > 2e-6 {
			t.Errorf("%v: variance %v, want %v", sh.dist, got, sh.variance)
		}
	}
	if v := made(NewPareto(1, 2)).(Varier).Variance(); !math.IsInf(v, 1) {
		t.Errorf("pareto of shape 2: variance %v, want infinite", v)
	}
	if v := SCV(made(NewConstant(0))); !math.IsNaN(v) {
		t.Errorf("nothing has an scv of %v", v)
	}
}

// TestGammaFunction compares with the standard library over the arguments that the
// shapes of a Weibull law can give.
func TestGammaFunction(t *testing.T) {
	for x := 1.0; x <= 21; x += 0.01 {
		if want, _ := math.Lgamma(x); math.Abs(logGamma(x)-want) > 1e-13*math.Max(1, want) {
			t.Errorf("ln Gamma(%v) is %v, want %v", x, logGamma(x), want)
		}
	}
	for _, x := range []float64{-2, -0.01, -1e-9, 0, 1e-9, 0.00999, 0.01, 3} {
		if got, want := expm1(x), math.Expm1(x); math.Abs(got-want) > 2e-14*math.Abs(want) {
			t.Errorf("exp(%v)-1 is %v, want %v", x, got, want)
		}
	}
}

// TestNothingAllocatesOnADraw draws from every shape, a mixture of all too.
func TestNothingAllocatesOnADraw(t *testing.T) {
	var parts []Part
	list := allShapes()
	for i, sh := range list[:20] {
		parts = append(parts, Part{float64(i + 1), sh.dist})
	}
	list = append(list, shape{dist: made(NewMixture(parts))})
	for _, sh := range list {
		s := engine.Key(5).Stream()
		if n := testing.AllocsPerRun(200, func() { sh.dist.Sample(&s) }); n != 0 {
			t.Errorf("%v: %v allocations a draw", sh.dist, n)
		}
	}
}

// TestAMixtureIsItsParts proves two draws a sample, mean, variance and quantiles of
// an even mixture of two uniform laws that do not overlap: 0 to 10 and 20 to 40 ms.
func TestAMixtureIsItsParts(t *testing.T) {
	m := made(NewMixture([]Part{{3, made(NewUniform(0, 10*time.Millisecond))}, {1, made(NewUniform(20*time.Millisecond, 40*time.Millisecond))}})).(*Mixture)
	if got, want := m.Mean(), 11250*time.Microsecond; got != want {
		t.Errorf("mean %v, want %v", got, want)
	}
	// E[x^2] = 3/4 100/3 + 1/4 (1600+800+400)/3.
	if want := (25 + 2800.0/12 - 11.25*11.25) * ms * ms; math.Abs(m.Variance()/want-1) > 1e-9 {
		t.Errorf("variance %v, want %v", m.Variance(), want)
	}
	for p, want := range map[float64]time.Duration{0.375: 5 * time.Millisecond, 0.75: 10 * time.Millisecond, 0.875: 30 * time.Millisecond} {
		if got := m.Quantile(p); (got - want).Abs() > 1 {
			t.Errorf("quantile of %v is %v, want %v", p, got, want)
		}
	}
	s := engine.Key(6).Stream()
	short := 0
	const n = 100_000
	for i := range n {
		twin := s
		got := m.Sample(&s)
		twin.Uint64()
		twin.Uint64()
		if twin != s {
			t.Fatalf("sample %d took another number of draws than 2", i)
		}
		if got <= 10*time.Millisecond {
			short++
		}
	}
	if z := (float64(short) - 0.75*n) / math.Sqrt(n*0.75*0.25); math.Abs(z) > 4.5 {
		t.Errorf("the first part was drawn %d times of %d", short, n)
	}
}
