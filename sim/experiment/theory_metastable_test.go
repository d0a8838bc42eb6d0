package experiment_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/timeout"
	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/scenario"
)

// metastableCase is a class of behaviour after a stop of all workers.
type metastableCase struct {
	ID, Title, Formula string
	Params             map[string]float64
	Expected           string // recovered or collapsed
	Replications       int
	AtLeast            int      `json:"at_least"`
	AtMost             int      `json:"at_most"` // 0: no bound
	Median             *float64 `json:"median_recovery_s"`
	Late               float64  `json:"late_s"` // by how much the other simulation's rule may be later
}

type surgeCase struct {
	Title, Method string
	Params        map[string]float64
	Seeds         int
	Quantities    []theoryQuantity
}

type metastableData struct {
	Base, Accept, Recovery, Doubt string
	Cases                         []metastableCase
	Surge                         surgeCase
}

const (
	stopAt    = 60 * time.Second
	aftermath = 900 * time.Second
	judged    = 60 * time.Second
)

// TestMetastableClassesAreThoseOfTheory stops all workers for a while and looks at
// the last minute, 15 minutes later: whether the system came back must be what the
// fluid formulas say, in 19 of 20 replications at least.
func TestMetastableClassesAreThoseOfTheory(t *testing.T) {
	t.Parallel()
	var data metastableData
	readTheory(t, "metastability.json", &data)
	for _, c := range data.Cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			c.hold(t)
		})
	}
}

// runs is the number of replications and how many of them must, and may, be in the
// class: the same shares of a quarter of 20, and of two under -short.
func (c *metastableCase) runs() (n, atLeast, atMost int) {
	atLeast, atMost = c.AtLeast, c.AtMost
	if atMost == 0 {
		atMost = c.Replications
	}
	switch {
	case full():
		return c.Replications, atLeast, atMost
	case testing.Short():
		n = 2
	default:
		n = 5
	}
	return n, (n*atLeast + c.Replications - 1) / c.Replications, n * atMost / c.Replications
}

func (c *metastableCase) hold(t *testing.T) {
	sc := retryScenario(t, c.Params)
	freeze := seconds(c.Params["D"])
	if freeze > 0 {
		sc.Faults = append(sc.Faults, scenario.Fault{Kind: scenario.Freeze, Name: "stop", At: stopAt, For: freeze, Fleet: -1, CallersTo: -1, Instances: 1})
	}
	over := stopAt + freeze
	end := (over + c.aftermath()).Truncate(time.Second)
	n, atLeast, atMost := c.runs()
	as := 0
	var took []float64
	for r := range n {
		w := &outcomeWatch{}
		build(t, sc, seedOf(c.ID, r), w).Run(end)
		if class(w, end, c.lam()) == c.Expected {
			as++
		}
		took = append(took, w.recovery(over.Truncate(time.Second), end))
	}
	holds := as >= atLeast && as <= atMost
	if !holds {
		t.Errorf("%s: %d of %d %s, want from %d to %d", c.Title, as, n, c.Expected, atLeast, atMost)
	}
	note(t, pageRow{Case: c.ID, Quantity: "class", Theory: c.theory(), Ours: fmt.Sprintf("%d of %d %s", as, n, c.Expected),
		Interval: "count", Holds: holds})
	c.holdRecovery(t, took)
}

// holdRecovery compares the median time to recover with that of an independent
// simulation, if all replications were run.
func (c *metastableCase) holdRecovery(t *testing.T, took []float64) {
	if c.Median == nil || len(took) != c.Replications {
		return
	}
	ours, k := median(took), medianRank(len(took))
	low, high := took[k], took[len(took)-1-k]
	holds := low <= *c.Median && *c.Median <= high+c.Late
	if !holds {
		t.Errorf("%s: median recovery %v s, of another simulation %v s, interval %v to %v s", c.Title, ours, *c.Median, low, high)
	}
	note(t, pageRow{Case: c.ID, Quantity: "median recovery", Theory: figure(*c.Median) + " s", Ours: figure(ours) + " s",
		Interval: fmt.Sprintf("%s to %s s", figure(low), figure(high)), Holds: holds})
}

// medianRank is how many of n sorted values may be cut off at each end so that the rest
// is a 99.99 % interval of the median: with one of 20, the chance that it lies outside is
// 42 / 2^20.
func medianRank(n int) int {
	chance := math.Pow(0.5, float64(n))
	for k, below := 0, chance; ; k++ {
		chance *= float64(n-k) / float64(k+1)
		if below += chance; below > 0.5e-4 {
			return k
		}
	}
}

// aftermath is how long a run goes on after the trigger.
func (c *metastableCase) aftermath() time.Duration {
	if d := c.Params["aftermath"]; d > 0 {
		return seconds(d)
	}
	return aftermath
}

// lam is the load by which the last minute is judged.
func (c *metastableCase) lam() float64 {
	if lam := c.Params["lam_then"]; lam > 0 {
		return lam
	}
	return c.Params["lam"]
}

// theory is the claim as the page has it.
func (c *metastableCase) theory() string {
	if c.AtMost > 0 {
		return fmt.Sprintf("at most %d of %d %s", c.AtMost, c.Replications, c.Expected)
	}
	return fmt.Sprintf("%d of %d %s", c.AtLeast, c.Replications, c.Expected)
}

