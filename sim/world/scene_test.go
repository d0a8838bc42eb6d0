package world_test

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/timeout"
	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
	"github.com/resilsim/resilsim/sim/world"
)

const second = time.Second

// simple is one caller at a rate per second, evenly spaced, that calls one
// service through the policies.
func simple(rate float64, workers int, law dist.Dist, policies ...scenario.Policy) *scenario.Scenario {
	return &scenario.Scenario{
		Name: "simple", Duration: time.Hour,
		Callers:   []scenario.Fleet{fleet("app", 1, scenario.Uniform, rate, callTo(0, 0))},
		Pipelines: []scenario.Pipeline{{Name: "client", Policies: policies}},
		Services:  []scenario.Service{service("db", workers, work(law))},
	}
}

func fleet(name string, n int, law scenario.ArrivalLaw, rate float64, do ...scenario.Step) scenario.Fleet {
	return scenario.Fleet{Name: name, Instances: n, Do: do,
		Arrivals: scenario.Arrivals{Law: law, Curve: []scenario.RatePoint{{Rate: rate}}}}
}

// service has one instance and an unbounded queue in the order of arrival.
func service(name string, workers int, do ...scenario.Step) scenario.Service {
	return scenario.Service{Name: name, Instances: 1, Workers: workers, Do: do,
		Queue: scenario.Queue{Limit: -1, Discipline: scenario.FIFO}, Abandoned: scenario.Keep}
}

// closing lets arrivals end at an instant, so that a run can drain.
func closing(sc *scenario.Scenario, at time.Duration) *scenario.Scenario {
	for i := range sc.Callers {
		c := &sc.Callers[i].Arrivals.Curve
		*c = append(*c, scenario.RatePoint{At: at, Rate: 0})
	}
	return sc
}

func constant(v time.Duration) dist.Dist {
	c, err := dist.NewConstant(v)
	if err != nil {
		panic(err)
	}
	return c
}

func timeoutOf(v time.Duration) scenario.Policy {
	return scenario.Policy{Timeout: &timeout.Config{TimeoutDuration: d(v)}}
}

func retryOf(attempts int, wait time.Duration) scenario.Policy {
	return scenario.Policy{Retry: &retry.Config{MaxAttempts: attempts, WaitDuration: d(wait)}}
}

// budgeted is a retry of which a share of the calls may make use.
func budgeted(attempts int, share float64) scenario.Policy {
	none := 0.0
	return scenario.Policy{Retry: &retry.Config{MaxAttempts: attempts,
		Budget: &budget.Config{Ratio: share, Capacity: 1000, Initial: &none}}}
}

// run builds the scenario, runs it and checks the accounts.
func run(t *testing.T, sc *scenario.Scenario, until time.Duration) (*world.World, *ledger) {
	t.Helper()
	l := newLedger(sc)
	w := build(t, sc, 1, l)
	w.Run(until)
	l.balance(t, w)
	return w, l
}

func wantCount(t *testing.T, what string, got, want uint64) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}

// times listens to how long things took.
type times struct {
	*ledger
	requests, attempts []time.Duration
	waits, arrivals    []time.Duration
}

func (p *times) RequestSent(now time.Duration, f int) {
	p.ledger.RequestSent(now, f)
	p.arrivals = append(p.arrivals, now)
}

func (p *times) RequestEnded(now time.Duration, f int, how models.Ending, why models.Why, took time.Duration) {
	p.ledger.RequestEnded(now, f, how, why, took)
	p.requests = append(p.requests, took)
}

func (p *times) CallEnded(now time.Duration, s int, how models.Ending, why models.Why) {
	p.ledger.CallEnded(now, s, how, why)
	p.attempts = append(p.attempts, now)
}

func (p *times) Started(now time.Duration, s int, waited time.Duration) {
	p.ledger.Started(now, s, waited)
	p.waits = append(p.waits, waited)
}

func timed(t *testing.T, sc *scenario.Scenario, seed uint64, until time.Duration) *times {
	t.Helper()
	p := &times{ledger: newLedger(sc)}
	w := build(t, sc, seed, p)
	w.Run(until)
	p.balance(t, w)
	return p
}

func control(t *testing.T, sc *scenario.Scenario, p models.Probe) *world.World {
	t.Helper()
	w, err := world.Build(sc, 1, p, world.Options{WithoutTrigger: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}
