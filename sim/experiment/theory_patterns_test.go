package experiment_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/engine"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

const patternsText = `The library's breaker, hedge, adaptive limit and backoff, asked directly or in a model where nothing else
happens. Q39's fan-out is 100 calls sent together, its slowest answer their maximum; the mean of Pareto times of shape
1.5 is a formula only, for their variance is infinite. Q42 and the trials of Q44 are no samples: the breaker is asked
about every order of outcomes, or 200 orders of each number of failures of 100. Q43 has 5,000 trips for each of 20
replications, Q44's share of time closed 80,000 s, because the 2,000 and 20,000 that the cases ask for gave half-widths
wider than they allow; an outage in the models takes 2,000 s. Cycles are whole ones, from one opening to another. Q46's
fluid is simulated by jobs of 10 ms at fixed gaps: the first late request comes one job sooner than the fluid has it,
and what it has shed is the excess, 5/105, for 5 % of 105/s leaves 99.75/s. Q52's limit counts whole calls: it runs from
trunc(beta 101) to 101, half a call above the fluid. The waits of Q53 are compared with uniform ones by Kolmogorov and
Smirnov's test.`

// patternCase is a case of patterns.json that runs beside the others.
func patternCase(t *testing.T, id string) theoryCase {
	t.Parallel()
	return theoryCases(t, "patterns.json", id)[0]
}

// quantity is the one of that name.
func (c *theoryCase) quantity(t *testing.T, name string) theoryQuantity {
	t.Helper()
	for _, q := range c.Quantities {
		if q.Name == name {
			return q
		}
	}
	t.Fatalf("%s has no quantity %s", c.ID, name)
	return theoryQuantity{}
}

// holdExact notes a figure that is no sample: it must agree to nine digits.
func (c *theoryCase) holdExact(t *testing.T, name string, ours float64, how string) {
	t.Helper()
	q := c.quantity(t, name)
	holds := math.Abs(ours-q.Value) <= 1e-9*q.Value
	if !holds {
		t.Errorf("%s %s: %.12g, want %.12g", c.ID, name, ours, q.Value)
	}
	note(t, pageRow{Case: c.ID, Quantity: name, Theory: figure(q.Value), Ours: figure(ours), Interval: how, Holds: holds})
}

// holdWithin is for a figure that differs from its limit by a known amount, which the
// text above the table explains.
func (c *theoryCase) holdWithin(t *testing.T, name string, ours float64) {
	t.Helper()
	q := c.quantity(t, name)
	holds := math.Abs(ours-q.Value) <= q.Off
	if !holds {
		t.Errorf("%s %s: %g, want %g within %g", c.ID, name, ours, q.Value, q.Off)
	}
	note(t, pageRow{Case: c.ID, Quantity: name, Theory: figure(q.Value), Ours: figure(ours),
		Interval: "within " + figure(q.Off), Holds: holds})
}

// tookWatch keeps how long each request took, in seconds, and when it was sent.
type tookWatch struct {
	models.Silent
	took     []float64
	sent     []time.Duration
	attempts int
}

func (w *tookWatch) AttemptSent(time.Duration, int, bool) { w.attempts++ }
func (w *tookWatch) RequestEnded(now time.Duration, _ int, _ models.Ending, _ models.Why, took time.Duration) {
	w.took, w.sent = append(w.took, took.Seconds()), append(w.sent, now-took)
}

// quantile is the order statistic ceil(p n); the times become sorted.
func (w *tookWatch) quantile(p float64) float64 {
	slices.Sort(w.took)
	return w.took[int(math.Ceil(p*float64(len(w.took))))-1]
}

func (w *tookWatch) mean() float64 { return meanFloat(w.took) }

