package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// layers is a chain app -> edge -> middle -> db in which every caller goes through
// the same pipeline and the db always fails.
func layers(rate float64, policy scenario.Policy) *scenario.Scenario {
	quick := work(constant(time.Millisecond))
	sc := &scenario.Scenario{
		Name: "layers", Duration: time.Hour,
		Callers:   []scenario.Fleet{fleet("app", 1, scenario.Uniform, rate, callTo(0, 0))},
		Pipelines: []scenario.Pipeline{{Name: "client", Policies: []scenario.Policy{policy}}},
		Services: []scenario.Service{
			service("edge", 1000, quick, callTo(1, 0)),
			service("middle", 1000, quick, callTo(2, 0)),
			service("db", 1000, quick),
		},
	}
	sc.Services[2].ErrorShare = 1
	return sc
}

// Three layers that each make three attempts turn one failing request into
// 3 x 3 x 3 calls at the bottom, exactly.
func TestNestedRetriesMultiply(t *testing.T) {
	sc := closing(layers(1, retryOf(3, 10*time.Millisecond)), 1500*time.Millisecond)
	_, l := run(t, sc, time.Minute)
	wantCount(t, "requests", l.sent[0], 1)
	wantCount(t, "calls to edge", l.calls[0], 3)
	wantCount(t, "calls to middle", l.calls[1], 9)
	wantCount(t, "calls to db", l.calls[2], 27)
	wantCount(t, "failed requests", l.why[0][models.WhyError], 1)
}

// With a retry budget of 10 % at each of the three layers the same chain makes
// 1.1 x 1.1 x 1.1 = 1.331 calls at the bottom for each request, short of the
// tokens that are left over: less than one at each layer.
func TestBudgetsMultiplyToo(t *testing.T) {
	sc := closing(layers(100, budgeted(3, 0.1)), 100*second)
	_, l := run(t, sc, 200*second)
	got := float64(l.calls[2]) / float64(l.sent[0])
	if math.Abs(got-1.331) > 3/float64(l.sent[0]) {
		t.Errorf("%d calls at the bottom for %d requests: %.4f, want 1.331", l.calls[2], l.sent[0], got)
	}
}

// When each attempt fails with probability p, up to four attempts make
// 1 + p + p² + p³ of a request. Tolerance: 4 standard errors.
func TestRetriesAmplifyByPowersOfTheFailureRate(t *testing.T) {
	const p = 0.6
	sc := closing(simple(1000, 1000, constant(time.Millisecond), retryOf(4, 0)), 30*second)
	sc.Services[0].ErrorShare = p
	_, l := run(t, sc, time.Minute)
	n := float64(l.sent[0])
	want, square := 0.0, 0.0
	for k, q := 1.0, 1.0; k <= 4; k++ {
		want += q // at least k attempts
		square += (2*k - 1) * q
		q *= p
	}
	se := math.Sqrt((square - want*want) / n)
	if got := float64(l.attempts[0]) / n; math.Abs(got-want) > 4*se {
		t.Errorf("%.4f attempts per request, want %.4f ± %.4f", got, want, se)
	}
	if got := float64(l.why[0][models.WhyError]) / n; math.Abs(got-math.Pow(p, 4)) > 4*math.Sqrt(math.Pow(p, 4)/n) {
		t.Errorf("%.4f of requests failed, want p⁴ = %.4f", got, math.Pow(p, 4))
	}
}

// A changed threshold shifts nobody's draws: with one retry more, requests arrive
// at the same instants and every first attempt takes as long as before.
func TestAChangedSettingShiftsNoDraws(t *testing.T) {
	hear := func(attempts int) *times {
		sc := simple(100, 1000, exponential(50*time.Millisecond), retryOf(attempts, 20*time.Millisecond))
		sc.Callers[0].Arrivals.Law = scenario.Poisson
		sc.Services[0].ErrorShare = 0.5
		return timed(t, closing(sc, 20*second), 1, time.Minute)
	}
	a, b := hear(1), hear(3)
	if len(a.arrivals) != len(b.arrivals) {
		t.Fatalf("%d and %d requests", len(a.arrivals), len(b.arrivals))
	}
	for i := range a.arrivals {
		if a.arrivals[i] != b.arrivals[i] {
			t.Fatalf("request %d came at %v and at %v", i, a.arrivals[i], b.arrivals[i])
		}
	}
	ends := map[time.Duration]bool{}
	for _, at := range b.attempts {
		ends[at] = true
	}
	for _, at := range a.attempts {
		if !ends[at] {
			t.Fatalf("a first attempt that ended at %v did not in the other run", at)
		}
	}
}

// A ladder answers what fails: its first rung is a call to another service that
// is down, its second a value after 30 ms.
func TestFallbackClimbsDownItsLadder(t *testing.T) {
	ladder := scenario.Policy{Fallback: &scenario.Fallback{Steps: []scenario.FallbackStep{
		{Name: "mirror", Call: 1, Through: -1},
		{Name: "default", Takes: 30 * time.Millisecond, Call: -1, Through: -1},
	}}}
	sc := closing(simple(10, 10, constant(10*time.Millisecond), ladder), 10*second)
	sc.Services[0].ErrorShare = 1
	sc.Services = append(sc.Services, service("mirror", 1, work(constant(5*time.Millisecond))))
	sc.Services[1].ErrorShare = 1
	p := timed(t, sc, 1, time.Minute)
	wantCount(t, "degraded", p.ended[0][models.Degraded], p.sent[0])
	wantCount(t, "calls to the mirror", p.calls[1], p.sent[0])
	for _, took := range p.requests {
		if took != 45*time.Millisecond {
			t.Fatalf("took %v, want 45ms", took)
		}
	}
}

// A fallback's call is under the deadline of the timeout outside it, and gives
// the call up with it.
func TestFallbackSharesTheDeadline(t *testing.T) {
	ladder := scenario.Policy{Fallback: &scenario.Fallback{Steps: []scenario.FallbackStep{{Name: "mirror", Call: 1, Through: -1}}}}
	sc := closing(simple(10, 10, constant(40*time.Millisecond), timeoutOf(100*time.Millisecond), ladder), 10*second)
	sc.Services[0].ErrorShare = 1
	sc.Services = append(sc.Services, service("mirror", 100, work(constant(second))))
	p := timed(t, sc, 1, time.Minute)
	wantCount(t, "timed out", p.why[0][models.WhyTimeout], p.sent[0])
	wantCount(t, "calls to the mirror abandoned", p.callsEnded[1][models.Abandoned], p.sent[0])
	for _, took := range p.requests {
		if took != 100*time.Millisecond {
			t.Fatalf("took %v, want 100ms", took)
		}
	}
}
