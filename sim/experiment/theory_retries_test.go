package experiment_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// tower is a fleet above layers of services. The fleet and every layer but the
// last call the one below through a retry of three attempts without waits; the
// last fails with probability p. A layer holds a worker until its call has ended.
type tower struct {
	layers, attempts int
	p                float64
	budget           *budget.Config
	work             time.Duration // of every layer, before it calls
}

// scenario offers 1,000 requests a second at fixed distances: so many runs of a
// millisecond hold exactly so many requests.
func (w tower) scenario(t *testing.T) *scenario.Scenario {
	t.Helper()
	sc := &scenario.Scenario{
		Name:    "tower",
		Callers: []scenario.Fleet{fleetOf(scenario.Uniform, 1000, callStep(0, 0))},
		Pipelines: []scenario.Pipeline{{Name: "client", Policies: []scenario.Policy{
			{Retry: &retry.Config{MaxAttempts: w.attempts, Budget: w.budget}}}}},
	}
	for layer := range w.layers {
		s := scenario.Service{Name: fmt.Sprintf("layer%d", layer+1), Instances: 1, Workers: 10_000,
			Queue: scenario.Queue{Limit: -1, Discipline: scenario.FIFO}, Abandoned: scenario.Keep}
		if w.work > 0 {
			c, err := dist.NewConstant(w.work)
			if err != nil {
				t.Fatal(err)
			}
			s.Do = append(s.Do, workStep(c))
		}
		if layer == w.layers-1 {
			s.ErrorShare = w.p
		} else {
			s.Do = append(s.Do, callStep(layer+1, 0))
		}
		sc.Services = append(sc.Services, s)
	}
	return sc
}

// count is what a tower's calls come to.
type count struct {
	models.Silent
	sent, answered float64
	calls          [4]float64 // by layer
}

func (c *count) RequestSent(time.Duration, int)  { c.sent++ }
func (c *count) CallSent(_ time.Duration, s int) { c.calls[s]++ }
func (c *count) RequestEnded(_ time.Duration, _ int, how models.Ending, _ models.Why, _ time.Duration) {
	if how == models.Answered {
		c.answered++
	}
}

// run sends so many requests and waits until all have ended.
func (w tower) run(t *testing.T, requests int, seed uint64) *count {
	t.Helper()
	c := &count{}
	sc := w.scenario(t)
	last := time.Duration(requests) * time.Millisecond
	sc.Callers[0].Arrivals.Curve = append(sc.Callers[0].Arrivals.Curve, scenario.RatePoint{At: last + time.Microsecond})
	world := build(t, sc, seed, c)
	world.Run(last + time.Minute)
	if int(c.sent) != requests || world.LiveRequests(0) != 0 {
		t.Fatalf("%d requests sent and %d unfinished, want %d and 0", int(c.sent), world.LiveRequests(0), requests)
	}
	return c
}

// bottom is the number of calls to the last layer for each request.
func (w tower) bottom(c *count) float64 { return c.calls[w.layers-1] / c.sent }

func requestsOf(c *theoryCase) int { return int(float64(c.Plan.MeasuredArrivals) / shortening()) }

// TestRetriesMultiplyAsTheoryHasIt sends calls that fail with probability p through
// a retry of n attempts and holds attempts and successes against the truncated
// geometric distribution.
func TestRetriesMultiplyAsTheoryHasIt(t *testing.T) {
	t.Parallel()
	c := theoryCases(t, "retries.json", "Q36")[0]
	measured, formulas := map[string][]float64{}, map[string]float64{}
	for _, at := range []struct {
		p float64
		n int
	}{{0.1, 3}, {0.3, 3}, {0.5, 3}, {0.9, 3}, {1, 3}, {0.5, 4}} {
		attempts, success := fmt.Sprintf("attempts_p%g_n%d", at.p, at.n), fmt.Sprintf("success_p%g_n%d", at.p, at.n)
		formulas[attempts], formulas[success] = attemptsOf(at.p, at.n), 1-math.Pow(at.p, float64(at.n))
		for r := range c.Plan.Replications {
			got := tower{layers: 1, attempts: at.n, p: at.p}.run(t, requestsOf(&c), seedOf(attempts, r))
			measured[attempts] = append(measured[attempts], got.calls[0]/got.sent)
			measured[success] = append(measured[success], got.answered/got.sent)
		}
	}
	c.hold(t, measured, formulas)
}

// attemptsOf is the mean number of attempts of at most n that fail with
// probability p: 1 + p + ... + p^(n-1) = (1-p^n)/(1-p).
func attemptsOf(p float64, n int) float64 {
	sum, power := 0.0, 1.0
	for range n {
		sum += power
		power *= p
	}
	return sum
}

