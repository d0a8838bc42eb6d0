package world_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/timeout"
	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// chaos makes small scenarios in which everything may happen.
type chaos struct{ *rand.Rand }

func (r chaos) chance(p float64) bool { return r.Float64() < p }

func (r chaos) ms(lo, hi int) time.Duration {
	return time.Duration(lo+r.IntN(hi-lo+1)) * time.Millisecond
}

// law has ties in plenty: half of the times are whole tens of milliseconds.
func (r chaos) law() dist.Dist {
	if r.chance(0.5) {
		return constant(10 * r.ms(1, 6))
	}
	return exponential(r.ms(5, 60))
}

func (r chaos) scenario() *scenario.Scenario {
	sc := &scenario.Scenario{Name: "chaos", Duration: 20 * second}
	services, pipelines := 1+r.IntN(3), 1+r.IntN(3)
	for range pipelines {
		sc.Pipelines = append(sc.Pipelines, r.pipeline(services, pipelines))
	}
	for i := range services {
		sc.Services = append(sc.Services, r.service(i, services, pipelines))
	}
	for i := range 1 + r.IntN(2) {
		f := fleet([]string{"web", "app"}[i], 1+r.IntN(5), scenario.Uniform, float64(20+r.IntN(150)), r.steps(0, services, pipelines, 2)...)
		if r.chance(0.7) {
			f.Arrivals.Law = scenario.Poisson
		}
		if r.chance(0.3) {
			f.Arrivals.Curve = append(f.Arrivals.Curve, scenario.RatePoint{At: 5 * second, Rate: float64(r.IntN(300)), Ramp: r.ms(0, 5000)})
		}
		sc.Callers = append(sc.Callers, f)
	}
	for i := range services {
		if r.chance(0.4) {
			sc.Links = append(sc.Links, scenario.Link{From: []string{"", "web"}[r.IntN(2)], To: i, Latency: r.law()})
		}
	}
	for range r.IntN(6) {
		sc.Faults = append(sc.Faults, r.fault(sc))
	}
	for range r.IntN(4) {
		sc.Operators = append(sc.Operators, r.operator(sc))
	}
	return sc
}

// steps calls only services after the first so many, so that no cycle arises.
func (r chaos) steps(after, services, pipelines, least int) []scenario.Step {
	var do []scenario.Step
	for range least + r.IntN(2) {
		st := work(r.law())
		if after < services && r.chance(0.6) {
			st = callTo(after+r.IntN(services-after), r.IntN(pipelines+1)-1)
		}
		if r.chance(0.2) {
			st.Probability = 0.5
		}
		do = append(do, st)
	}
	return do
}

func (r chaos) service(i, services, pipelines int) scenario.Service {
	s := service([]string{"a", "b", "c"}[i], 1+r.IntN(8), r.steps(i+1, services, pipelines, 1)...)
	s.Instances = 1 + r.IntN(3)
	s.Abandoned = []scenario.Abandoned{scenario.Keep, scenario.Skip, scenario.Cancel}[r.IntN(3)]
	s.Queue.Discipline = []scenario.Discipline{scenario.FIFO, scenario.LIFO}[r.IntN(2)]
	if r.chance(0.6) {
		s.Queue.Limit = r.IntN(50)
	}
	s.ErrorShare = float64(r.IntN(3)) * 0.1
	if r.chance(0.3) {
		s.Crash = &scenario.Crash{QueueAbove: 5 + r.IntN(40), Restart: r.ms(0, 2000)}
	}
	if r.chance(0.5) {
		s.ColdStart = &scenario.ColdStart{From: 0.1 + 0.9*r.Float64(), For: r.ms(1, 3000)}
	}
	return s
}

func (r chaos) pipeline(services, pipelines int) scenario.Pipeline {
	p := scenario.Pipeline{Name: "p", Shared: r.chance(0.3)}
	for range r.IntN(6) {
		p.Policies = append(p.Policies, r.policy(services))
	}
	return p
}

func (r chaos) policy(services int) scenario.Policy {
	switch r.IntN(5) {
	case 0:
		var l scenario.Fallback
		for range 1 + r.IntN(2) {
			st := scenario.FallbackStep{Name: "x", Call: -1, Through: -1, Takes: r.ms(0, 50)}
			if r.chance(0.5) {
				st.Call = r.IntN(services)
			}
			l.Steps = append(l.Steps, st)
		}
		return scenario.Policy{Fallback: &l}
	case 1:
		c := retry.Defaults()
		c.MaxAttempts, c.WaitDuration = 1+r.IntN(4), d(r.ms(0, 100))
		c.EnableRandomizedWait = r.chance(0.5)
		c.RandomizedWaitFactor = 0.5
		if r.chance(0.5) {
			c.Budget = &budget.Config{Ratio: 0.2, Capacity: 5}
		}
		return scenario.Policy{Retry: &c}
	case 2:
		c := breaker.Defaults()
		c.SlidingWindowSize, c.MinimumNumberOfCalls = 10, 5
		c.PermittedNumberOfCallsInHalfOpenState = 2
		c.WaitDurationInOpenState = d(r.ms(100, 2000))
		c.EnableRandomizedWait, c.RandomizedWaitFactor = r.chance(0.5), 0.5
		return scenario.Policy{CircuitBreaker: &c}
	case 3:
		return scenario.Policy{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: 1 + r.IntN(10), MaxWaitDuration: d(10 * r.ms(0, 10))}}
	}
	return scenario.Policy{Timeout: &timeout.Config{TimeoutDuration: d(10 * r.ms(1, 30)), Detached: r.chance(0.3)}, Uncooperative: r.chance(0.3)}
}

