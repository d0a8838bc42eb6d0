package experiment_test

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/sim/engine"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// breakerConfig has a count window of n calls that must be full, opens at a percentage,
// stays open for 30 s and makes so many trials.
func breakerConfig(n int, percent float64, trials int) breaker.Config {
	c := breaker.Defaults()
	c.SlidingWindowSize, c.MinimumNumberOfCalls = n, n
	c.FailureRateThreshold = patterns.PercentOf(percent)
	c.WaitDurationInOpenState = patterns.Duration(30 * time.Second)
	c.PermittedNumberOfCallsInHalfOpenState = trials
	return c
}

func breakerOf(t *testing.T, c breaker.Config) breaker.Breaker {
	t.Helper()
	s, err := breaker.Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return breaker.New(s)
}

// call lets one call pass, if it may, and end at once.
func call(b *breaker.Breaker, now patterns.Instant, fails bool) (passed bool) {
	p, v := b.Acquire(now, 0, nil)
	if !v.OK {
		return false
	}
	o := patterns.Success
	if fails {
		o = patterns.Failure
	}
	b.Report(now, p, o, 0, nil)
	return true
}

// TestAFullWindowOpensAsTheoryHasIt asks the library's breaker about windows of n calls:
// about all 2^n orders of 10 (and of 20 in full), and about 200 orders of each number of
// failures of 100. The chance that it opens is the sum of the binomial chances of those in which it does.
func TestAFullWindowOpensAsTheoryHasIt(t *testing.T) {
	c := patternCase(t, "Q42")
	opening := map[string][]float64{} // by window: the share of orders that open, by failures
	for _, q := range c.Quantities {
		var n, k int
		var p float64
		name, percent := q.Name, 0.0
		if _, err := fmt.Sscanf(strings.ReplaceAll(strings.TrimSuffix(name, "_thr20pct"), "_", " "), "N%d k%d p%g", &n, &k, &p); err != nil {
			t.Fatal(err)
		}
		percent = 100 * float64(k) / float64(n)
		at := fmt.Sprint(n, " ", k)
		if opening[at] == nil {
			opening[at] = openingOrders(t, n, percent)
		}
		chance := 0.0
		for failures, share := range opening[at] {
			chance += share * binomial(n, failures, p)
		}
		how := fmt.Sprintf("all orders of %d calls", n)
		if n > 20 {
			how = "200 orders of each number"
		}
		c.holdExact(t, name, chance, how)
	}
}

// openingOrders is the share of the orders of n calls that open a breaker, by the number
// of failures among them.
func openingOrders(t *testing.T, n int, percent float64) []float64 {
	t.Helper()
	opened, orders := make([]float64, n+1), make([]float64, n+1)
	try := func(failures int, fails func(i int) bool, b *breaker.Breaker) {
		b.Reset(0, nil)
		for i := range n {
			call(b, 0, fails(i))
		}
		orders[failures]++
		if b.State(0) == breaker.Open {
			opened[failures]++
		}
	}
	b := breakerOf(t, breakerConfig(n, percent, 5))
	if n <= 10 || n <= 20 && full() {
		for order := range uint64(1) << n {
			try(bits.OnesCount64(order), func(i int) bool { return order>>i&1 == 1 }, &b)
		}
	} else {
		key := engine.Seed(1).Key(1, 0, 0, 0)
		s := key.Stream()
		for failures := range n + 1 {
			for range 200 {
				fails := shuffled(n, failures, &s)
				try(failures, func(i int) bool { return fails[i] }, &b)
			}
		}
	}
	for i := range opened {
		opened[i] /= orders[i]
	}
	return opened
}

