package experiment_test

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
	"github.com/resilsim/resilsim/sim/world"
)

// TestMM1WaitsAsTheoryHasThem measures the M/M/1 queue in independent replications
// and holds means, quantiles, state probabilities and variance against the
// geometric closed form.
func TestMM1WaitsAsTheoryHasThem(t *testing.T) { holdQueues(t, "Q01", "Q02") }

// TestManyServersWaitAsTheoryHasThem does so for M/M/c against Erlang's C formula,
// with 2, 8 and 100 servers.
func TestManyServersWaitAsTheoryHasThem(t *testing.T) { holdQueues(t, "Q04", "Q05", "Q07") }

// TestFullQueuesRefuseAsTheoryHasIt does so for M/M/c/K beyond its capacity against
// the birth-death solution: the share refused and the waits of those let in.
func TestFullQueuesRefuseAsTheoryHasIt(t *testing.T) { holdQueues(t, "Q08", "Q09") }

// TestServiceShapeMattersAsTheoryHasIt does so for constant and lognormal service
// against Pollaczek and Khinchine, second moments included.
func TestServiceShapeMattersAsTheoryHasIt(t *testing.T) { holdQueues(t, "Q15", "Q16") }

func holdQueues(t *testing.T, ids ...string) {
	t.Parallel()
	for _, c := range theoryCases(t, "queues.json", ids...) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			sc := queueScenario(t, c.Params)
			lam, workers := c.Params["lam"], float64(sc.Services[0].Workers)
			measured := c.replicate(func(seed uint64) map[string]float64 {
				w := &queueWatch{from: arrivalTime(c.Plan.WarmupArrivals, lam)}
				w.until = w.from + arrivalTime(int(float64(c.Plan.MeasuredArrivals)/shortening()), lam)
				watch(t, sc, seed, w)
				return w.figures(c.Quantities, workers)
			})
			c.hold(t, measured, queueFormulas(c.Params))
		})
	}
}

// arrivalTime is how long n arrivals take on average. Windows of time begin and
// end at no arrival in particular, so what is averaged in them is not biased by
// where they are.
func arrivalTime(n int, lam float64) time.Duration {
	return time.Duration(float64(n) / lam * 1e9)
}

// watch runs a world through the window and on until its requests have ended.
func watch(t *testing.T, sc *scenario.Scenario, seed uint64, w *queueWatch) {
	t.Helper()
	world := build(t, sc, seed, w)
	world.Run(w.until)
	for w.pending() > 0 {
		world.Run(world.Now() + time.Second)
	}
	w.close()
}

func build(t *testing.T, sc *scenario.Scenario, seed uint64, p models.Probe) *world.World {
	t.Helper()
	w, err := world.Build(sc, seed, p, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// queueScenario is one fleet before one service, without a pipeline. K counts the
// whole system, the queue only who waits.
func queueScenario(t *testing.T, p map[string]float64) *scenario.Scenario {
	t.Helper()
	workers := 1
	if c := p["c"]; c > 0 {
		workers = int(c)
	}
	limit := -1
	if k := p["K"]; k > 0 {
		limit = int(k) - workers
	}
	return &scenario.Scenario{
		Name:    "queue",
		Callers: []scenario.Fleet{fleetOf(scenario.Poisson, p["lam"], callStep(0, -1))},
		Services: []scenario.Service{{
			Name: "service", Instances: 1, Workers: workers, Do: []scenario.Step{workStep(serviceTime(t, p))},
			Queue: scenario.Queue{Limit: limit, Discipline: scenario.FIFO}, Abandoned: scenario.Keep,
		}},
	}
}

// serviceTime is exponential (mu), constant (D) or lognormal (mean, scv).
func serviceTime(t *testing.T, p map[string]float64) dist.Dist {
	t.Helper()
	var d dist.Dist
	var err error
	switch {
	case p["mu"] > 0:
		d, err = dist.NewExponential(seconds(1 / p["mu"]))
	case p["D"] > 0:
		d, err = dist.NewConstant(seconds(p["D"]))
	default:
		d, err = dist.NewLognormal(seconds(p["mean"]), p["scv"])
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

func fleetOf(law scenario.ArrivalLaw, rate float64, do ...scenario.Step) scenario.Fleet {
	return scenario.Fleet{Name: "caller", Instances: 1, Do: do,
		Arrivals: scenario.Arrivals{Law: law, Curve: []scenario.RatePoint{{Rate: rate}}}}
}

func callStep(service, through int) scenario.Step {
	return scenario.Step{Call: service, Through: through, Probability: 1}
}

func workStep(d dist.Dist) scenario.Step {
	return scenario.Step{Work: d, Call: -1, Through: -1, Probability: 1}
}

// queueFormulas has the variance constant of the time average of N in M/M/1,
//
//	lim T Var = 2 rho (1 + rho) / ((1 - rho)^4 mu),
//
// which says how long a run must be for a given interval.
//
// Source: Whitt, "Planning queueing simulations", Management Science 35, 1989.
func queueFormulas(p map[string]float64) map[string]float64 {
	rho := p["lam"] / p["mu"]
	left := (1 - rho) * (1 - rho)
	return map[string]float64{"asym_var_timeavg_N": 2 * rho * (1 + rho) / (left * left * p["mu"])}
}
