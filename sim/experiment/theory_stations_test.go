package experiment_test

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// TestPatienceInTheQueueEndsAsTheoryHasIt drops who has waited for tau in front of one
// server: who gives up, who waits at all and how long are those of M/M/1+D.
func TestPatienceInTheQueueEndsAsTheoryHasIt(t *testing.T) {
	c := disciplineCase(t, "Q22")
	lam, tau := c.Params["lam"], seconds(c.Params["tau"])
	sc := stationScenario(lam, lawOf(t, "exponential", seconds(1/c.Params["mu"])), func(s *scenario.Service) { s.Queue.MaxWait = tau })
	measured := c.replicate(func(seed uint64) map[string]float64 {
		w := &queueWatch{}
		w.from, w.until = c.span(lam)
		watch(t, sc, seed, w)
		f := w.figures(nil, 1)
		served, lost, sent := float64(len(w.waits)), float64(w.refused), float64(w.sent)
		return map[string]float64{
			"P_abandon": lost / sent, "throughput": f["throughput"],
			"P_wait":     (served*f["P_wait"] + lost) / sent,
			"E_wait_all": (served*f["Wq"] + lost*tau.Seconds()) / sent,
		}
	})
	c.hold(t, measured, nil)
}

// classWatch measures two classes of a fleet: a request's wait is its time less that
// for which it held the worker, of which the service tells at the same instant.
type classWatch struct {
	models.Silent
	from, until time.Duration
	held        time.Duration
	waits, took [2]tally
}

func (w *classWatch) Served(_ time.Duration, _ int, held time.Duration, _, _ bool) { w.held = held }

func (w *classWatch) ClassEnded(now time.Duration, _, class int, _ models.Ending, _ models.Why, took time.Duration) {
	if at := now - took; at >= w.from && at < w.until {
		w.took[class].add(took.Seconds())
		w.waits[class].add((took - w.held).Seconds())
	}
}

// figures of the high class, the first, and of the low one.
func (w *classWatch) figures(rhoHigh, rhoLow float64) map[string]float64 {
	high, low := w.waits[0].mean(), w.waits[1].mean()
	return map[string]float64{
		"Wq_high": high, "Wq_low": low, "W_high": w.took[0].mean(), "W_low": w.took[1].mean(),
		"conservation_rhoWq": rhoHigh*high + rhoLow*low,
	}
}

// TestPrioritiesWaitAsTheoryHasThem serves two classes by priority, with the library's
// bulkhead as the queue: means by Cobham's formula, and their weighted sum, which no
// order changes. Then with interruption: the high class is alone in the world.
func TestPrioritiesWaitAsTheoryHasThem(t *testing.T) {
	for id, order := range map[string]scenario.Discipline{"Q24": scenario.Priority, "Q24R": scenario.PreemptivePriority} {
		t.Run(id, func(t *testing.T) {
			c := disciplineCase(t, id)
			high, low, mu := c.Params["lam1"], c.Params["lam2"], c.Params["mu"]
			sc := stationScenario(high+low, lawOf(t, "exponential", seconds(1/mu)), func(s *scenario.Service) { s.Queue.Discipline = order })
			sc.Callers[0].Classes = []scenario.Class{
				{Name: "high", Weight: high, Priority: 1, Idempotent: true}, {Name: "low", Weight: low, Idempotent: true}}
			measured := c.replicate(func(seed uint64) map[string]float64 {
				w := &classWatch{}
				w.from, w.until = c.span(high + low)
				world := build(t, sc, seed, w)
				world.Run(w.until + time.Minute) // nobody waits for a minute
				return w.figures(high/mu, low/mu)
			})
			c.hold(t, measured, nil)
		})
	}
}

// tandemWatch measures each of two services and the requests of the fleet.
type tandemWatch struct {
	models.Silent
	first, second queueWatch
}

func (w *tandemWatch) RequestSent(now time.Duration, f int) { w.first.RequestSent(now, f) }
func (w *tandemWatch) RequestEnded(now time.Duration, f int, how models.Ending, why models.Why, took time.Duration) {
	w.first.RequestEnded(now, f, how, why, took)
}
func (w *tandemWatch) Level(now time.Duration, s int, l models.Level) {
	if s == 0 {
		w.first.Level(now, s, l)
	} else {
		w.second.Level(now, s, l)
	}
}

// TestTandemsAreTwoQueuesAsTheoryHasIt has an asynchronous service call another one: as
// its handler holds no worker meanwhile, the two are M/M/1 queues in a row, and their
// times are independent.
func TestTandemsAreTwoQueuesAsTheoryHasIt(t *testing.T) {
	c := disciplineCase(t, "Q26")
	lam := c.Params["lam"]
	sc := stationScenario(lam, lawOf(t, "exponential", seconds(1/c.Params["mu1"])), func(s *scenario.Service) {
		s.Asynchronous = true
		s.Do = append(s.Do, callStep(1, -1))
	})
	next := sc.Services[0]
	next.Name, next.Asynchronous = "next", false
	next.Do = []scenario.Step{workStep(lawOf(t, "exponential", seconds(1/c.Params["mu2"])))}
	sc.Services = append(sc.Services, next)
	measured := c.replicate(func(seed uint64) map[string]float64 {
		w := &tandemWatch{}
		w.first.from, w.first.until = c.span(lam)
		w.second.from, w.second.until = w.first.from, w.first.until
		world := build(t, sc, seed, w)
		world.Run(w.first.until)
		for w.first.pending() > 0 {
			world.Run(world.Now() + time.Second)
		}
		w.first.close()
		w.second.close()
		f := w.first.figures(c.Quantities, 1)
		mean, square := meanOf(w.first.sojourns, 1), meanOf(w.first.sojourns, 2)
		f["W_total"], f["W_var"] = mean, square-mean*mean
		f["L1"], f["L2"] = f["L"], w.second.figures(nil, 1)["L"]
		return f
	})
	c.hold(t, measured, nil)
}

