package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/health"
	"github.com/resilsim/resilsim/patterns/outlier"
	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// farm is n instances of one worker with exponential work of mean 1 s at a utilisation,
// behind a balancer.
func farm(t *testing.T, n int, load float64, l scenario.LoadBalancer) *scenario.Scenario {
	law, err := dist.NewExponential(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	sc := simple(load*float64(n), 1, law)
	sc.Callers[0].Arrivals.Law = scenario.Poisson
	sc.Services[0].Instances = n
	sc.Services[0].LoadBalancer = &l
	return sc
}

// sojourn is the mean time of requests that come from 50 s on.
func sojourn(t *testing.T, sc *scenario.Scenario, seed uint64, until time.Duration) float64 {
	p := timed(t, sc, seed, until)
	sum, n := time.Duration(0), 0
	for i, took := range p.requests {
		if i > len(p.requests)/4 {
			sum += took
			n++
		}
	}
	return sum.Seconds() / float64(n)
}

// With d choices of many servers at utilisation l the mean sojourn time is the sum of
// l^((d^i-d)/(d-1)) over i (Mitzenmacher): 2.61 for two choices and 2.03 for three at
// 0.9, and 1/(1-l) = 10 for one. 200 instances are a few per cent above the limit.
func TestPowerOfTwoChoices(t *testing.T) {
	for _, c := range []struct {
		load     float64
		choices  int
		want, by float64
	}{{0.9, 2, 2.614, 0.06}, {0.9, 3, 2.028, 0.06}, {0.7, 2, 1.614, 0.05}, {0.5, 1, 2, 0.06}} {
		got := sojourn(t, farm(t, 200, c.load, scenario.LoadBalancer{Policy: scenario.RandomChoices, Choices: c.choices}), 1, 400*second)
		if math.Abs(got/c.want-1) > c.by {
			t.Errorf("load %v, %d choices: %.3f s, theory %.3f s", c.load, c.choices, got, c.want)
		}
	}
}

// Looking at more is never worse: at 0.9 the sojourn time falls from random over
// two choices to the shortest queue, and what is in turn lies between.
func TestBalancersInTheirOrder(t *testing.T) {
	of := func(p scenario.Picking) float64 {
		return sojourn(t, farm(t, 50, 0.9, scenario.LoadBalancer{Policy: p, Choices: 2}), 2, 600*second)
	}
	random, turn, two, least := of(scenario.AtRandom), of(scenario.RoundRobin), of(scenario.RandomChoices), of(scenario.LeastRequests)
	if !(least < two && two < turn && turn < random) {
		t.Errorf("least %.2f, two choices %.2f, round robin %.2f, random %.2f", least, two, turn, random)
	}
}

func check(kind scenario.CheckKind) *scenario.HealthCheck {
	return &scenario.HealthCheck{Kind: kind, Interval: second, Timeout: second, Unhealthy: 2, Healthy: 1}
}

// One of ten instances crashes for a minute. Without a check a tenth of the load is
// refused throughout; with one that needs two failures, a second apart, about two
// seconds' worth is.
func TestShallowCheckTakesACrashedInstanceOut(t *testing.T) {
	for _, checked := range []bool{false, true} {
		sc := closing(simple(100, 10, constant(10*time.Millisecond)), 100*second)
		sc.Services[0].Instances = 10
		sc.Services[0].LoadBalancer = &scenario.LoadBalancer{Policy: scenario.RoundRobin}
		if checked {
			sc.Services[0].LoadBalancer.HealthCheck = check(scenario.Shallow)
		}
		f := fault(scenario.CrashDown, 20*second, 60*second)
		f.Restart, f.Instances = 60*second, 0.1
		sc.Faults = []scenario.Fault{f}
		_, l := run(t, sc, 110*second)
		got, least, most := l.why[0][models.WhyUnreachable], uint64(595), uint64(605)
		if checked {
			least, most = 10, 25
		}
		if got < least || got > most {
			t.Errorf("checked %v: %d refused, want %d to %d", checked, got, least, most)
		}
	}
}

// A deep check takes every instance out when the database freezes, though nine of ten
// requests do not need it; a shallow one keeps them, and these are answered.
func TestDeepCheckTakesEverybodyOut(t *testing.T) {
	for _, kind := range []scenario.CheckKind{scenario.Shallow, scenario.Deep} {
		sc := simple(100, 50, constant(10*time.Millisecond), timeoutOf(second))
		sc.Services[0].Instances = 5
		sc.Services[0].Do = append(sc.Services[0].Do, scenario.Step{Call: 1, Through: 0, Probability: 0.1})
		sc.Services[0].LoadBalancer = &scenario.LoadBalancer{Policy: scenario.RoundRobin, HealthCheck: check(kind)}
		sc.Services = append(sc.Services, service("db", 10, work(constant(10*time.Millisecond))))
		freeze := fault(scenario.Freeze, 20*second, 40*second)
		freeze.Service = 1
		sc.Faults = []scenario.Fault{freeze}
		_, l := run(t, sc, 60*second)
		share := float64(l.ended[0][models.Answered]) / float64(l.sent[0])
		// 20 s in which all are answered, then 40 s.
		if want := map[scenario.CheckKind]float64{scenario.Shallow: (20 + 40*0.9) / 60, scenario.Deep: (20 + 2.) / 60}[kind]; math.Abs(share-want) > 0.03 {
			t.Errorf("%s: %.3f answered, want about %.3f", kind, share, want)
		}
	}
}

// A panic threshold of half keeps all instances in use when a deep check would take
// every one out.
func TestPanicThresholdOverrulesTheCheck(t *testing.T) {
	sc := simple(100, 50, constant(10*time.Millisecond), timeoutOf(second))
	sc.Services[0].Instances = 5
	sc.Services[0].Do = append(sc.Services[0].Do, scenario.Step{Call: 1, Through: 0, Probability: 0.1})
	sc.Services[0].LoadBalancer = &scenario.LoadBalancer{Policy: scenario.RoundRobin, HealthCheck: check(scenario.Deep), PanicThreshold: patterns.PercentOf(50)}
	sc.Services = append(sc.Services, service("db", 10, work(constant(10*time.Millisecond))))
	freeze := fault(scenario.Freeze, 20*second, 40*second)
	freeze.Service = 1
	sc.Faults = []scenario.Fault{freeze}
	_, l := run(t, sc, 60*second)
	if share, want := float64(l.ended[0][models.Answered])/float64(l.sent[0]), (20+40*0.9)/60; math.Abs(share-want) > 0.03 {
		t.Errorf("%.3f answered, want about %.3f", share, want)
	}
}

// One of twenty instances fails every request. Outlier detection ejects it after five in
// a row, for 30 s and then longer each time, so that fewer than 60 of 6,000 fail; without
// it a twentieth does.
func TestOutlierDetectionEjectsTheSickInstance(t *testing.T) {
	for _, detects := range []bool{false, true} {
		sc := closing(simple(100, 10, constant(10*time.Millisecond)), 60*second)
		sc.Services[0].Instances = 20
		sc.Services[0].LoadBalancer = &scenario.LoadBalancer{Policy: scenario.RoundRobin}
		if detects {
			c := outlier.Defaults()
			sc.Services[0].LoadBalancer.Outlier = &c
		}
		f := fault(scenario.Errors, 0, time.Hour)
		f.Share, f.Instances = 1, 0.05
		sc.Faults = []scenario.Fault{f}
		_, l := run(t, sc, 70*second)
		failed := l.ended[0][models.Failed]
		if !detects && (failed < 295 || failed > 305) || detects && (failed < 5 || failed > 15) {
			t.Errorf("detects %v: %d failed", detects, failed)
		}
	}
}

// An instance that hangs answers nobody: what its callers' timeouts tell ejects it.
func TestTimeoutsEjectAnInstanceThatHangs(t *testing.T) {
	sc := closing(simple(100, 10, constant(10*time.Millisecond), timeoutOf(100*time.Millisecond)), 60*second)
	sc.Services[0].Instances = 20
	c := outlier.Defaults()
	sc.Services[0].LoadBalancer = &scenario.LoadBalancer{Policy: scenario.RoundRobin, Outlier: &c}
	f := fault(scenario.Freeze, 0, time.Hour)
	f.Instances = 0.05
	sc.Faults = []scenario.Fault{f}
	_, l := run(t, sc, 70*second)
	if failed := l.ended[0][models.Failed]; failed < 5 || failed > 20 {
		t.Errorf("%d failed", failed)
	}
}

// A pool that is full for ten seconds makes its instance unready: of two instances one
// is slow, and its requests go to the other.
func TestPoolCheckReflectsExhaustion(t *testing.T) {
	for _, kind := range []scenario.CheckKind{scenario.Shallow, scenario.Pool} {
		sc := simple(50, 10, constant(20*time.Millisecond), timeoutOf(second))
		sc.Services[0].Instances = 2
		c := check(kind)
		c.Readiness = health.Defaults()
		c.Readiness.ShedThreshold, c.Readiness.RecoveryShed, c.Readiness.MaxUnreadyDuration = 0, 0, 0
		sc.Services[0].LoadBalancer = &scenario.LoadBalancer{Policy: scenario.RoundRobin, HealthCheck: c}
		f := fault(scenario.Latency, 40*second, 120*second)
		f.Times, f.Instances = 200, 0.5
		sc.Faults = []scenario.Fault{f}
		_, l := run(t, sc, 160*second)
		failed := l.ended[0][models.Failed]
		if kind == scenario.Shallow && failed < 2500 || kind == scenario.Pool && failed > 600 {
			t.Errorf("%s: %d of %d failed", kind, failed, l.sent[0])
		}
	}
}

// A liveness check that looks at breakers restarts healthy instances while a dependency
// is down; one that looks at the process restarts nobody.
func TestLivenessTiedToABreakerRestartsHealthyInstances(t *testing.T) {
	for _, kind := range []scenario.CheckKind{scenario.Shallow, scenario.BreakerCheck} {
		c := breaker.Defaults()
		c.SlidingWindowSize, c.MinimumNumberOfCalls = 10, 10
		sc := simple(100, 50, constant(10*time.Millisecond), scenario.Policy{CircuitBreaker: &c}, timeoutOf(second))
		sc.Callers[0].Do[0].Through = -1
		sc.Services[0].Instances = 4
		sc.Services[0].Do = append(sc.Services[0].Do, scenario.Step{Call: 1, Through: 0, Probability: 1})
		sc.Services[0].Liveness = &scenario.Liveness{Kind: kind, Interval: 5 * second, Failures: 3, Restart: 5 * second}
		sc.Services = append(sc.Services, service("db", 10, work(constant(10*time.Millisecond))))
		f := fault(scenario.Errors, 20*second, 100*second)
		f.Service, f.Share = 1, 1
		sc.Faults = []scenario.Fault{f}
		_, l := run(t, sc, 150*second)
		restarts := 0
		for _, h := range l.told {
			if h.Crash {
				restarts++
			}
		}
		if (restarts == 0) != (kind == scenario.Shallow) {
			t.Errorf("%s: %d restarts", kind, restarts)
		}
	}
}
