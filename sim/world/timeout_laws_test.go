package world_test

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// Nobody answers: every attempt ends exactly at its timeout, to the nanosecond.
func TestTimeoutFiresAtExactlyT(t *testing.T) {
	const T = 333_333_333 * time.Nanosecond
	sc := closing(simple(7, 1, constant(second), timeoutOf(T)), 10*second)
	sc.Faults = []scenario.Fault{{Kind: scenario.Partition, For: time.Hour, CallersTo: -1, Fleet: -1, Instances: 1, Loses: scenario.Both}}
	p := timed(t, sc, 1, time.Minute)
	if len(p.requests) < 60 {
		t.Fatalf("%d requests ended", len(p.requests))
	}
	for _, took := range p.requests {
		if took != T {
			t.Fatalf("a request took %v, want %v", took, T)
		}
	}
	wantCount(t, "arrived at the service", p.arrived[0], 0)
	wantCount(t, "timeouts", p.why[0][models.WhyTimeout], p.sent[0])
}

// An answer that is due at the instant of the timeout is heard; one nanosecond
// later it is not.
func TestAnswerBeatsTimeout(t *testing.T) {
	for _, c := range []struct {
		law      time.Duration
		answered bool
	}{{second, true}, {second + 1, false}} {
		sc := closing(simple(2, 10, constant(c.law), timeoutOf(second)), 20*second)
		_, l := run(t, sc, time.Minute)
		want := uint64(0)
		if c.answered {
			want = l.sent[0]
		}
		wantCount(t, "answered when the answer takes "+c.law.String(), l.ended[0][models.Answered], want)
	}
}

// With a message time of 50 ms each way and a link of its own, the answer is
// still heard at the very instant of the timeout.
func TestLinksAddUpAndTieWithTheTimeout(t *testing.T) {
	sc := closing(simple(2, 10, constant(900*time.Millisecond), timeoutOf(second)), 20*second)
	sc.Links = []scenario.Link{{From: "app", To: 0, Latency: constant(50 * time.Millisecond)}}
	p := timed(t, sc, 1, time.Minute)
	wantCount(t, "answered", p.ended[0][models.Answered], p.sent[0])
	for _, took := range p.requests {
		if took != second {
			t.Fatalf("took %v, want 1s", took)
		}
	}
}

// The answer of an attempt that was given up is never heard: the work is wasted,
// and the attempt stays in the account of the abandoned.
func TestLateAnswersAreWastedAndNeverHeard(t *testing.T) {
	for _, uncooperative := range []bool{false, true} {
		late := timeoutOf(second)
		late.Uncooperative = uncooperative
		sc := closing(simple(2, 10, constant(2*second), late), 20*second)
		_, l := run(t, sc, time.Minute)
		n := l.sent[0]
		wantCount(t, "served for nobody", l.unwanted[0], n)
		wantCount(t, "calls abandoned", l.callsEnded[0][models.Abandoned], n)
		wantCount(t, "requests that timed out", l.why[0][models.WhyTimeout], n)
		wantCount(t, "answered", l.ended[0][models.Answered], 0)
	}
}

// A cooperative function is back at the timeout; one that ignores its cancelled
// context holds its caller until the answer comes.
func TestUncooperativeFunctionsHoldTheirCallers(t *testing.T) {
	for _, c := range []struct {
		uncooperative bool
		want          time.Duration
	}{{false, second}, {true, 3 * second}} {
		late := timeoutOf(second)
		late.Uncooperative = c.uncooperative
		p := timed(t, closing(simple(1, 10, constant(3*second), late), 10*second), 1, time.Minute)
		for _, took := range p.requests {
			if took != c.want {
				t.Errorf("uncooperative %v: took %v, want %v", c.uncooperative, took, c.want)
			}
		}
	}
}

// A bulkhead of one slot with a wait: a slot that comes free at the very end of a
// caller's patience is taken; no slot is lost.
func TestSlotBeatsPatience(t *testing.T) {
	slots := scenario.Policy{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: 1, MaxWaitDuration: d(500 * time.Millisecond)}}
	sc := closing(simple(2, 10, constant(second), slots), 1700*time.Millisecond)
	p := timed(t, sc, 1, time.Minute)
	// Sent at 0.5, 1.0 and 1.5 s: the first has the slot until 1.5 s, when the
	// patience of the second ends; the third waits until 2.0 s in vain.
	wantCount(t, "sent", p.sent[0], 3)
	wantCount(t, "answered", p.ended[0][models.Answered], 2)
	wantCount(t, "waited in vain", p.why[0][models.WhyBulkheadTimeout], 1)
}

// What becomes of work whose caller has gone after 100 ms, at one worker that
// takes 1 s: kept, all of it is done for nobody; skipped, only what a worker
// holds already; cancelled, the worker is let go at the timeout.
func TestWhatBecomesOfAbandonedWork(t *testing.T) {
	for _, c := range []struct {
		how    scenario.Abandoned
		law    dist.Dist
		served uint64
		held   time.Duration
	}{
		{scenario.Keep, constant(second), 19, 19 * second},
		{scenario.Skip, constant(second), 2, 2 * second},
		{scenario.Cancel, constant(second), 19, 1900 * time.Millisecond},
	} {
		sc := closing(simple(10, 1, c.law, timeoutOf(100*time.Millisecond)), 1950*time.Millisecond)
		sc.Services[0].Abandoned = c.how
		_, l := run(t, sc, time.Minute)
		wantCount(t, string(c.how)+": sent", l.sent[0], 19)
		wantCount(t, string(c.how)+": served", l.served[0], c.served)
		wantCount(t, string(c.how)+": served for nobody", l.unwanted[0], c.served)
		if l.held[0] != c.held {
			t.Errorf("%s: worker held for %v, want %v", c.how, l.held[0], c.held)
		}
	}
}
