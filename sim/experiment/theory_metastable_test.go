package experiment_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
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
	Median             *float64 `json:"median_recovery_s"`
}

type surgeCase struct {
	Title, Method string
	Params        map[string]float64
	Seeds         int
	Quantities    []theoryQuantity
}

type metastableData struct {
	Base, Accept, Recovery string
	Cases                  []metastableCase
	Surge                  surgeCase
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

// runs is the number of replications and how many of them may disagree; a tenth
// of them, and none, under -short.
func (c *metastableCase) runs() (n, atLeast int) {
	if testing.Short() {
		return 2, 2
	}
	return c.Replications, c.AtLeast
}

func (c *metastableCase) hold(t *testing.T) {
	sc := retryScenario(t, c.Params)
	freeze := seconds(c.Params["D"])
	if freeze > 0 {
		sc.Faults = append(sc.Faults, scenario.Fault{Kind: scenario.Freeze, Name: "stop", At: stopAt, For: freeze, Fleet: -1, CallersTo: -1, Instances: 1})
	}
	over := stopAt + freeze
	end := (over + aftermath).Truncate(time.Second)
	n, atLeast := c.runs()
	as := 0
	var took []float64
	for r := range n {
		w := &outcomeWatch{}
		build(t, sc, seedOf(c.ID, r), w).Run(end)
		if class(w, end, c.Params["lam"]) == c.Expected {
			as++
		}
		took = append(took, w.recovery(over.Truncate(time.Second), end))
	}
	if as < atLeast {
		t.Errorf("%s: %d of %d %s, want at least %d", c.Title, as, n, c.Expected, atLeast)
	}
	note(t, pageRow{Case: c.ID, Quantity: "class", Theory: c.theory(), Ours: fmt.Sprintf("%d of %d %s", as, n, c.Expected),
		Interval: "count", Holds: as >= atLeast})
	c.holdRecovery(t, took)
}

// holdRecovery compares the median time to recover with that of an independent
// simulation. Of 20 values the second and the last but one are a 99.99 % interval of
// the median: the chance that it lies outside is 42 / 2^20.
func (c *metastableCase) holdRecovery(t *testing.T, took []float64) {
	if c.Median == nil || len(took) != 20 {
		return
	}
	ours := median(took)
	low, high := took[1], took[18]
	holds := low <= *c.Median && *c.Median <= high
	if !holds {
		t.Errorf("%s: median recovery %v s, of another simulation %v s, interval %v to %v s", c.Title, ours, *c.Median, low, high)
	}
	note(t, pageRow{Case: c.ID, Quantity: "median recovery", Theory: figure(*c.Median) + " s", Ours: figure(ours) + " s",
		Interval: fmt.Sprintf("%s to %s s", figure(low), figure(high)), Holds: holds})
}

// theory is the claim as the page has it.
func (c *metastableCase) theory() string {
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

// retryScenario is one caller with retries without waits and a timeout per attempt
// before a service that serves what nobody waits for.
func retryScenario(t *testing.T, p map[string]float64) *scenario.Scenario {
	t.Helper()
	work, err := dist.NewExponential(seconds(p["mean_service"]))
	if err != nil {
		t.Fatal(err)
	}
	again := &retry.Config{MaxAttempts: int(p["a"])}
	if ratio := p["retry_budget"]; ratio > 0 {
		again.Budget = &budget.Config{Ratio: ratio, Capacity: 10}
	}
	limit := -1
	if k := p["queue_limit"]; k > 0 {
		limit = int(k)
	}
	return &scenario.Scenario{
		Name:    "retries",
		Callers: []scenario.Fleet{fleetOf(scenario.Poisson, p["lam"], callStep(0, 0))},
		Pipelines: []scenario.Pipeline{{Name: "client", Policies: []scenario.Policy{
			{Retry: again}, {Timeout: &timeout.Config{TimeoutDuration: patterns.Duration(seconds(p["T"]))}}}}},
		Services: []scenario.Service{{Name: "service", Instances: 1, Workers: int(p["c"]), Do: []scenario.Step{workStep(work)},
			Queue: scenario.Queue{Limit: limit, Discipline: scenario.FIFO}, Abandoned: scenario.Keep}},
	}
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
