package dist

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/resilsim/resilsim/sim/engine"
)

const ms = float64(time.Millisecond)

// shape is a distribution with what theory says about it, in nanoseconds.
type shape struct {
	dist     Dist
	mean     float64
	variance float64
	cdf      func(x float64) float64
	// atoms: single values have a probability of their own.
	atoms bool
}

// made is for parameters that are known to be good.
func made[D Dist](d D, err error) Dist {
	if err != nil {
		panic(err)
	}
	return d
}

func hyperexponentialCDF(share, short, long float64) func(float64) float64 {
	return func(x float64) float64 {
		return 1 - share*math.Exp(-x/short) - (1-share)*math.Exp(-x/long)
	}
}

func shapes() []shape {
	sigma := math.Log(5) / 2.3263478740408408 // ln(p99/p50) over the normal's 99th percentile
	meanOfQuantiles := 80 * ms * math.Exp(sigma*sigma/2)
	// Balanced means with scv 9: r = sqrt(8/10), shares (1+-r)/2, each mean 20 ms / (2 share).
	share := (1 + math.Sqrt(0.8)) / 2
	exponential := distuv.Exponential{Rate: 1 / (50 * ms)}
	uniform := distuv.Uniform{Min: 10 * ms, Max: 30 * ms}
	gamma := distuv.Gamma{Alpha: 4, Beta: 4 / (100 * ms)}
	gammaLong := distuv.Gamma{Alpha: 100, Beta: 100 / (20 * ms)}
	lognormal := distuv.LogNormal{Mu: math.Log(20*ms) - math.Log(3)/2, Sigma: math.Sqrt(math.Log(3))}
	byQuantiles := distuv.LogNormal{Mu: math.Log(80 * ms), Sigma: sigma}
	return []shape{
		{made(NewUniform(10*time.Millisecond, 30*time.Millisecond)), 20 * ms, 400 * ms * ms / 12, uniform.CDF, false},
		{made(NewExponential(50 * time.Millisecond)), 50 * ms, 2500 * ms * ms, exponential.CDF, false},
		{made(NewLognormal(20*time.Millisecond, 2)), 20 * ms, 2 * 400 * ms * ms, lognormal.CDF, false},
		{made(NewLognormalQuantiles(80*time.Millisecond, 400*time.Millisecond)), meanOfQuantiles,
			meanOfQuantiles * meanOfQuantiles * (math.Exp(sigma*sigma) - 1), byQuantiles.CDF, false},
		{made(NewErlang(1, 50*time.Millisecond)), 50 * ms, 2500 * ms * ms, exponential.CDF, false},
		{made(NewErlang(4, 100*time.Millisecond)), 100 * ms, 10000 * ms * ms / 4, gamma.CDF, false},
		{made(NewErlang(100, 20*time.Millisecond)), 20 * ms, 400 * ms * ms / 100, gammaLong.CDF, false},
		{made(NewHyperexponential(20*time.Millisecond, 9)), 20 * ms, 9 * 400 * ms * ms,
			hyperexponentialCDF(share, 10*ms/share, 10*ms/(1-share)), false},
	}
}

// TestMeanAndVariance draws 400,000 samples of each shape, one per key as models
// do, and holds mean and variance to theory within 4.5 standard errors: that of the
// mean is known, that of the variance is estimated from the fourth moment.
func TestMeanAndVariance(t *testing.T) {
	const n, k = 400_000, 4.5
	for i, sh := range allShapes() {
		var sum, square, fourth float64
		for request := range uint64(n) {
			s := engine.Seed(3).Key(9, uint64(i), request, 1).Stream()
			d := float64(sh.dist.Sample(&s)) - sh.mean
			sum += d
			square += d * d
			fourth += d * d * d * d
		}
		variance := square / n
		if z := sum / n / math.Sqrt(sh.variance/n); math.Abs(z) > k {
			t.Errorf("%v: mean is off by %.1f standard errors", sh.dist, z)
		}
		if z := (variance - sh.variance) / math.Sqrt((fourth/n-variance*variance)/n); math.Abs(z) > k {
			t.Errorf("%v: variance is off by %.1f standard errors", sh.dist, z)
		}
		if got := float64(sh.dist.Mean()); math.Abs(got-sh.mean) > 1 {
			t.Errorf("%v: Mean is %v ns, want %v", sh.dist, got, sh.mean)
		}
	}
}

