package world_test

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// spans counts refusals and requests by the 10 s.
type spans struct {
	*ledger
	sent10, shed10 [20]int
}

func (s *spans) RequestSent(now time.Duration, f int) {
	s.ledger.RequestSent(now, f)
	s.sent10[now/(10*second)]++
}

func (s *spans) RequestEnded(now time.Duration, f int, how models.Ending, why models.Why, took time.Duration) {
	s.ledger.RequestEnded(now, f, how, why, took)
	if why == models.WhyShed {
		s.shed10[now/(10*second)]++
	}
}

// Shedding refuses 80 % of users for 20 s, then 60, 40 and 20 % for 10 s each, then
// nobody; the refused never reach the service. Tolerance: 4 standard errors of
// 10,000 draws, at most 0.02.
func TestShedThenRamp(t *testing.T) {
	sc := simple(1000, 100, constant(time.Millisecond))
	sc.Operators = []scenario.Operator{{Kind: scenario.Shed, What: scenario.ShedRequests, At: 20 * second,
		Share: 0.8, For: 20 * second, Ramp: 40 * second, Steps: 4}}
	s := &spans{ledger: newLedger(sc)}
	w := build(t, sc, 1, s)
	w.Run(100*second - 1)
	s.balance(t, w)
	// The first step back is a step's length after the full share ends.
	for i, want := range []float64{0, 0, 0.8, 0.8, 0.8, 0.6, 0.4, 0.2, 0, 0} {
		got := float64(s.shed10[i]) / float64(s.sent10[i])
		if got < want-0.02 || got > want+0.02 || (want == 0 && got != 0) {
			t.Errorf("from %d s: %.3f shed, want %.2f", 10*i, got, want)
		}
	}
	if s.arrived[0]+s.why[0][models.WhyShed] != s.sent[0] {
		t.Errorf("%d arrived, %d shed, %d sent", s.arrived[0], s.why[0][models.WhyShed], s.sent[0])
	}
}

// Attempts that are shed at the service are retried: the request is answered when
// one of its attempts is let in.
func TestShedAttemptsAreRetried(t *testing.T) {
	sc := closing(simple(100, 100, constant(time.Millisecond), retryOf(20, 10*time.Millisecond)), 20*second)
	sc.Operators = []scenario.Operator{{Kind: scenario.Shed, What: scenario.ShedAttempts, Share: 0.5, For: time.Hour}}
	_, l := run(t, sc, time.Minute)
	wantCount(t, "answered", l.ended[0][models.Answered], l.sent[0])
	if shed := l.callWhy[0][models.WhyShed]; shed < l.sent[0]*9/10 || shed > l.sent[0]*11/10 {
		t.Errorf("%d attempts shed for %d requests, want about as many", shed, l.sent[0])
	}
}

// A purge drops what waits, and nothing else.
func TestPurgeDropsTheQueue(t *testing.T) {
	sc := closing(simple(10, 1, constant(10*second)), 1050*time.Millisecond)
	sc.Operators = []scenario.Operator{{Kind: scenario.Purge, At: 5 * second}}
	_, l := run(t, sc, time.Minute)
	wantCount(t, "answered", l.ended[0][models.Answered], 1)
	wantCount(t, "purged", l.why[0][models.WhyShed], 9)
}

// Retries switched off for 10 s: no retry is begun, and afterwards they are back.
func TestRetriesOff(t *testing.T) {
	sc := closing(simple(10, 100, constant(time.Millisecond), retryOf(3, time.Millisecond)), 30*second)
	sc.Services[0].ErrorShare = 1
	sc.Operators = []scenario.Operator{{Kind: scenario.RetriesOff, Pipeline: -1, At: 10050 * time.Millisecond, For: 10 * second}}
	l := newLedger(sc)
	w := build(t, sc, 1, l)
	w.Run(10040 * time.Millisecond)
	wantCount(t, "retries before", l.again[0], 200)
	w.Run(20040 * time.Millisecond)
	wantCount(t, "retries until the end of the action", l.again[0], 200)
	w.Run(time.Minute)
	wantCount(t, "retries in all", l.again[0], 200+2*(l.sent[0]-200))
	l.balance(t, w)
}

// changes hears the transitions of breakers.
type changes struct {
	*ledger
	events []breaker.Event
}

func (c *changes) BreakerChanged(_ time.Duration, _, _ int, e breaker.Event) {
	c.events = append(c.events, e)
}

// Breakers that are forced open refuse everything until they are reset, and each
// of them says so.
func TestForcedBreakersRefuse(t *testing.T) {
	b := breaker.Defaults()
	sc := closing(simple(10, 100, constant(time.Millisecond), scenario.Policy{CircuitBreaker: &b}), 30*second)
	sc.Callers[0].Instances = 3
	sc.Operators = []scenario.Operator{{Kind: scenario.ForceBreaker, Pipeline: 0, At: 10050 * time.Millisecond, For: 10 * second, Force: breaker.ForcedOpen}}
	c := &changes{ledger: newLedger(sc)}
	w := build(t, sc, 1, c)
	w.Run(time.Minute)
	c.balance(t, w)
	wantCount(t, "refused by the breaker", c.why[0][models.WhyBreakerOpen], 100)
	wantCount(t, "transitions", uint64(len(c.events)), 6)
	for i, e := range c.events {
		if want := [...]breaker.State{breaker.ForcedOpen, breaker.Closed}[i/3]; e.To != want {
			t.Errorf("transition %d to %v, want %v", i, e.To, want)
		}
	}
}

// The control run has neither faults nor operators, and says nothing of them.
func TestControlRunHasNoTrigger(t *testing.T) {
	sc := storm()
	l := newLedger(sc)
	w := control(t, sc, l)
	w.Run(7 * time.Minute)
	l.balance(t, w)
	if len(l.told) != 0 || l.ended[0][models.Failed] > l.sent[0]/1000 {
		t.Errorf("%d lines, %d of %d failed", len(l.told), l.ended[0][models.Failed], l.sent[0])
	}
}
