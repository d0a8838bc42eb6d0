package world_test

import (
	"math/rand/v2"
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/health"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/outlier"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// between gives a scenario some of everything that stands between callers and services.
func (r chaos) between() *scenario.Scenario {
	sc := r.ableScenario()
	for i := range sc.Services {
		r.before(&sc.Services[i])
	}
	r.cachesOf(sc)
	for i := range sc.Pipelines {
		r.queued(&sc.Pipelines[i])
		noCircle(sc, &sc.Pipelines[i])
	}
	for i := range sc.Callers {
		sc.Callers[i].Keys = &scenario.Keys{Count: 1 + r.IntN(20), Exponent: r.Float64()}
		r.fan(sc, sc.Callers[i].Do)
	}
	for i := range sc.Services {
		r.fan(sc, sc.Services[i].Do)
	}
	for i := range sc.Links {
		sc.Links[i].Loss = 0.1 * r.Float64()
	}
	if r.chance(0.3) {
		sc.Operators = append(sc.Operators, scenario.Operator{Kind: scenario.ScaleOut, At: r.ms(0, 10_000), Service: r.IntN(len(sc.Services)),
			Pipeline: -1, Instances: 1 + r.IntN(8), Startup: r.ms(0, 2000)})
	}
	return sc
}

// noCircle keeps fallbacks from sending messages: a broker whose own handler fails over
// to it would make more messages of each, without end. The language has no such circles.
func noCircle(sc *scenario.Scenario, p *scenario.Pipeline) {
	for _, policy := range p.Policies {
		if policy.Fallback == nil {
			continue
		}
		for i := range policy.Fallback.Steps {
			if st := &policy.Fallback.Steps[i]; st.Call >= 0 && sc.Services[st.Call].Broker != nil {
				st.Call = -1
			}
		}
	}
}

// before puts a balancer before a service, or makes it a broker, and has it scaled.
func (r chaos) before(s *scenario.Service) {
	s.Instances = 1 + r.IntN(5)
	if r.chance(0.2) {
		*s = scenario.Service{Name: s.Name, Instances: s.Instances, Workers: 1 + r.IntN(8), Do: s.Do, ErrorShare: s.ErrorShare, Abandoned: scenario.Keep,
			Queue:     scenario.Queue{Limit: r.IntN(60) - 1, Discipline: []scenario.Discipline{scenario.FIFO, scenario.LIFO}[r.IntN(2)]},
			Balancing: scenario.Balancing{Broker: &scenario.Broker{Deliveries: 1 + r.IntN(4), RedeliverAfter: r.ms(0, 500)}}}
	}
	if s.Workers < scenario.Unlimited && r.chance(0.3) {
		s.Autoscale = &scenario.Autoscale{Min: 1, Max: s.Instances + r.IntN(5), Target: 0.1 + 0.8*r.Float64(), Tolerance: 0.1,
			Interval: r.ms(100, 2000), StartupDelay: r.ms(0, 1500), ScaleDownStabilisation: r.ms(0, 3000)}
	}
	kinds := []scenario.CheckKind{scenario.Shallow, scenario.Pool, scenario.Deep, scenario.BreakerCheck}
	ready := health.Defaults()
	ready.ShedThreshold, ready.RecoveryShed, ready.SaturatedAfter = 0, 0, patterns.Duration(r.ms(100, 1000))
	ready.MinimumReadyDuration, ready.RecoveryDuration, ready.MaxUnreadyDuration = d(r.ms(100, 500)), d(r.ms(100, 500)), d(r.ms(500, 2000))
	if r.chance(0.6) {
		l := &scenario.LoadBalancer{Choices: 1 + r.IntN(3), PanicThreshold: patterns.PercentOf(float64(r.IntN(3) * 40)),
			Policy: []scenario.Picking{scenario.RoundRobin, scenario.AtRandom, scenario.LeastRequests, scenario.RandomChoices}[r.IntN(4)]}
		if r.chance(0.5) {
			l.HealthCheck = &scenario.HealthCheck{Kind: kinds[r.IntN(4)], Interval: r.ms(50, 1000), Timeout: r.ms(10, 500), Unhealthy: 1 + r.IntN(3), Healthy: 1 + r.IntN(2), Readiness: ready}
		}
		if r.chance(0.5) {
			c := outlier.Defaults()
			c.Interval, c.BaseEjectionTime, c.MaxEjectionPercent = d(r.ms(100, 1000)), d(r.ms(100, 2000)), patterns.PercentOf(100*r.Float64())
			c.PanicThreshold, c.MaxEjectionTimeJitter = l.PanicThreshold, d(r.ms(0, 500))
			c.SuccessRateMinimumHosts, c.SuccessRateRequestVolume = 2, 5
			l.Outlier = &c
		}
		s.LoadBalancer = l
	}
	if r.chance(0.2) {
		s.Liveness = &scenario.Liveness{Kind: kinds[r.IntN(4)], Interval: r.ms(100, 1000), Timeout: r.ms(10, 500), Failures: 1 + r.IntN(3), Restart: r.ms(0, 1000), Readiness: ready}
	}
}

// cachesOf has handlers look into caches, one shared and one local for each service.
func (r chaos) cachesOf(sc *scenario.Scenario) {
	cache := func(local bool) int {
		c := scenario.Cache{Name: "c", Local: local, TTL: r.ms(0, 2000), Capacity: r.IntN(15), FIFO: r.chance(0.5), Hit: r.ms(0, 3),
			Coalesce: r.chance(0.6), StaleWhileRevalidate: r.ms(0, 1000), EarlyRefresh: 2 * r.Float64()}
		sc.Caches = append(sc.Caches, c)
		return len(sc.Caches)
	}
	shared := cache(false)
	for i := range sc.Services {
		for k := range sc.Services[i].Do {
			if st := &sc.Services[i].Do[k]; st.Call >= 0 && r.chance(0.4) {
				if st.Cache = shared; r.chance(0.5) {
					st.Cache = cache(true)
				}
			}
		}
	}
	f := fault(scenario.Flush, r.ms(0, 10_000), r.ms(1, 2000))
	sc.Faults = append(sc.Faults, f)
}

// fan makes some calls many at one time.
func (r chaos) fan(sc *scenario.Scenario, do []scenario.Step) {
	for i := range do {
		if st := &do[i]; st.Call >= 0 && st.Cache == 0 && r.chance(0.3) {
			st.Group, st.Times = i/2+1, 1+r.IntN(4)
			st.Need = r.IntN(st.Times + 1)
		}
	}
}

// queued gives a pipeline bulkheads that look at their calls, a pool, or a hedge, at a
// place where it may stand.
func (r chaos) queued(p *scenario.Pipeline) {
	if r.chance(0.5) {
		c := bulkhead.QueueDefaults()
		c.MaxConcurrentCalls, c.QueueCapacity, c.MaxWaitDuration = 1+r.IntN(5), r.IntN(6), d(10*r.ms(1, 20))
		c.Order = []bulkhead.Order{bulkhead.FIFO, bulkhead.LIFO, bulkhead.AdaptiveLIFO, bulkhead.Priority}[r.IntN(4)]
		c.MinRemainingDuration = d(10 * r.ms(0, 3))
		if c.Order == bulkhead.Priority {
			c.Levels = 1 + r.IntN(4)
		}
		p.Policies = append(p.Policies, scenario.Policy{QueuedBulkhead: &c})
	}
	if r.chance(0.2) {
		p.Policies = append(p.Policies, scenario.Policy{ThreadPoolBulkhead: &bulkhead.PoolConfig{CoreThreadPoolSize: 1 + r.IntN(3), MaxThreadPoolSize: 4, QueueCapacity: 1 + r.IntN(5)}})
	}
	if r.chance(0.5) {
		c := hedge.Config{MaxHedges: 1 + r.IntN(3), Delay: d(10 * r.ms(0, 8)), HedgeOnFailure: r.chance(0.5)}
		if r.chance(0.5) {
			c.DelayPercentile, c.WindowSize, c.MinimumNumberOfCalls = patterns.PercentOf(50+45*r.Float64()), 20, 5
		}
		if r.chance(0.5) {
			b := budget.DefaultsOf([]budget.Kind{budget.Concurrency, budget.Tokens, budget.Quota, budget.Window}[r.IntN(4)])
			c.Budget = &b
		}
		p.Policies = append(p.Policies, scenario.Policy{Hedge: &c})
	}
}

func meanwhile(t *testing.T, seed uint64) (digest uint64, l *ledger) {
	t.Helper()
	r := chaos{rand.New(rand.NewPCG(seed, 3))}
	sc := r.between()
	l = newLedger(sc)
	w := build(t, sc, seed, l)
	for at := second; at <= sc.Duration; at += second {
		w.Run(at)
		l.balance(t, w)
		for s := range l.level {
			if v := l.level[s]; v.Busy < 0 || v.Queue < 0 {
				t.Errorf("service %d: %+v", s, v)
			}
		}
	}
	return w.Digest(), l
}

// TestWhatStandsBetweenAccountsForEveryRequest is the chaos of balancers with checks and
// ejection, brokers, autoscalers, caches, fans, hedges, bulkheads that look, and lossy
// links, on top of that of able services. Every request and attempt is in one
// account at each second, and the same seed does the same. 150 scenarios by seed.
func TestWhatStandsBetweenAccountsForEveryRequest(t *testing.T) {
	t.Parallel()
	var why [models.Whys]uint64
	told := map[string]int{}
	for seed := range uint64(150) {
		digest, l := meanwhile(t, seed)
		for f := range l.why {
			for i, n := range l.why[f] {
				why[i] += n
			}
		}
		for _, h := range l.told {
			told[h.Source]++
		}
		if again, _ := meanwhile(t, seed); digest != again {
			t.Fatalf("seed %d: digests %x and %x", seed, digest, again)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for _, source := range []string{"balancer", "autoscaler", "broker", "operator", "fault", "service"} {
		if told[source] == 0 {
			t.Errorf("nothing is told of a %s: the scenarios are too tame", source)
		}
	}
	for _, w := range []models.Why{models.WhyBulkheadFull, models.WhyBulkheadTimeout, models.WhyTimeout, models.WhyUnreachable} {
		if why[w] == 0 {
			t.Errorf("nothing ended by %s", w)
		}
	}
}

// FuzzWhatStandsBetween is the same for seeds of the fuzzer's choice.
func FuzzWhatStandsBetween(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { meanwhile(t, seed) })
}
