package experiment_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/engine"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
	"github.com/resilsim/resilsim/sim/stats"
)

// disciplineCase is a case of disciplines.json that runs beside the others.
func disciplineCase(t *testing.T, id string) theoryCase {
	t.Parallel()
	return theoryCases(t, "disciplines.json", id)[0]
}

// span is the window of a case's plan at so many arrivals a second.
func (c *theoryCase) span(lam float64) (from, until time.Duration) {
	from = arrivalTime(c.Plan.WarmupArrivals, lam)
	return from, from + arrivalTime(int(float64(c.Plan.MeasuredArrivals)/shortening()), lam)
}

// lawOf makes a time law of a mean, by its name.
func lawOf(t *testing.T, name string, mean time.Duration) dist.Dist {
	t.Helper()
	var d dist.Dist
	var err error
	switch name {
	case "exponential":
		d, err = dist.NewExponential(mean)
	case "constant":
		d, err = dist.NewConstant(mean)
	case "lognormal":
		d, err = dist.NewLognormal(mean, 4)
	case "hyperexponential":
		d, err = dist.NewHyperexponential(mean, 4)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// stationScenario is a fleet before one service that works for a time.
func stationScenario(lam float64, work dist.Dist, change func(*scenario.Service)) *scenario.Scenario {
	s := scenario.Service{Name: "service", Instances: 1, Workers: 1, Do: []scenario.Step{workStep(work)},
		Queue: scenario.Queue{Limit: -1, Discipline: scenario.FIFO}, Abandoned: scenario.Keep}
	change(&s)
	return &scenario.Scenario{Name: "station", Services: []scenario.Service{s},
		Callers: []scenario.Fleet{fleetOf(scenario.Poisson, lam, callStep(0, -1))}}
}

func withWorkers(n, limit int) func(*scenario.Service) {
	return func(s *scenario.Service) { s.Workers, s.Queue.Limit = n, limit }
}

// TestLossIsInsensitiveAsTheoryHasIt fills all workers of a service without a queue, and
// the bulkhead at the door of one without a limit of workers, with exponential, constant
// and lognormal work of the same mean: what is refused is Erlang's loss formula each time.
func TestLossIsInsensitiveAsTheoryHasIt(t *testing.T) {
	for _, id := range []string{"Q11", "Q12"} {
		t.Run(id, func(t *testing.T) {
			c := disciplineCase(t, id)
			servers, lam := int(c.Params["c"]), 100*c.Params["a"]
			station := withWorkers(servers, 0)
			if id == "Q12" {
				station = func(s *scenario.Service) {
					s.Workers = scenario.Unlimited
					s.Admission = []scenario.Admission{{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: servers}}}
				}
			}
			measured := map[string][]float64{}
			for _, law := range []string{"exponential", "constant", "lognormal"} {
				sc := stationScenario(lam, lawOf(t, law, 10*time.Millisecond), station)
				for r := range c.Plan.Replications {
					w := &queueWatch{}
					w.from, w.until = c.span(lam)
					watch(t, sc, seedOf(c.ID+law[:2], r), w)
					f := w.figures(nil, float64(servers))
					measured["P_block "+law] = append(measured["P_block "+law], f["P_block"])
					measured["carried "+law] = append(measured["carried "+law], f["L"])
					measured["utilisation "+law] = append(measured["utilisation "+law], f["utilisation"])
				}
			}
			c.hold(t, measured, nil)
		})
	}
}

// TestBulkheadsRefuseAsTheoryHasIt sends 200 calls a second through the library's
// bulkhead of 30 slots to a dependency of growing latency, in which nobody waits.
func TestBulkheadsRefuseAsTheoryHasIt(t *testing.T) {
	c := disciplineCase(t, "Q14")
	lam := c.Params["lam"]
	measured := map[string][]float64{}
	for _, q := range c.Quantities {
		var ms int
		if _, err := fmt.Sscanf(q.Name, "P_reject_at_%dms", &ms); err != nil {
			t.Fatal(err)
		}
		sc := stationScenario(lam, lawOf(t, "exponential", time.Duration(ms)*time.Millisecond), withWorkers(scenario.Unlimited, -1))
		sc.Callers[0].Do = []scenario.Step{callStep(0, 0)}
		sc.Pipelines = []scenario.Pipeline{{Name: "client", Policies: []scenario.Policy{
			{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: int(c.Params["c"])}}}}}
		sent, refused := 0, 0
		for r := range c.Plan.Replications {
			w := &lossWatch{}
			w.from, w.until = c.span(lam)
			if ms == 75 {
				// Refusals are rare and come in bunches: the plan's own length gives a
				// wider interval than it allows.
				w.until += 2 * (w.until - w.from)
			}
			world := build(t, sc, seedOf(fmt.Sprint(c.ID, ms), r), w)
			world.Run(w.until)
			sent, refused = sent+w.sent, refused+w.refused
			measured[q.Name] = append(measured[q.Name], float64(w.refused)/float64(w.sent))
		}
		if q.Check == "share" {
			c.holdShare(t, q, refused, sent)
		}
	}
	c.hold(t, measured, nil)
}

// holdShare is for a proportion of rare events.
func (c *theoryCase) holdShare(t *testing.T, q theoryQuantity, k, n int) {
	t.Helper()
	a := stats.AcceptShare(k, n, q.Value)
	if !a.OK {
		t.Errorf("%s %s: %s", c.ID, q.Name, a.Why)
	}
	low, high := stats.ClopperPearson(k, n, 0.9999)
	note(t, pageRow{Case: c.ID, Quantity: q.Name, Theory: figure(q.Value), Ours: figure(a.Mean),
		Interval: fmt.Sprintf("%s to %s", figure(low), figure(high)), Holds: a.OK})
}