func (r chaos) fault(sc *scenario.Scenario) scenario.Fault {
	kinds := []scenario.FaultKind{scenario.Latency, scenario.Errors, scenario.Capacity, scenario.Freeze, scenario.CrashDown, scenario.Partition, scenario.Surge}
	f := fault(kinds[r.IntN(len(kinds))], r.ms(0, 12_000), r.ms(1, 5000))
	f.Service, f.Instances = r.IntN(len(sc.Services)), 0.01+0.99*r.Float64()
	f.Times, f.Plus, f.Share = 3*r.Float64(), r.ms(0, 100), r.Float64()
	f.Loses = []scenario.Loses{scenario.Requests, scenario.Responses, scenario.Both}[r.IntN(3)]
	f.How = []scenario.How{scenario.BlackHole, scenario.Refused}[r.IntN(2)]
	if f.Kind == scenario.Surge {
		f.Service, f.Fleet = -1, r.IntN(len(sc.Callers))
	}
	if r.chance(0.3) {
		f.CallersTo = r.IntN(len(sc.Callers))
	}
	return f
}

func (r chaos) operator(sc *scenario.Scenario) scenario.Operator {
	kinds := []scenario.OperatorKind{scenario.RestartService, scenario.Shed, scenario.Purge, scenario.ForceBreaker, scenario.RetriesOff}
	return scenario.Operator{
		Kind: kinds[r.IntN(len(kinds))], At: r.ms(0, 15_000), For: r.ms(0, 3000), Service: r.IntN(len(sc.Services)),
		Pipeline: r.IntN(len(sc.Pipelines)+1) - 1, Downtime: r.ms(0, 2000), Share: r.Float64(), Ramp: r.ms(0, 2000), Steps: 1 + r.IntN(5),
		What:  []scenario.What{scenario.ShedRequests, scenario.ShedAttempts}[r.IntN(2)],
		Force: []breaker.State{breaker.Open, breaker.Closed, breaker.ForcedOpen, breaker.Disabled}[r.IntN(4)],
	}
}

// inside checks what each service says of itself, besides the accounts.
func (l *ledger) inside(t *testing.T) {
	t.Helper()
	for s := range l.arrived {
		if l.started[s] != l.served[s]+uint64(l.level[s].Busy) {
			t.Errorf("service %d: %d started, %d served, %d busy", s, l.started[s], l.served[s], l.level[s].Busy)
		}
		if l.level[s].Busy < 0 || l.level[s].Queue < 0 || l.arrived[s] > l.calls[s] {
			t.Errorf("service %d: %+v, %d arrived of %d calls", s, l.level[s], l.arrived[s], l.calls[s])
		}
	}
}

func live(t *testing.T, seed uint64) (digest, answered uint64, l *ledger) {
	t.Helper()
	r := chaos{rand.New(rand.NewPCG(seed, 1))}
	sc := r.scenario()
	l = newLedger(sc)
	w := build(t, sc, seed, l)
	for at := second; at <= sc.Duration; at += second {
		w.Run(at)
		l.balance(t, w)
		l.inside(t)
	}
	for f := range l.ended {
		answered += l.ended[f][models.Answered]
	}
	return w.Digest(), answered, l
}

// Whatever goes wrong, every request and every attempt is in one account, at each
// second; and the same seed does the same things, also on one processor. 300
// scenarios by seed.
func TestEveryRequestIsAccountedForInChaos(t *testing.T) {
	var requests, answered, timeouts, degraded, refused uint64
	for seed := range uint64(300) {
		digest, n, l := live(t, seed)
		for f := range l.sent {
			requests += l.sent[f]
			timeouts += l.why[f][models.WhyTimeout]
			degraded += l.ended[f][models.Degraded]
			refused += l.ended[f][models.Refused]
		}
		answered += n
		procs := runtime.GOMAXPROCS(1 + int(seed%2))
		again, _, _ := live(t, seed)
		runtime.GOMAXPROCS(procs)
		if digest != again {
			t.Fatalf("seed %d: digests %x and %x", seed, digest, again)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	t.Logf("%d requests: %d answered, %d timed out, %d degraded, %d refused", requests, answered, timeouts, degraded, refused)
	if answered == 0 || timeouts == 0 || degraded == 0 || refused == 0 {
		t.Error("the scenarios are too tame to tell anything")
	}
}

// FuzzChaos is the same for seeds of the fuzzer's choice.
func FuzzChaos(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { live(t, seed) })
}
