package world_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/codel"
	"github.com/resilsim/resilsim/patterns/priority"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// able gives a service some of everything that services can do besides a plain line.
func (r chaos) able(s *scenario.Service) {
	q := &s.Queue
	q.Discipline = []scenario.Discipline{scenario.FIFO, scenario.LIFO, scenario.Random, scenario.AdaptiveLIFO,
		scenario.Priority, scenario.PreemptivePriority}[r.IntN(6)]
	looks := q.Discipline != scenario.Random && q.Discipline != scenario.PreemptivePriority
	if q.Discipline == scenario.AdaptiveLIFO {
		q.MaxWait, q.Interval, q.Target = r.ms(50, 500), r.ms(10, 200), r.ms(1, 50)
	} else if looks && r.chance(0.5) {
		q.MaxWait = 10 * r.ms(1, 20)
	}
	if looks && r.chance(0.5) {
		q.Deadlines, q.MinRemaining = true, 10*r.ms(0, 5)
	}
	if q.Looks() && q.Limit == 0 {
		q.Limit = 3
	}
	if r.chance(0.4) {
		q.CoDel = &codel.Config{Target: d(r.ms(1, 20)), Interval: d(r.ms(20, 200)), Variant: []codel.Variant{codel.Services, codel.RFC8289}[r.IntN(2)]}
	}
	s.Asynchronous = !q.Looks() && r.chance(0.5)
	if r.chance(0.4) {
		s.Cores = 1 + r.IntN(3)
	}
	if r.chance(0.1) {
		s.Workers = scenario.Unlimited
	}
	if r.chance(0.3) {
		s.Scalability = scenario.Scalability{Contention: 0.2 * r.Float64(), Coherence: 0.01 * r.Float64()}
	}
	if r.chance(0.3) {
		s.Memory = &scenario.Memory{Limit: 100, Base: 20 * r.Float64(), PerRequest: 1 + 10*r.Float64(), Restart: r.ms(0, 2000)}
		if r.chance(0.5) {
			s.Memory.Collector = r.Float64()
		}
	}
	r.doors(s)
}

func (r chaos) doors(s *scenario.Service) {
	limit := adaptive.Defaults([]adaptive.Algorithm{adaptive.AIMD, adaptive.Vegas, adaptive.Gradient2, adaptive.Envoy}[r.IntN(4)])
	shed := priority.Defaults()
	shed.CalibrationInterval = patterns.Duration(100 * time.Millisecond)
	for _, a := range []scenario.Admission{
		{RateLimiter: &ratelimit.Config{Type: ratelimit.TokenBucket, LimitForPeriod: 1 + r.IntN(20), LimitRefreshPeriod: d(r.ms(50, 500))}},
		{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: 1 + r.IntN(30)}},
		{AdaptiveLimit: &limit},
		{Priority: &scenario.ClassShedding{Config: shed, From: r.IntN(3), To: 3 + r.IntN(20)}},
	} {
		if r.chance(0.25) {
			s.Admission = append(s.Admission, a)
		}
	}
}

func (r chaos) ableScenario() *scenario.Scenario {
	sc := r.scenario()
	for i := range sc.Services {
		if r.chance(0.8) {
			r.able(&sc.Services[i])
		}
	}
	if r.chance(0.5) {
		f := fault(scenario.RandomDown, r.ms(0, 5000), 10*second)
		f.Service, f.Instances = r.IntN(len(sc.Services)), r.Float64()
		f.Breakdowns = scenario.Breakdowns{MeanUp: r.ms(100, 3000), MeanDown: r.ms(1, 1000), How: []scenario.How{scenario.Crashing, scenario.Freezing}[r.IntN(2)]}
		sc.Faults = append(sc.Faults, f)
	}
	for i := range sc.Callers {
		sc.Callers[i].Classes = []scenario.Class{
			{Name: "low", Weight: 1, Idempotent: true}, {Name: "high", Weight: r.Float64(), Priority: 1 + r.IntN(63), Idempotent: r.chance(0.5)}}
	}
	return sc
}

func ably(t *testing.T, seed uint64) (digest uint64, l *ledger) {
	t.Helper()
	r := chaos{rand.New(rand.NewPCG(seed, 2))}
	sc := r.ableScenario()
	l = newLedger(sc)
	w := build(t, sc, seed, l)
	for at := second; at <= sc.Duration; at += second {
		w.Run(at)
		l.balance(t, w)
		for s := range l.arrived {
			v := l.level[s]
			if v.Busy < 0 || v.Queue < 0 || l.arrived[s] > l.calls[s] || l.started[s] < l.served[s]+uint64(v.Busy)-min(uint64(v.Busy), l.served[s]) {
				t.Errorf("service %d: %+v, %d started, %d served, %d arrived of %d calls", s, v, l.started[s], l.served[s], l.arrived[s], l.calls[s])
			}
		}
	}
	return w.Digest(), l
}

// TestAbleServicesAccountForEveryRequest is the chaos of services that do all they can:
// every discipline, sharing, memory, asynchronous handlers and admission, under faults.
// Every request and attempt is in one account at each second, and the same seed does
// the same. 150 scenarios by seed.
func TestAbleServicesAccountForEveryRequest(t *testing.T) {
	t.Parallel()
	var why [models.Whys]uint64
	for seed := range uint64(150) {
		digest, l := ably(t, seed)
		for s := range l.callWhy {
			for i, n := range l.callWhy[s] {
				why[i] += n
			}
		}
		if again, _ := ably(t, seed); digest != again {
			t.Fatalf("seed %d: digests %x and %x", seed, digest, again)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for _, w := range []models.Why{models.WhyQueueTimeout, models.WhyDeadline, models.WhyShed, models.WhyRateLimited, models.WhyLimitReached, models.WhyBulkheadFull, models.WhyCrashed, models.WhyQueueFull} {
		t.Logf("%s: %d", w, why[w])
		if why[w] == 0 {
			t.Errorf("nothing ended by %s", w)
		}
	}
}

// FuzzAbleServices is the same for seeds of the fuzzer's choice.
func FuzzAbleServices(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { ably(t, seed) })
}