// crowdWatch counts how many arrivals find so many in service.
type crowdWatch struct {
	queueWatch
	least          int
	busy, met, all int
}

func (w *crowdWatch) Level(now time.Duration, s int, l models.Level) {
	w.queueWatch.Level(now, s, l)
	w.busy = l.Busy
}

func (w *crowdWatch) RequestSent(now time.Duration, f int) {
	w.queueWatch.RequestSent(now, f)
	if w.within(now) {
		w.all++
		if w.busy >= w.least {
			w.met++
		}
	}
}

// TestNobodyWaitsAsTheoryHasIt counts who is in service where nobody waits for a worker:
// a Poisson number, in steady state and on the way there. What is rarer than fifty
// observations is told by arrivals, who see time averages.
func TestNobodyWaitsAsTheoryHasIt(t *testing.T) {
	c := disciplineCase(t, "Q28")
	lam, mean := c.Params["lam"], seconds(c.Params["mean"])
	sc := stationScenario(lam, lawOf(t, "exponential", mean), withWorkers(scenario.Unlimited, -1))
	met, all := 0, 0
	measured := c.replicate(func(seed uint64) map[string]float64 {
		w := &crowdWatch{least: 30}
		w.from, w.until = c.span(lam)
		build(t, sc, seed, w).Run(w.until)
		w.close()
		met, all = met+w.met, all+w.all
		above := 0.0
		for n := 16; n < len(w.states); n++ {
			above += w.states[n]
		}
		return map[string]float64{
			"mean_inflight": w.figures(nil, 1)["L"], "var_inflight": w.variance(),
			"P_inflight_gt_15":           above / float64(w.until-w.from),
			"exp_service_mean_at_t_50ms": inServiceAt(t, sc, seed, 50*time.Millisecond),
		}
	})
	constant := stationScenario(lam, lawOf(t, "constant", mean), withWorkers(scenario.Unlimited, -1))
	measured["det_service_mean_at_t_25ms"] = c.replicate(func(seed uint64) map[string]float64 {
		return map[string]float64{"n": inServiceAt(t, constant, seed, 25*time.Millisecond)}
	})["n"]
	for _, q := range c.Quantities {
		if q.Check == "share" {
			c.holdShare(t, q, met, all)
		}
	}
	c.hold(t, measured, nil)
}

// inServiceAt is the mean number in service at an instant, of many runs that begin empty.
func inServiceAt(t *testing.T, sc *scenario.Scenario, seed uint64, at time.Duration) float64 {
	t.Helper()
	const runs = 200
	sum := 0
	for r := range uint64(runs) {
		w := &crowdWatch{}
		build(t, sc, seed<<8|r, w).Run(at)
		sum += w.busy
	}
	return float64(sum) / runs
}

// pathWatch integrates numbers over a run and adds up the stays, in whole nanoseconds,
// for services, classes of requests and requests that wait between attempts.
type pathWatch struct {
	models.Silent
	numbers map[string]*path
}

type path struct {
	last         time.Duration
	inside       int
	area, stayed int64
}

func (w *pathWatch) at(name string) *path {
	if w.numbers[name] == nil {
		w.numbers[name] = &path{}
	}
	return w.numbers[name]
}

func (p *path) change(now time.Duration, by int) {
	p.area += int64(p.inside) * int64(now-p.last)
	p.last, p.inside = now, p.inside+by
}

func (w *pathWatch) Level(now time.Duration, s int, l models.Level) {
	p := w.at("service " + string(rune('0'+s)))
	p.change(now, l.Queue+l.Busy-p.inside)
}

// A stay is the difference of two instants: what is left is added, what comes taken off.
func (w *pathWatch) Arrived(now time.Duration, s int) {
	w.at("service " + string(rune('0'+s))).stayed -= int64(now)
}

func (w *pathWatch) Served(now time.Duration, s int, _ time.Duration, _, _ bool) {
	w.at("service " + string(rune('0'+s))).stayed += int64(now)
}

func (w *pathWatch) TurnedAway(now time.Duration, s int, _ models.Why) {
	w.at("service " + string(rune('0'+s))).stayed += int64(now)
}

func (w *pathWatch) ClassSent(now time.Duration, _, class int) {
	w.at("class "+string(rune('0'+class))).change(now, 1)
	w.at("backoff").change(now, 1)
}