// class says what became of a run by its last minute.
func class(w *outcomeWatch, end time.Duration, lam float64) string {
	switch goodput := sum(w.good, end-judged, end) / judged.Seconds(); {
	case goodput >= 0.95*lam:
		return "recovered"
	case goodput < 0.5*lam:
		return "collapsed"
	}
	return "between"
}

// retryScenario is a fleet with retries and a timeout per attempt before a service
// that, unless told otherwise, serves what nobody waits for.
func retryScenario(t *testing.T, p map[string]float64) *scenario.Scenario {
	t.Helper()
	work, err := dist.NewExponential(seconds(p["mean_service"]))
	if err != nil {
		t.Fatal(err)
	}
	fleet := fleetOf(scenario.Poisson, p["lam"], callStep(0, 0))
	fleet.Instances = max(int(p["callers"]), 1)
	if at := p["lam_then_at"]; at > 0 {
		fleet.Arrivals.Curve = append(fleet.Arrivals.Curve, scenario.RatePoint{At: seconds(at), Rate: p["lam_then"]})
	}
	s := scenario.Service{Name: "service", Instances: 1, Workers: int(p["c"]), Do: []scenario.Step{workStep(work)},
		Queue: scenario.Queue{Limit: -1, Discipline: scenario.FIFO}, Abandoned: scenario.Keep}
	if k := p["queue_limit"]; k > 0 {
		s.Queue.Limit = int(k)
	}
	if p["lifo"] > 0 {
		s.Queue.Discipline = scenario.LIFO
	}
	if p["drop_expired"] > 0 {
		s.Abandoned = scenario.Skip
	}
	return &scenario.Scenario{Name: "retries", Callers: []scenario.Fleet{fleet}, Services: []scenario.Service{s},
		Pipelines: []scenario.Pipeline{{Name: "client", Policies: clientPolicies(p)}}}
}

// clientPolicies are those of the cases, outermost first: a bound of requests, the
// retry, a breaker that each attempt passes, the timeout of each attempt.
func clientPolicies(p map[string]float64) []scenario.Policy {
	var out []scenario.Policy
	if n := p["inflight_cap"]; n > 0 {
		out = append(out, scenario.Policy{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: int(n)}})
	}
	again := &retry.Config{MaxAttempts: int(p["a"]), WaitDuration: patterns.Duration(seconds(p["wait"]))}
	if m := p["wait_multiplier"]; m > 0 {
		again.EnableExponentialBackoff, again.ExponentialBackoffMultiplier = true, m
	}
	if p["full_jitter"] > 0 {
		again.Jitter = retry.Full
	}
	if ratio := p["retry_budget"]; ratio > 0 {
		again.Budget = &budget.Config{Ratio: ratio, Capacity: 10}
	}
	out = append(out, scenario.Policy{Retry: again})
	if n := p["breaker_calls"]; n > 0 {
		c := breaker.Defaults()
		c.SlidingWindowSize, c.MinimumNumberOfCalls = int(n), int(n)
		c.WaitDurationInOpenState = patterns.Duration(seconds(p["breaker_wait"]))
		c.EnableRandomizedWait, c.RandomizedWaitFactor = true, 0.5
		c.PermittedNumberOfCallsInHalfOpenState = int(p["breaker_trials"])
		out = append(out, scenario.Policy{CircuitBreaker: &c})
	}
	return append(out, scenario.Policy{Timeout: &timeout.Config{TimeoutDuration: patterns.Duration(seconds(p["T"]))}})
}

// TestASpikeTipsItForGoodAsTheoryHasIt runs the same seeds without and with a spike
// of five seconds: without it none collapses, with it all do and stay down.
func TestASpikeTipsItForGoodAsTheoryHasIt(t *testing.T) {
	t.Parallel()
	var data metastableData
	readTheory(t, "metastability.json", &data)
	s, end := data.Surge, seconds(data.Surge.Params["end"])
	spike := scenario.Fault{Kind: scenario.Surge, Name: "spike", At: seconds(s.Params["spike_at"]), For: seconds(s.Params["spike_for"]),
		Service: -1, Fleet: 0, CallersTo: -1, Instances: 1, RatePerSec: s.Params["spike_rate"]}
	for i, faults := range [][]scenario.Fault{nil, {spike}} {
		sc := retryScenario(t, s.Params)
		sc.Faults = faults
		collapsed := 0
		for r := range s.Seeds {
			w := &outcomeWatch{}
			build(t, sc, seedOf("R6", r), w).Run(end)
			if w.goodShare(end-judged, end) < 0.5 {
				collapsed++
			}
		}
		q := s.Quantities[i]
		if float64(collapsed) != q.Value {
			t.Errorf("%s: %d of %d, want %g", q.Name, collapsed, s.Seeds, q.Value)
		}
		note(t, pageRow{Case: "R6", Quantity: q.Name, Theory: s.theory(q), Ours: fmt.Sprintf("%d of %d", collapsed, s.Seeds),
			Interval: "count", Holds: float64(collapsed) == q.Value})
	}
}

func (s *surgeCase) theory(q theoryQuantity) string { return fmt.Sprintf("%g of %d", q.Value, s.Seeds) }