// probabilities reaches from the smallest draw to the largest.
func probabilities() []float64 {
	ps := []float64{0x1p-53, 1e-12, 1e-6, 1e-3, 0.999, 0.999999, 1 - 1e-12, topDraw}
	for i := 1; i < 200; i++ {
		ps = append(ps, float64(i)/200)
	}
	return ps
}

// TestQuantileInvertsCDF puts each quantile, half a nanosecond less and half a
// nanosecond more, into the distribution function of another library: the
// probability must lie between, within the rounding of that library.
func TestQuantileInvertsCDF(t *testing.T) {
	for _, sh := range allShapes() {
		if sh.atoms {
			continue
		}
		for _, p := range probabilities() {
			q := float64(sh.dist.(Quantiler).Quantile(p))
			const rounding = 1e-9 // of a probability or of its complement
			low, high := sh.cdf(q-0.51), sh.cdf(q+0.51)
			slack := rounding*math.Min(p, 1-p) + 1e-15
			if low > p+slack || high < p-slack {
				t.Errorf("%v: quantile of %v is %v ns, whose probability is %v to %v", sh.dist, p, q, low, high)
			}
		}
	}
}

// TestSampleIsTheQuantileOfOneDraw proves the inverse transform: one draw is taken,
// and a larger draw is never a smaller sample.
func TestSampleIsTheQuantileOfOneDraw(t *testing.T) {
	for i, sh := range allShapes() {
		last, lastU := time.Duration(0), 0.0
		for request := range uint64(2000) {
			key := engine.Seed(4).Key(9, uint64(i), request, 1)
			s, twin := key.Stream(), key.Stream()
			got := sh.dist.Sample(&s)
			u := twin.Unit()
			if want := sh.dist.(Quantiler).Quantile(u); got != want || s != twin {
				t.Fatalf("%v: sample %v, want the quantile %v of one draw", sh.dist, got, want)
			}
			if (u > lastU && got < last) || (u < lastU && got > last) {
				t.Fatalf("%v: draws %v and %v are samples %v and %v", sh.dist, lastU, u, last, got)
			}
			last, lastU = got, u
		}
	}
}

// TestConstantTakesADraw proves that replacing a shape by a constant shifts no
// later draw of a stream.
func TestConstantTakesADraw(t *testing.T) {
	c := made(NewConstant(7 * time.Second))
	s := engine.Key(1).Stream()
	want := engine.Key(1).Stream()
	want.Uint64()
	if got := c.Sample(&s); got != 7*time.Second || c.Mean() != got || s != want {
		t.Errorf("sample %v, mean %v, stream %v, want 7s, 7s, %v", got, c.Mean(), s, want)
	}
}

// TestSamplesStayInRange drives every shape with the largest parameters to the
// smallest and the largest draw.
func TestSamplesStayInRange(t *testing.T) {
	extremes := []Dist{
		made(NewConstant(Longest)), made(NewUniform(0, Longest)), made(NewExponential(Longest)),
		made(NewLognormal(Longest, scvMax)), made(NewLognormalQuantiles(1, time.Second)),
		made(NewErlang(erlangMax, Longest)), made(NewHyperexponential(Longest, scvMax)),
		made(NewExponential(1)), made(NewErlang(3, 1)), made(NewHyperexponential(1, 1.0001)),
		made(NewWeibull(Longest, WeibullShapeMin)), made(NewWeibull(1, WeibullShapeMax)), made(NewWeibullScale(Longest/2, 1)),
		made(NewPareto(1, 1.001)), made(NewPareto(Longest/2, 2)), made(NewParetoBounded(1, Longest, ParetoShapeMin)),
		made(NewParetoBounded(1, 2, ParetoShapeMax)), made(NewParetoBounded(Longest-1, Longest, 1)),
		made(Fit(PiecewiseFamily, []Point{{1e-8, 1}, {0.99999999, time.Hour}})),
		made(NewEmpirical([]Weighted{{0, 1e15}, {Longest, 1e-9}}, "")), made(NewHistogram([]Weighted{{0, 1}, {Longest, 1}}, "")),
	}
	for _, d := range extremes {
		last := time.Duration(0)
		for _, p := range []float64{-1, 0, 0x1p-53, 1e-9, 0.5, 0.999, topDraw, 1, 2} {
			q := d.(Quantiler).Quantile(p)
			if q < last || q > Longest {
				t.Errorf("%v: quantile of %v is %v after %v", d, p, int64(q), int64(last))
			}
			last = q
		}
	}
}