func (w *pathWatch) ClassEnded(now time.Duration, _, class int, _ models.Ending, _ models.Why, took time.Duration) {
	p := w.at("class " + string(rune('0'+class)))
	p.change(now, -1)
	p.stayed += int64(took)
	w.at("backoff").change(now, -1)
	w.at("backoff").stayed += int64(took)
}

func (w *pathWatch) CallSent(now time.Duration, s int) {
	if s == 0 {
		w.at("backoff").change(now, -1)
		w.at("backoff").stayed += int64(now)
	}
}

func (w *pathWatch) CallEnded(now time.Duration, s int, _ models.Ending, _ models.Why) {
	if s == 0 {
		w.at("backoff").change(now, 1)
		w.at("backoff").stayed -= int64(now)
	}
}

// TestLittlesLawIsAnIdentityAsTheoryHasIt runs services of every discipline, with retries,
// refusals, drops and interruptions, until they are empty: the integral of the number
// inside is the sum of the stays, at each service, of each class, and between attempts.
func TestLittlesLawIsAnIdentityAsTheoryHasIt(t *testing.T) {
	c := disciplineCase(t, "Q32")
	worst := 0.0
	for i, order := range []scenario.Discipline{scenario.FIFO, scenario.LIFO, scenario.Random, scenario.AdaptiveLIFO, scenario.Priority, scenario.PreemptivePriority} {
		w := &pathWatch{numbers: map[string]*path{}}
		world := build(t, mixedScenario(t, order), uint64(i)+1, w)
		world.Run(3 * time.Minute)
		if len(w.numbers) != 5 || world.LiveRequests(0) != 0 {
			t.Fatalf("%s: %d places, %d requests left", order, len(w.numbers), world.LiveRequests(0))
		}
		for name, p := range w.numbers {
			if p.inside != 0 || p.area == 0 {
				t.Fatalf("%s, %s: %d inside at the end, area %d", order, name, p.inside, p.area)
			}
			worst = max(worst, float64(max(p.area-p.stayed, p.stayed-p.area))/float64(p.area))
		}
	}
	q := c.Quantities[0]
	if worst > q.Value {
		t.Errorf("off by %v of the integral, allowed %v", worst, q.Value)
	}
	note(t, pageRow{Case: c.ID, Quantity: q.Name, Theory: figure(q.Value), Ours: figure(worst), Interval: "exact", Holds: worst <= q.Value})
}

// mixedScenario is two classes of users with retries before a service of the given order
// that calls another one, for a minute and beyond what it can serve.
func mixedScenario(t *testing.T, order scenario.Discipline) *scenario.Scenario {
	t.Helper()
	sc := stationScenario(130, lawOf(t, "exponential", 8*time.Millisecond), func(s *scenario.Service) {
		s.Queue.Discipline, s.Queue.Limit = order, 40
		if order == scenario.AdaptiveLIFO {
			s.Queue.MaxWait, s.Queue.Interval, s.Queue.Target = 100*time.Millisecond, 100*time.Millisecond, 5*time.Millisecond
		}
		s.Do = append(s.Do, callStep(1, -1))
	})
	back := stationScenario(1, lawOf(t, "hyperexponential", 3*time.Millisecond), func(s *scenario.Service) { s.Workers, s.Cores = 5, 2 }).Services[0]
	back.Name = "back"
	sc.Services = append(sc.Services, back)
	sc.Pipelines = []scenario.Pipeline{{Name: "client", Policies: []scenario.Policy{retryTwice()}}}
	sc.Callers[0].Do = []scenario.Step{callStep(0, 0)}
	sc.Callers[0].Classes = []scenario.Class{{Name: "low", Weight: 1, Idempotent: true}, {Name: "high", Weight: 1, Priority: 3, Idempotent: true}}
	sc.Callers[0].Arrivals.Curve = append(sc.Callers[0].Arrivals.Curve, scenario.RatePoint{At: time.Minute})
	return sc
}

func retryTwice() scenario.Policy {
	c := retry.Defaults()
	c.MaxAttempts, c.WaitDuration = 2, patterns.Duration(200*time.Millisecond)
	return scenario.Policy{Retry: &c}
}

// TestSlowdownIsABirthDeathProcessAsTheoryHasIt has 20 workers slow each other down, by
// contention and coherence, far beyond the number that would serve most: with exponential
// work the number inside is a birth-death process whose rates are the law's.
func TestSlowdownIsABirthDeathProcessAsTheoryHasIt(t *testing.T) {
	c := disciplineCase(t, "U1")
	lam, workers := c.Params["lam"], c.Params["c"]
	sc := stationScenario(lam, lawOf(t, "exponential", seconds(c.Params["mean"])), func(s *scenario.Service) {
		s.Workers = int(workers)
		s.Scalability = scenario.Scalability{Contention: c.Params["contention"], Coherence: c.Params["coherence"]}
	})
	measured := c.replicate(func(seed uint64) map[string]float64 {
		w := &queueWatch{}
		w.from, w.until = c.span(lam)
		watch(t, sc, seed, w)
		return w.figures(c.Quantities, workers)
	})
	c.hold(t, measured, nil)
}