// lossWatch counts who is refused on the spot.
type lossWatch struct {
	models.Silent
	from, until   time.Duration
	sent, refused int
}

func (w *lossWatch) RequestSent(now time.Duration, _ int) {
	if now >= w.from && now < w.until {
		w.sent++
	}
}

func (w *lossWatch) RequestEnded(now time.Duration, _ int, how models.Ending, _ models.Why, _ time.Duration) {
	if how == models.Refused && now >= w.from && now < w.until {
		w.refused++
	}
}

// TestOrderChangesTheSpreadAsTheoryHasIt serves one M/M/1 queue oldest first, newest
// first and at random: the mean wait is the same, its second moment is not.
func TestOrderChangesTheSpreadAsTheoryHasIt(t *testing.T) {
	c := disciplineCase(t, "Q18")
	lam := c.Params["lam"]
	work := lawOf(t, "exponential", seconds(1/c.Params["mu"]))
	measured := map[string][]float64{}
	for name, order := range map[string]scenario.Discipline{"fifo": scenario.FIFO, "siro": scenario.Random, "lifo": scenario.LIFO} {
		sc := stationScenario(lam, work, func(s *scenario.Service) { s.Queue.Discipline = order })
		for r := range c.Plan.Replications {
			w := &queueWatch{}
			w.from, w.until = c.span(lam)
			watch(t, sc, seedOf(c.ID+name[:1], r), w)
			mean, square := meanOf(w.waits, 1), meanOf(w.waits, 2)
			measured[name+"_Wq_mean"] = append(measured[name+"_Wq_mean"], mean)
			measured[name+"_Wq_second_moment"] = append(measured[name+"_Wq_second_moment"], square)
			measured[name+"_Wq_var"] = append(measured[name+"_Wq_var"], square-mean*mean)
		}
	}
	c.hold(t, measured, nil)
}

// sharingWatch knows the size of each job besides its time: the law tells the size when
// a job starts, which is when it arrives.
type sharingWatch struct {
	queueWatch
	law      dist.Dist
	arrived  time.Duration
	sizes    map[time.Duration]time.Duration
	slowdown tally
	near     map[time.Duration]*tally
}

type tally struct {
	sum float64
	n   int
}

func (a *tally) add(v float64) { a.sum, a.n = a.sum+v, a.n+1 }
func (a *tally) mean() float64 { return a.sum / float64(a.n) }

func (w *sharingWatch) Mean() time.Duration { return w.law.Mean() }
func (w *sharingWatch) String() string      { return w.law.String() }
func (w *sharingWatch) Sample(s *engine.Stream) time.Duration {
	d := max(w.law.Sample(s), 1)
	w.sizes[w.arrived] = d
	return d
}

func (w *sharingWatch) RequestSent(now time.Duration, f int) {
	w.arrived = now
	w.queueWatch.RequestSent(now, f)
}

func (w *sharingWatch) RequestEnded(now time.Duration, f int, how models.Ending, why models.Why, took time.Duration) {
	w.queueWatch.RequestEnded(now, f, how, why, took)
	size := w.sizes[now-took]
	delete(w.sizes, now-took)
	if !w.within(now-took) || size == 0 {
		return
	}
	slowed := float64(took) / float64(size)
	w.slowdown.add(slowed)
	for middle, a := range w.near {
		if size > middle*9/10 && size < middle*11/10 {
			a.add(slowed * middle.Seconds())
		}
	}
}

// TestSharingIsInsensitiveAsTheoryHasIt shares one core between jobs of exponential,
// constant and hyperexponential size: a job of size x takes x/(1-rho) on average, and
// the mean number is that of M/M/1, whatever the sizes.
func TestSharingIsInsensitiveAsTheoryHasIt(t *testing.T) {
	c := disciplineCase(t, "Q19")
	lam := c.Params["lam"]
	measured := map[string][]float64{}
	for _, law := range []string{"exponential", "constant", "hyperexponential"} {
		for r := range c.Plan.Replications {
			w := &sharingWatch{law: lawOf(t, law, seconds(c.Params["mean"])), sizes: map[time.Duration]time.Duration{},
				near: map[time.Duration]*tally{5 * time.Millisecond: {}, 20 * time.Millisecond: {}}}
			w.from, w.until = c.span(lam)
			world := build(t, stationScenario(lam, w, func(s *scenario.Service) { s.Workers, s.Cores = scenario.Unlimited, 1 }), seedOf(c.ID+law[:1], r), w)
			world.Run(w.until)
			for w.pending() > 0 {
				world.Run(world.Now() + time.Second)
			}
			w.close()
			f := w.figures([]theoryQuantity{{Name: "p_0"}}, 1)
			f["mean_slowdown_T_over_x"] = w.slowdown.mean()
			f["E_T_given_x_5ms"], f["E_T_given_x_20ms"] = w.near[5*time.Millisecond].mean(), w.near[20*time.Millisecond].mean()
			for _, name := range []string{"L", "W", "p_0", "mean_slowdown_T_over_x", "E_T_given_x_5ms", "E_T_given_x_20ms"} {
				measured[name+" "+law] = append(measured[name+" "+law], f[name])
			}
		}
	}
	c.hold(t, measured, nil)
}