// TestNestedRetriesTelescopeAsTheoryHasIt stacks three layers of three attempts and
// counts the calls at the bottom: the layers act as one loop of 27 attempts, and at
// p = 1 every request is exactly 27 calls.
func TestNestedRetriesTelescopeAsTheoryHasIt(t *testing.T) {
	t.Parallel()
	c := theoryCases(t, "retries.json", "Q37")[0]
	measured := map[string][]float64{}
	formulas := map[string]float64{"fail_prob_p0.9": math.Pow(0.9, 27)}
	for _, p := range []float64{0.1, 0.5, 0.9, 0.99, 1} {
		name := fmt.Sprintf("bottom_calls_p%g", p)
		formulas[name] = attemptsOf(p, 27)
		w := tower{layers: 3, attempts: 3, p: p}
		requests := requestsOf(&c)
		if p == 1 {
			requests = 1000 // nothing is left to chance: every request is 27 calls
		}
		for r := range c.Plan.Replications {
			got := w.run(t, requests, seedOf(name, r))
			measured[name] = append(measured[name], w.bottom(got))
			if p == 0.9 {
				measured["fail_prob_p0.9"] = append(measured["fail_prob_p0.9"], 1-got.answered/got.sent)
			}
		}
	}
	c.hold(t, measured, formulas)
}

// TestThreeTimesThreeIsTwentySeven sends 1,000 requests a second into three layers
// of three attempts that work for a millisecond each, holding a worker, over a
// dependency that always fails: the integers must agree, layer by layer.
func TestThreeTimesThreeIsTwentySeven(t *testing.T) {
	t.Parallel()
	const requests = 10_000
	got := tower{layers: 3, attempts: 3, p: 1, work: time.Millisecond}.run(t, requests, 1)
	for layer, times := range []float64{3, 9, 27} {
		if got.calls[layer] != times*requests {
			t.Errorf("layer %d: %v calls of %d requests, want %v each", layer+1, got.calls[layer], requests, times)
		}
	}
}

// earning is a token bucket that starts empty and holds enough not to overflow.
func earning(ratio float64, by budget.Deposit) *budget.Config {
	return &budget.Config{Ratio: ratio, Capacity: 1000, Initial: new(float64), Deposit: by}
}

// TestBudgetsBoundTheStormAsTheoryHasIt gives each layer a budget of r retries per
// request, over a dependency that always fails: k layers let (1+r)^k calls through,
// not 3^k. Budgets that earn by successes are held against their fixed point.
func TestBudgetsBoundTheStormAsTheoryHasIt(t *testing.T) {
	t.Parallel()
	c := theoryCases(t, "retries.json", "Q38")[0]
	measured, formulas := map[string][]float64{}, map[string]float64{}
	for _, at := range []struct {
		r float64
		k int
	}{{0.1, 1}, {0.1, 2}, {0.1, 3}, {0.2, 3}} {
		name := fmt.Sprintf("r%g_k%d", at.r, at.k)
		formulas[name] = math.Pow(1+at.r, float64(at.k))
		w := tower{layers: at.k, attempts: 3, p: 1, budget: earning(at.r, budget.PerCall)}
		for r := range c.Plan.Replications {
			// Balances are back at 0 after every thousand requests: no run is longer
			// than another in anything but time.
			got := w.run(t, requestsOf(&c)/10, seedOf(name, r))
			measured[name] = append(measured[name], w.bottom(got))
		}
	}
	formulas["ratio_27_over_1.331"], formulas["rps_1000_k3"] = 27/formulas["r0.1_k3"], 1000*formulas["r0.1_k3"]
	for _, v := range measured["r0.1_k3"] {
		measured["ratio_27_over_1.331"] = append(measured["ratio_27_over_1.331"], 27/v)
		measured["rps_1000_k3"] = append(measured["rps_1000_k3"], 1000*v)
	}
	for _, p := range []float64{0.5, 0.9, 1} {
		name := fmt.Sprintf("success_deposit_d0.1_p%g_retries_per_request", p)
		earned := 0.1 * (1 - p)
		formulas[name] = earned / (1 - earned)
		for r := range c.Plan.Replications {
			w := tower{layers: 1, attempts: 3, p: p, budget: earning(0.1, budget.PerSuccess)}
			got := w.run(t, requestsOf(&c), seedOf(name, r))
			measured[name] = append(measured[name], w.bottom(got)-1)
		}
	}
	c.hold(t, measured, formulas)
}

// TestTokensAtTheStartAreSpentOnce gives the three budgets 10 tokens each: the
// storm is at most 1.331 times the requests and the tokens of each layer, amplified
// by the layers below it (10 + 11 + 12.1), and not much less.
func TestTokensAtTheStartAreSpentOnce(t *testing.T) {
	t.Parallel()
	for _, requests := range []int{1000, 100_000} {
		full := 10.0
		w := tower{layers: 3, attempts: 3, p: 1, budget: &budget.Config{Ratio: 0.1, Capacity: 10, Initial: &full}}
		got := w.run(t, requests, 1)
		most := 1.331*float64(requests) + 33.1
		t.Logf("%d requests: %.5f calls each", requests, w.bottom(got))
		if got.calls[2] > most || got.calls[2] < most-10 {
			t.Errorf("%d requests: %v calls at the bottom, want at most %.1f and 10 less at the least", requests, got.calls[2], most)
		}
	}
}
