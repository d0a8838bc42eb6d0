package world_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

func hedgeOf(n int, delay time.Duration) scenario.Policy {
	return scenario.Policy{Hedge: &hedge.Config{MaxHedges: n, Delay: d(delay)}}
}

// hedged is a service with workers for all that takes exponential times of mean 1 s,
// asked 100 times a second.
func hedged(t *testing.T, policies ...scenario.Policy) *scenario.Scenario {
	law, err := dist.NewExponential(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	return simple(100, 10_000, law, policies...)
}

// With S(t) = exp(-t) and a hedge after d = ln 20 s, a call takes longer than t with
// probability S(t) before d and S(t) S(t-d) beyond, and S(d) = 5 % of the calls are asked
// twice. 20,000 calls; each share within 4 standard errors.
func TestHedgedTailIsTheProductInTheSimulation(t *testing.T) {
	delay := time.Duration(math.Log(20) * float64(time.Second))
	p := timed(t, closing(hedged(t, hedgeOf(1, delay)), 200*time.Second), 1, 300*time.Second)
	n := float64(len(p.requests))
	if n < 19_000 {
		t.Fatalf("%v calls", n)
	}
	near := func(what string, got uint64, want float64) {
		if se := math.Sqrt(want * (1 - want) / n); math.Abs(float64(got)/n-want) > 4*se {
			t.Errorf("%s: %.5f, theory %.5f, standard error %.5f", what, float64(got)/n, want, se)
		}
	}
	near("asked twice", p.ledger.attempts[0]-uint64(n), 0.05)
	for _, at := range []float64{0.5, 1, 2, 2.9, 3.1, 3.5, 4, 4.5} {
		want, over := math.Exp(-at), uint64(0)
		if after := at - delay.Seconds(); after > 0 {
			want *= math.Exp(-after)
		}
		for _, took := range p.requests {
			if took.Seconds() > at {
				over++
			}
		}
		near("longer than "+time.Duration(at*float64(time.Second)).String(), over, want)
	}
}

// Each race of two has a loser, whose attempt is abandoned, and which the service ends
// for nobody.
func TestLosersOfARaceAreWastedWork(t *testing.T) {
	_, l := run(t, closing(hedged(t, hedgeOf(1, 0)), 100*time.Second), 200*time.Second)
	races := l.ended[0][models.Answered]
	wantCount(t, "losers", l.callsEnded[0][models.Abandoned], races)
	wantCount(t, "served for nobody", l.unwanted[0], races)
}

// Two fleets' worth of one class each share a bulkhead of one slot with two levels: the
// service takes 10 ms and each class offers 80 a second. The high class is served
// within its patience nearly always; the low one gets what is left of 100 a second.
func TestPriorityOfAClassReachesTheBulkhead(t *testing.T) {
	c := bulkhead.QueueConfig{Config: bulkhead.Config{MaxConcurrentCalls: 1, MaxWaitDuration: d(200 * time.Millisecond), Order: bulkhead.Priority}, Levels: 2}
	sc := simple(160, 100, constant(10*time.Millisecond), scenario.Policy{QueuedBulkhead: &c})
	sc.Pipelines[0].Shared = true
	sc.Callers[0].Classes = []scenario.Class{{Name: "low", Weight: 1}, {Name: "high", Weight: 1, Priority: 1}}
	p := classed(t, sc, 60*time.Second)
	low, high := p.ended[0][models.Answered], p.ended[1][models.Answered]
	if sum := low + high; sum < 5900 || sum > 6000 {
		t.Errorf("%d answered in a minute of 100 a second", sum)
	}
	if high < 4600 || low > 1400 {
		t.Errorf("high %d, low %d answered; 80 and 20 a second are 4800 and 1200", high, low)
	}
}

// A scenario without a hedge is not touched by one in another pipeline: the fleet's
// requests take the same times.
func TestHedgeShiftsNobodysLuck(t *testing.T) {
	plain := timed(t, hedged(t), 1, 50*time.Second).requests
	sc := hedged(t)
	sc.Callers = append(sc.Callers, fleet("other", 1, scenario.Uniform, 10, callTo(1, 1)))
	sc.Pipelines = append(sc.Pipelines, scenario.Pipeline{Name: "hedging", Policies: []scenario.Policy{hedgeOf(1, 0)}})
	sc.Services = append(sc.Services, service("far", 100, work(constant(time.Second))))
	p := &times{ledger: newLedger(sc)}
	w := build(t, sc, 1, p)
	w.Run(50 * time.Second)
	var mine []time.Duration
	for _, took := range p.requests {
		if took != time.Second {
			mine = append(mine, took)
		}
	}
	if !slices.Equal(plain, mine) {
		t.Error("another fleet's hedges changed these requests")
	}
}
