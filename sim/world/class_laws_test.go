package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// byClass counts what the classes of the first fleet sent and how it ended.
type byClass struct {
	*ledger
	sent  [8]uint64
	ended [8][models.Abandoned + 1]uint64
}

func (c *byClass) ClassSent(_ time.Duration, _, class int) { c.sent[class]++ }
func (c *byClass) ClassEnded(_ time.Duration, _, class int, how models.Ending, _ models.Why, _ time.Duration) {
	c.ended[class][how]++
}

func classed(t *testing.T, sc *scenario.Scenario, until time.Duration) *byClass {
	t.Helper()
	c := &byClass{ledger: newLedger(sc)}
	w := build(t, sc, 1, c)
	w.Run(until)
	c.balance(t, w)
	return c
}

// reads and writes: three of four requests are reads, writes must not be repeated.
func readsAndWrites() []scenario.Class {
	return []scenario.Class{{Name: "read", Weight: 3, Priority: 1, Idempotent: true}, {Name: "write", Weight: 1}}
}

// Requests are of a class in the proportion of the weights, within five standard
// deviations of 40,000 draws.
func TestClassesComeInProportionToTheirWeights(t *testing.T) {
	sc := simple(1000, 100, constant(time.Millisecond))
	sc.Callers[0].Classes = readsAndWrites()
	c := classed(t, sc, 40*second)
	n := float64(c.sent[0] + c.sent[1])
	if off := math.Abs(float64(c.sent[1]) - n/4); off > 5*math.Sqrt(n*3/16) {
		t.Errorf("%d of %.0f requests are writes, want about a quarter", c.sent[1], n)
	}
	if uint64(n) != c.ledger.sent[0] {
		t.Errorf("%.0f requests of a class, %d in all", n, c.ledger.sent[0])
	}
}

// A dependency takes too long for every other call, two attempts of a retry: of reads
// 1 - 1/4 are answered, of writes, which may have been carried out all the same, 1/2.
// So too when it is not the fleet that retries but a service between: the class
// goes with the request.
func TestWritesAreNotRepeatedAnywhere(t *testing.T) {
	slow := work(constant(100 * time.Millisecond))
	slow.Probability = 0.5
	near := simple(1000, 100, constant(time.Millisecond), retryOf(2, 0), timeoutOf(50*time.Millisecond))
	near.Services[0].Workers, near.Services[0].Do = 1000, append(near.Services[0].Do, slow)
	far := simple(1000, 1000, constant(time.Millisecond), retryOf(2, 0), timeoutOf(50*time.Millisecond))
	far.Callers[0].Do = []scenario.Step{callTo(0, -1)}
	far.Services[0].Do = []scenario.Step{callTo(1, 0)}
	far.Services = append(far.Services, near.Services[0])
	far.Services[1].Name = "store"
	for name, sc := range map[string]*scenario.Scenario{"near": near, "far": far} {
		sc.Callers[0].Classes = readsAndWrites()
		c := classed(t, closing(sc, 40*second), 41*second)
		for class, want := range []float64{0.75, 0.5} {
			got := float64(c.ended[class][models.Answered]) / float64(c.sent[class])
			if math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/float64(c.sent[class])) {
				t.Errorf("%s: %.4f of class %d answered, want %.2f", name, got, class, want)
			}
		}
	}
}

// Classes take no draw from anybody: with classes that are all idempotent a run
// does what it does without them, event by event.
func TestClassesShiftNoDraw(t *testing.T) {
	plain, parted := guarded(20), guarded(20)
	parted.Callers[0].Classes = []scenario.Class{{Name: "a", Weight: 1, Idempotent: true}, {Name: "b", Weight: 2, Priority: 5, Idempotent: true}}
	one, _ := run(t, plain, time.Minute)
	two, _ := run(t, parted, time.Minute)
	if one.Digest() != two.Digest() {
		t.Errorf("digests %x and %x", one.Digest(), two.Digest())
	}
}

// An answer that is lost on the way, and a process that dies, leave open whether the
// request was carried out: reads are tried again, writes are not. One that never came to
// the service is tried again whatever it is.
func TestWritesAreNotRepeatedInDoubt(t *testing.T) {
	for _, c := range []struct {
		loses  scenario.Loses
		writes uint64
	}{{scenario.Responses, 1}, {scenario.Requests, 3}} {
		sc := simple(100, 100, constant(time.Millisecond), retryOf(3, 0))
		sc.Callers[0].Classes = []scenario.Class{{Name: "write", Weight: 1}}
		f := fault(scenario.Partition, 0, time.Hour)
		f.Loses, f.How = c.loses, scenario.Refused
		sc.Faults = append(sc.Faults, f)
		_, l := run(t, closing(sc, 10*second), 11*second)
		wantCount(t, "attempts at writes with lost "+string(c.loses), l.attempts[0], c.writes*l.sent[0])
	}
	sc := simple(100, 100, constant(time.Millisecond), retryOf(3, 0))
	sc.Callers[0].Classes = []scenario.Class{{Name: "write", Weight: 1}}
	sc.Services[0].Do = []scenario.Step{work(constant(time.Hour))}
	f := fault(scenario.CrashDown, 500*time.Millisecond, second)
	sc.Faults = append(sc.Faults, f)
	_, l := run(t, closing(sc, 495*time.Millisecond), second)
	wantCount(t, "attempts at writes that a crash cut off", l.attempts[0], l.sent[0])
}