func meanFloat(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// ask sends so many requests, batch at a time, through a hedge after the delay (none
// below 0) to a service where nobody waits.
func ask(t *testing.T, law dist.Dist, delay time.Duration, batch, requests int, seed uint64) *tookWatch {
	t.Helper()
	sc := stationScenario(1000, law, withWorkers(scenario.Unlimited, -1))
	f := &sc.Callers[0]
	last := time.Duration(requests) * time.Millisecond
	f.Arrivals.Law, f.Sources.Batch = scenario.Uniform, batch
	f.Arrivals.Curve = append(f.Arrivals.Curve, scenario.RatePoint{At: last + time.Microsecond})
	if delay >= 0 {
		f.Do = []scenario.Step{callStep(0, 0)}
		sc.Pipelines = []scenario.Pipeline{{Name: "client", Policies: []scenario.Policy{
			{Hedge: &hedge.Config{MaxHedges: 1, Delay: patterns.Duration(delay)}}}}}
	}
	w := &tookWatch{}
	world := build(t, sc, seed, w)
	world.Run(last)
	for world.LiveRequests(0) > 0 {
		world.Run(world.Now() + 10*time.Second)
	}
	if len(w.took) != requests {
		t.Fatalf("%d requests ended, want %d", len(w.took), requests)
	}
	return w
}

// TestHedgesCutTheTailAsTheoryHasIt asks twice at once, or again after the 95th
// percentile, and looks at the slowest of 100 asked together. With S(t) the chance that
// one answer takes longer than t, a hedged call does with S(t) S(t-d).
func TestHedgesCutTheTailAsTheoryHasIt(t *testing.T) {
	c := patternCase(t, "Q39")
	exp := lawOf(t, "exponential", time.Second)
	par, err := dist.NewPareto(time.Second, 1.5)
	if err != nil {
		t.Fatal(err)
	}
	dExp, dPar := math.Log(20), math.Pow(20, 1/1.5)
	n := requestsOf(&c)
	measured := c.replicate(func(seed uint64) map[string]float64 {
		two := ask(t, exp, 0, 1, n, seed)
		late := ask(t, exp, seconds(dExp), 1, n, seed+1<<8)
		bare := ask(t, exp, -1, 100, n, seed+2<<8)
		anyLate, slowest := bare.fans(100, math.Log(100))
		parLate := ask(t, par, seconds(dPar), 1, n, seed+4<<8)
		return map[string]float64{
			"min_of_two_mean": two.mean(), "min_of_two_p99": two.quantile(0.99),
			"hedge_at_p95_mean": late.mean(), "hedge_at_p95_p99": late.quantile(0.99),
			"hedge_rate":   float64(late.attempts)/float64(n) - 1,
			"unhedged_p99": bare.quantile(0.99), "fanout100_P_any_above_p99": anyLate, "fanout100_mean_max": slowest,
			"pareto1.5_p999":           ask(t, par, -1, 1, n, seed+3<<8).quantile(0.999),
			"pareto1.5_hedge_p95_mean": parLate.mean(), "pareto1.5_hedge_p95_p999": parLate.quantile(0.999),
		}
	})
	c.hold(t, measured, hedgeFormulas(dExp, dPar))
}

// fans takes the requests in groups that were sent together: the share of groups with
// one beyond a limit, and the mean of their slowest.
func (w *tookWatch) fans(size int, limit float64) (beyond, slowest float64) {
	most := map[time.Duration]float64{}
	for i, at := range w.sent {
		most[at] = max(most[at], w.took[i])
	}
	var tops []float64
	for _, v := range most {
		tops = append(tops, v)
	}
	if len(tops)*size != len(w.took) {
		return math.NaN(), math.NaN()
	}
	slices.Sort(tops)
	first, _ := slices.BinarySearch(tops, limit)
	return float64(len(tops)-first) / float64(len(tops)), meanFloat(tops)
}

// hedgeFormulas integrates S(t) up to d and S(t) S(t-d) from there. For Pareto's S(t) =
// t^-1.5 above 1 the second part is that of 1/(t(t-d))^1.5, whose integral is
// -u/(a^2 sqrt(u^2-a^2)) with u = t - a and a = d/2. The mean of the largest of n
// exponentials is the n-th harmonic number.
func hedgeFormulas(dExp, dPar float64) map[string]float64 {
	harmonic := 0.0
	for i := 100; i > 0; i-- {
		harmonic += 1 / float64(i)
	}
	a, u := dPar/2, dPar/2+1
	tail := u/(a*a*math.Sqrt(dPar+1)) - 1/(a*a)
	return map[string]float64{
		"min_of_two_mean": 0.5, "min_of_two_p99": -math.Log(0.01) / 2,
		"hedge_at_p95_mean": 1 - math.Exp(-dExp) + math.Exp(-dExp)/2,
		"hedge_at_p95_p99":  (dExp - math.Log(0.01)) / 2,
		"unhedged_p99":      -math.Log(0.01), "hedge_rate": math.Exp(-dExp),
		"fanout100_P_any_above_p99": 1 - math.Pow(0.99, 100), "fanout100_mean_max": harmonic,
		"pareto1.5_mean": 1.5 / 0.5, "pareto1.5_p999": math.Pow(1000, 1/1.5),
		"pareto1.5_hedge_p95_mean": 1 + 2*(1-1/math.Sqrt(dPar+1)) + tail,
		"pareto1.5_hedge_p95_p999": a + math.Sqrt(a*a+100),
	}
}

// TestOverloadIsLateForAllAsTheoryHasIt offers more than the capacity at fixed gaps to
// one worker of constant speed, the nearest that jobs come to a fluid: answers are in
// time until t*, then none is.
func TestOverloadIsLateForAllAsTheoryHasIt(t *testing.T) {
	c := patternCase(t, "Q46")
	capacity, limit := c.Params["C"], c.Params["T"]
	star := func(lam float64) float64 { return capacity * limit / (lam - capacity) }
	c.hold(t, nil, map[string]float64{
		"t_star": star(c.Params["lam"]), "backlog_at_t_star": (c.Params["lam"] - capacity) * star(c.Params["lam"]),
		"t_star_lam105": star(105), "shed_5pct_case_goodput_at_lam_105": min(capacity, 105),
	})
	at, backlog, before, after := flood(t, c.Params["lam"], capacity, limit)
	c.holdWithin(t, "simulated_t_star", at)
	c.holdWithin(t, "simulated_backlog_at_t_star", backlog)
	c.holdWithin(t, "simulated_goodput_before_t_star", before)
	c.holdWithin(t, "simulated_goodput_after_t_star", after)
	at, _, _, _ = flood(t, 105, capacity, limit)
	c.holdWithin(t, "simulated_t_star_lam105", at)
}

// flood runs for twice as long as it takes until answers are late. It tells when the
// first such request was sent, how many were in the system then, and how many answers a
// second were in time before that one ended and after.
func flood(t *testing.T, lam, capacity, limit float64) (at, backlog, before, after float64) {
	t.Helper()
	sc := stationScenario(lam, lawOf(t, "constant", seconds(1/capacity)), withWorkers(1, -1))
	sc.Callers[0].Arrivals.Law = scenario.Uniform
	w := &tookWatch{}
	end := 2*capacity*limit/(lam-capacity) + 2*limit
	build(t, sc, 1, w).Run(seconds(end))
	first := slices.IndexFunc(w.took, func(v float64) bool { return v > limit })
	at = w.sent[first].Seconds()
	in, late := 0.0, 0.0
	for i := range w.took {
		ended := w.sent[i].Seconds() + w.took[i]
		if ended <= at {
			in++
		}
		if i >= first && w.took[i] <= limit {
			late++
		}
	}
	answered := float64(first)
	return at, at*lam - in, answered / (at + limit), late / (end - at - limit)
}

// TestTheLimitIsASawtoothAsTheoryHasIt lets the library's AIMD limit play rounds: all
// its places are taken, one call tells how it went, and it is a drop when the limit is
// above the capacity.
func TestTheLimitIsASawtoothAsTheoryHasIt(t *testing.T) {
	c := patternCase(t, "Q52")
	capacity := int(c.Params["C"])
	formulas := map[string]float64{}
	for _, beta := range []float64{0.5, 0.9} {
		formulas[fmt.Sprintf("mean_beta%g", beta)] = float64(capacity) * (1 + beta) / 2
		limits := sawtooth(t, capacity, beta, 20_000)
		low, high := slices.Min(limits), slices.Max(limits)
		if wantLow := math.Trunc(beta * float64(capacity+1)); low != wantLow || high != float64(capacity+1) {
			t.Errorf("beta %g: limits from %g to %g, want %g to %d", beta, low, high, wantLow, capacity+1)
		}
		// Whole cycles, so that the mean does not depend on where the last one ends.
		cycle := int(high-low) + 1
		whole := limits[:len(limits)/cycle*cycle]
		c.holdWithin(t, fmt.Sprintf("limiter_mean_beta%g", beta), meanFloat(whole))
	}
	c.hold(t, nil, formulas)
}

// sawtooth tells the limits of so many rounds, beginning with a drop.
func sawtooth(t *testing.T, capacity int, beta float64, rounds int) []float64 {
	t.Helper()
	config := adaptive.Defaults(adaptive.AIMD)
	config.InitialLimit, config.MinLimit, config.MaxLimit, config.BackoffRatio = capacity+1, 1, 10*capacity, beta
	s, err := adaptive.Compile(config)
	if err != nil {
		t.Fatal(err)
	}
	l := adaptive.New(s)
	var limits []float64
	now := patterns.Instant(0)
	for range rounds {
		signal := adaptive.Answered
		if l.Limit() > capacity {
			signal = adaptive.Dropped
		}
		var inside []adaptive.Permit
		for p, v := l.Acquire(now); v.OK; p, v = l.Acquire(now) {
			inside = append(inside, p)
		}
		now = now.Add(time.Millisecond)
		for i, p := range inside {
			tells := adaptive.NoSample
			if i == len(inside)-1 {
				tells = signal
			}
			l.Report(now, p, tells, 0)
		}
		limits = append(limits, float64(l.Limit()))
	}
	return limits
}

// TestWaitsAreSpreadAsTheoryHasIt draws the three waits of the library's backoff: each
// must be uniform between its bounds (Kolmogorov and Smirnov's test at 1e-4), and their
// sum must have the moments of a sum of uniforms.
func TestWaitsAreSpreadAsTheoryHasIt(t *testing.T) {
	c := patternCase(t, "Q53")
	bases := []float64{200, 400, 800}
	formulas := map[string]float64{"sum_fixed_ms": 1400, "sum_pm30_min": 980, "sum_pm30_max": 1820,
		"sum_pm30_sd": deviation(bases, 0.6), "sum_full_jitter_mean": 700, "sum_full_jitter_sd": deviation(bases, 1)}
	measured := map[string][]float64{}
	for kind, low := range map[string]float64{"plusminus30": 0.7, "full_jitter": 0} {
		high := low + 0.6
		again := backoffOf(t, retry.Factor)
		if low == 0 {
			high, again = 1, backoffOf(t, retry.Full)
		}
		holdEnds(t, again, bases, low, high)
		draws := make([][]float64, len(bases)) // of the first replication
		for r := range c.Plan.Replications {
			waits, sums := drawWaits(again, len(bases), requestsOf(&c), seedOf(kind, r))
			mean, sd := moments(sums)
			if low == 0 {
				measured["sum_full_jitter_mean"] = append(measured["sum_full_jitter_mean"], mean)
				measured["sum_full_jitter_sd"] = append(measured["sum_full_jitter_sd"], sd)
			} else {
				measured["sum_pm30_sd"] = append(measured["sum_pm30_sd"], sd)
			}
			for i := range bases {
				name := fmt.Sprintf("full_jitter_wait%d_mean_ms", i+1)
				if low == 0 {
					measured[name] = append(measured[name], meanFloat(waits[i]))
				}
			}
			draws = waits
		}
		for i, base := range bases {
			formulas[fmt.Sprintf("plusminus30_wait%d_min_ms", i+1)] = 0.7 * base
			formulas[fmt.Sprintf("plusminus30_wait%d_max_ms", i+1)] = 1.3 * base
			formulas[fmt.Sprintf("full_jitter_wait%d_mean_ms", i+1)] = base / 2
			c.holdUniform(t, fmt.Sprintf("%s_wait%d_uniform", kind, i+1), draws[i], low*base, high*base)
		}
	}
	c.hold(t, measured, formulas)
}

// deviation of a sum of independent uniforms whose widths are a share of the bases.
func deviation(bases []float64, share float64) float64 {
	sum := 0.0
	for _, b := range bases {
		sum += b * share * b * share / 12
	}
	return math.Sqrt(sum)
}

func backoffOf(t *testing.T, jitter retry.Jitter) retry.Backoff {
	t.Helper()
	b, err := retry.NewBackoff(retry.Config{MaxAttempts: 4, WaitDuration: patterns.Duration(200 * time.Millisecond),
		EnableExponentialBackoff: true, ExponentialBackoffMultiplier: 2, Jitter: jitter, RandomizedWaitFactor: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// holdEnds wants the shortest and the longest wait to the nanosecond.
func holdEnds(t *testing.T, b retry.Backoff, bases []float64, low, high float64) {
	t.Helper()
	for i, base := range bases {
		for _, end := range []struct{ draw, want float64 }{{0, low * base}, {math.Nextafter(1, 0), high * base}} {
			if got := b.Wait(i+1, 0, end.draw); math.Abs(float64(got)-end.want*1e6) > 1 {
				t.Errorf("wait %d at draw %g: %v, want %g ms", i+1, end.draw, got, end.want)
			}
		}
	}
}

// drawWaits draws each wait n times, in ms, and adds up those of one call.
func drawWaits(b retry.Backoff, waits, n int, seed uint64) (each [][]float64, sums []float64) {
	key := engine.Seed(seed).Key(1, 0, 0, 0)
	s := key.Stream()
	each, sums = make([][]float64, waits), make([]float64, n)
	for call := range n {
		for i := range waits {
			ms := float64(b.Wait(i+1, 0, s.Unit())) / 1e6
			each[i] = append(each[i], ms)
			sums[call] += ms
		}
	}
	return each, sums
}

func moments(v []float64) (mean, sd float64) {
	mean = meanFloat(v)
	square := 0.0
	for _, x := range v {
		square += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(square / float64(len(v)-1))
}

// holdUniform compares the empirical distribution with the uniform one: the largest
// distance times sqrt(n) exceeds sqrt(-ln(1e-4/2)/2) = 2.2252 once in 10,000 samples.
func (c *theoryCase) holdUniform(t *testing.T, name string, v []float64, low, high float64) {
	t.Helper()
	slices.Sort(v)
	n, farthest := float64(len(v)), 0.0
	for i, x := range v {
		p := (x - low) / (high - low)
		farthest = max(farthest, p-float64(i)/n, float64(i+1)/n-p)
	}
	most := math.Sqrt(-math.Log(1e-4/2) / 2)
	holds := farthest*math.Sqrt(n) <= most
	if !holds {
		t.Errorf("%s %s: distance %g x sqrt(n), at most %g", c.ID, name, farthest*math.Sqrt(n), most)
	}
	note(t, pageRow{Case: c.ID, Quantity: name, Theory: figure(c.quantity(t, name).Value), Ours: figure(farthest),
		Interval: "distance, at most " + figure(most/math.Sqrt(n)), Holds: holds})
}