// shuffled is a random order of n calls of which so many fail.
func shuffled(n, failures int, s *engine.Stream) []bool {
	out := make([]bool, n)
	for i := range failures {
		out[i] = true
	}
	for i := n - 1; i > 0; i-- {
		j := int(s.Unit() * float64(i+1))
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// binomial is the chance of k of n.
func binomial(n, k int, p float64) float64 {
	all, _ := math.Lgamma(float64(n + 1))
	in, _ := math.Lgamma(float64(k + 1))
	out, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(all-in-out) * math.Pow(p, float64(k)) * math.Pow(1-p, float64(n-k))
}

// TestCallsToTheFirstTripAsTheoryHasThem feeds calls that fail with probability p to a
// fresh breaker until it opens, some thousand times for each replication.
func TestCallsToTheFirstTripAsTheoryHasThem(t *testing.T) {
	c := patternCase(t, "Q43")
	measured := map[string][]float64{}
	for _, q := range c.Quantities {
		var n, k int
		var p float64
		if _, err := fmt.Sscanf(strings.ReplaceAll(q.Name, "_", " "), "N%d k%d p%g", &n, &k, &p); err != nil {
			t.Fatal(err)
		}
		b := breakerOf(t, breakerConfig(n, 100*float64(k)/float64(n), 5))
		trips := int(float64(c.Plan.Trips) / shortening())
		for r := range c.Plan.Replications {
			key := engine.Seed(seedOf(c.ID, r)).Key(1, uint64(n), math.Float64bits(p), 0)
			s := key.Stream()
			calls := 0
			for range trips {
				b.Reset(0, nil)
				for b.State(0) == breaker.Closed {
					call(&b, 0, s.Unit() < p)
					calls++
				}
			}
			measured[q.Name] = append(measured[q.Name], float64(calls)/float64(trips))
		}
	}
	c.hold(t, measured, nil)
}

// TestAnOpenBreakerPassesAsTheoryHasIt measures what a breaker of 10 calls that stays
// open for 30 s lets through: trials of a dependency that is down, in the models, and of
// one that fails with probability p without taking time, call by call. Its verdicts
// about trials are asked for in every order.
func TestAnOpenBreakerPassesAsTheoryHasIt(t *testing.T) {
	c := patternCase(t, "Q44")
	for _, q := range c.Quantities {
		var k int
		var p float64
		if _, err := fmt.Sscanf(strings.ReplaceAll(q.Name, "_", " "), "halfopen k%d P close p%g", &k, &p); err != nil {
			continue
		}
		chance := 0.0
		for failures, share := range closingOrders(t, k) {
			chance += share * binomial(k, failures, p)
		}
		c.holdExact(t, q.Name, chance, fmt.Sprintf("all orders of %d trials", k))
	}
	span := c.Plan.Simulated / shortening()
	lam := c.Params["lam"]
	measured := c.replicate(func(seed uint64) map[string]float64 {
		out := map[string]float64{}
		rate := c.outage(t, span/40, seed)
		out["hard_outage_attempts_per_s_k5_W30"], out["reduction_factor"], out["fraction_passed"] = rate, lam/rate, rate/lam
		for _, p := range []float64{0.2, 0.3, 0.5} {
			closed, passed := dutyCycle(t, p, lam, span, seed)
			out[fmt.Sprintf("duty_fraction_time_closed_p%g", p)] = closed
			out[fmt.Sprintf("duty_pass_rate_per_s_p%g", p)] = passed
		}
		return out
	})
	c.hold(t, measured, nil)
}

// closingOrders is the share of the orders of k trials that close, by failures.
func closingOrders(t *testing.T, k int) []float64 {
	t.Helper()
	closed, orders := make([]float64, k+1), make([]float64, k+1)
	for order := range uint64(1) << k {
		b := breakerOf(t, breakerConfig(10, 50, k))
		b.Force(0, breaker.Open, 0, nil)
		half := patterns.Instant(30 * time.Second)
		for i := range k {
			call(&b, half, order>>i&1 == 1)
		}
		failures := bits.OnesCount64(order)
		orders[failures]++
		if b.State(half) == breaker.Closed {
			closed[failures]++
		}
	}
	for i := range closed {
		closed[i] /= orders[i]
	}
	return closed
}

// openingWatch counts the calls from the first opening to the last: whole cycles.
type openingWatch struct {
	models.Silent
	first, last   time.Duration
	calls, before int
}

func (w *openingWatch) CallSent(time.Duration, int) { w.calls++ }
func (w *openingWatch) BreakerChanged(now time.Duration, _, _ int, e breaker.Event) {
	if e.To != breaker.Open {
		return
	}
	if w.first == 0 {
		w.first, w.calls = now, 0
	}
	w.last, w.before = now, w.calls
}

// outage is the rate of calls that reach a dependency where each fails after tau.
func (c *theoryCase) outage(t *testing.T, span float64, seed uint64) float64 {
	t.Helper()
	sc := stationScenario(c.Params["lam"], lawOf(t, "constant", seconds(c.Params["tau"])), withWorkers(scenario.Unlimited, -1))
	sc.Services[0].ErrorShare = 1
	config := breakerConfig(10, 50, 5)
	sc.Callers[0].Do = []scenario.Step{callStep(0, 0)}
	sc.Pipelines = []scenario.Pipeline{{Name: "client", Policies: []scenario.Policy{{CircuitBreaker: &config}}}}
	w := &openingWatch{}
	build(t, sc, seed, w).Run(seconds(span))
	return float64(w.before) / (w.last - w.first).Seconds()
}

// dutyCycle is the share of time that a breaker is closed, and the rate of calls that it
// lets pass, from its first opening to its last. Calls that would come while it is open
// are left out: the next one after the wait is as far off as if none had come.
func dutyCycle(t *testing.T, p, lam, span float64, seed uint64) (closed, passed float64) {
	t.Helper()
	b := breakerOf(t, breakerConfig(10, 50, 5))
	key := engine.Seed(seed).Key(2, math.Float64bits(p), 0, 0)
	s := key.Stream()
	var at, first, last, since, shut, shutLast float64
	var calls, callsLast int
	state := breaker.Closed
	for at < span {
		if state == breaker.Open {
			at += 30
		}
		at -= math.Log(s.Open()) / lam
		now := patterns.Instant(at * 1e9)
		if call(&b, now, s.Unit() < p) {
			calls++
		}
		was := state
		state = b.State(now)
		if was == state {
			continue
		}
		switch {
		case state == breaker.Closed:
			since = at
		case was == breaker.Closed:
			shut += at - since
		}
		if state == breaker.Open {
			if first == 0 {
				first, shut, calls = at, 0, 0
			}
			last, shutLast, callsLast = at, shut, calls
		}
	}
	return shutLast / (last - first), float64(callsLast) / (last - first)
}
