package world_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// users is a fleet in a closed loop before one service.
func users(n int, think, takes time.Duration, workers int) *scenario.Scenario {
	sc := simple(0, workers, constant(takes))
	sc.Callers[0].Sources.Closed = &scenario.Closed{Users: n, Think: constant(think)}
	return sc
}

// A user who thinks for 90 ms and waits for 10 ms sends ten requests a second; five of them
// with a worker each send fifty, and never is more under way than there are users.
func TestUsersSendOneRequestAtATime(t *testing.T) {
	_, l := run(t, users(5, 90*time.Millisecond, 10*time.Millisecond, 5), 10*second)
	wantCount(t, "sent", l.sent[0], 5*100)
	sc := users(5, 0, 10*time.Millisecond, 1)
	p := timed(t, sc, 1, 10*second+time.Millisecond)
	wantCount(t, "answered by the one worker that is always busy", p.ended[0][models.Answered], 1000)
	if l := p.level[0]; l.Queue+l.Busy != 5 {
		t.Errorf("%d of 5 users are at the service", l.Queue+l.Busy)
	}
}

// Users whose requests are refused at once, and who do not think, do not stop the clock.
func TestUsersWhoDoNotThinkDoNotStopTheClock(t *testing.T) {
	sc := users(3, 0, time.Millisecond, 1)
	sc.Operators = append(sc.Operators, scenario.Operator{Kind: scenario.Shed, What: scenario.ShedRequests, Share: 1, For: second, Service: -1, Pipeline: -1, Steps: 1})
	_, l := run(t, sc, second-1)
	wantCount(t, "refused, a millisecond apart each", l.sent[0], 3*999)
}

// Users draw for themselves: with twice as many instances of the service, another pipeline
// or other users beside them, each thinks as long as before its k-th request.
func TestUsersShiftNobodysDraws(t *testing.T) {
	alone := users(4, 0, time.Millisecond, 100)
	alone.Callers[0].Sources.Closed.Think = exponential(50 * time.Millisecond)
	more := users(4, 0, time.Millisecond, 100)
	more.Callers[0].Sources.Closed.Think = exponential(50 * time.Millisecond)
	other := fleet("batch", 2, scenario.Poisson, 50, callTo(0, -1))
	other.Patience = &scenario.Patience{Time: exponential(time.Millisecond)}
	more.Callers = append(more.Callers, other)
	arrivals := func(sc *scenario.Scenario) []time.Duration {
		p := &firstFleet{times: &times{ledger: newLedger(sc)}}
		w := build(t, sc, 1, p)
		w.Run(10 * second)
		p.balance(t, w)
		return p.at
	}
	if one, two := arrivals(alone), arrivals(more); len(one) < 500 || !slices.Equal(one, two) {
		t.Errorf("%d and %d arrivals", len(one), len(two))
	}
}

// firstFleet keeps when the first fleet sent.
type firstFleet struct {
	*times
	at []time.Duration
}

func (p *firstFleet) RequestSent(now time.Duration, f int) {
	p.times.RequestSent(now, f)
	if f == 0 {
		p.at = append(p.at, now)
	}
}

// A burst comes at its instants, all of it at once, and in turn from all instances, so
// that with one worker the last of ten waits for nine.
func TestBurstsComeAtTheirInstants(t *testing.T) {
	sc := simple(0, 1, constant(10*time.Millisecond))
	sc.Callers[0].Instances = 4
	sc.Callers[0].Sources.Bursts = []scenario.Burst{{At: second, Every: 5 * second, Size: 10}, {At: 3 * second, Size: 1}}
	p := timed(t, sc, 1, 12*second)
	var want []time.Duration
	for _, b := range []struct {
		at time.Duration
		n  int
	}{{second, 10}, {3 * second, 1}, {6 * second, 10}, {11 * second, 10}} {
		want = append(want, slices.Repeat([]time.Duration{b.at}, b.n)...)
	}
	if !slices.Equal(p.arrivals, want) {
		t.Errorf("arrivals %v", p.arrivals)
	}
	if longest := slices.Max(p.waits); longest != 90*time.Millisecond {
		t.Errorf("the last waits %v", longest)
	}
}

// Batches of ten keep the rate of requests: a tenth as many instants, the variance of
// the counts in a second ten times as large.
func TestBatchesKeepTheRate(t *testing.T) {
	sc := simple(0, 1000, constant(time.Millisecond))
	sc.Callers[0] = fleet("app", 3, scenario.Poisson, 1000, callTo(0, -1))
	sc.Callers[0].Sources.Batch = 10
	p := timed(t, sc, 1, 400*second)
	var counts [400]float64
	for _, at := range p.arrivals {
		counts[min(int(at/second), 399)]++
	}
	mean, square := 0.0, 0.0
	for _, c := range counts {
		mean += c / 400
		square += c * c / 400
	}
	if math.Abs(mean-1000) > 5*math.Sqrt(10*1000/400.) {
		t.Errorf("%.1f requests a second, want 1000", mean)
	}
	// The standard error of a variance over 400 counts is a fourteenth of it.
	if ratio := (square - mean*mean) / mean; math.Abs(ratio-10) > 5*10*math.Sqrt(2/400.) {
		t.Errorf("variance over mean %.2f, want 10", ratio)
	}
}

// A recorded trace is played back to the nanosecond.
func TestTracesArePlayedBack(t *testing.T) {
	sc := simple(0, 1000, constant(time.Millisecond))
	want := []time.Duration{0, 0, 17, second, second + 1, 5 * second}
	sc.Callers[0].Sources.Trace = &scenario.Trace{Times: append(slices.Clone(want), 20*second)}
	if p := timed(t, sc, 1, 10*second); !slices.Equal(p.arrivals, want) {
		t.Errorf("arrivals %v", p.arrivals)
	}
	even := simple(0, 1000, constant(time.Millisecond))
	even.Callers[0].Arrivals = scenario.Arrivals{Law: scenario.Recorded, Curve: []scenario.RatePoint{{Rate: 3}, {At: 10 * second}, {At: 20 * second, Rate: 0.5}, {At: 30 * second}}}
	even.Callers[0].Sources.Trace = &scenario.Trace{Counts: []uint64{30, 0, 5}, Every: 10 * second, Even: true}
	_, l := run(t, even, time.Minute)
	wantCount(t, "recorded requests", l.sent[0], 35)
}

// Patience of 50 ms before a service that takes 100 ms: all give up, at that time, and the
// service works for nobody, or stops, as `abandoned` says.
func TestImpatientUsersGiveUp(t *testing.T) {
	for abandoned, worked := range map[scenario.Abandoned]time.Duration{scenario.Keep: 100 * time.Millisecond, scenario.Cancel: 50 * time.Millisecond} {
		sc := closing(simple(10, 100, constant(100*time.Millisecond)), 5*second)
		sc.Services[0].Abandoned = abandoned
		sc.Callers[0].Patience = &scenario.Patience{Time: constant(50 * time.Millisecond)}
		p := timed(t, sc, 1, 10*second)
		wantCount(t, "given up", p.ended[0][models.Abandoned], p.sent[0])
		wantCount(t, "unwanted work", p.unwanted[0], p.sent[0])
		for _, took := range p.requests {
			if took != 50*time.Millisecond {
				t.Fatalf("a user waited for %v", took)
			}
		}
		if want := time.Duration(p.sent[0]) * worked; p.held[0] != want {
			t.Errorf("%s: %v of work, want %v", abandoned, p.held[0], want)
		}
	}
}

// An answer at the very instant at which patience ends is in time; and who is being
// served stays, where patience is for waiting only.
func TestPatienceEndsAfterTheAnswer(t *testing.T) {
	for takes, until := range map[time.Duration]bool{50 * time.Millisecond: false, 200 * time.Millisecond: true} {
		sc := closing(simple(10, 100, constant(takes)), 5*second)
		sc.Callers[0].Patience = &scenario.Patience{Time: constant(50 * time.Millisecond), UntilStarted: until}
		_, l := run(t, sc, 10*second)
		wantCount(t, "answered", l.ended[0][models.Answered], l.sent[0])
	}
}

// A user gives up whatever the pipeline is at: waiting to retry, or in a fallback.
func TestPatienceEndsRetriesToo(t *testing.T) {
	sc := closing(simple(10, 100, constant(time.Millisecond), retryOf(100, 20*time.Millisecond)), 5*second)
	sc.Services[0].ErrorShare = 1
	sc.Callers[0].Patience = &scenario.Patience{Time: constant(50 * time.Millisecond)}
	p := timed(t, sc, 1, 10*second)
	wantCount(t, "given up", p.ended[0][models.Abandoned], p.sent[0])
	wantCount(t, "attempts at 0, 21 and 42 ms", p.ledger.attempts[0], 3*p.sent[0])
}

// Half of those without an answer come back, three times at most: sent is 1 + 1/2 + 1/4 +
// 1/8 of the new ones when nothing is ever answered.
func TestUsersComeBack(t *testing.T) {
	sc := closing(simple(1000, 1000, constant(time.Millisecond)), 20*second)
	sc.Services[0].ErrorShare = 1
	sc.Callers[0].Retrial = &scenario.Retrial{After: exponential(100 * time.Millisecond), Probability: 0.5, Limit: 3}
	sc.Callers[0].Classes = readsAndWrites()
	p := &returning{byClass: &byClass{ledger: newLedger(sc)}}
	w := build(t, sc, 1, p)
	w.Run(time.Minute)
	p.balance(t, w)
	total := p.ledger.sent[0]
	fresh := float64(total - p.returns)
	if want := fresh * 0.875; math.Abs(float64(p.returns)-want) > 5*math.Sqrt(fresh*1.2) {
		t.Errorf("%d came back, want about %.0f", p.returns, want)
	}
	wantCount(t, "of a class", p.sent[0]+p.sent[1], total)
}

type returning struct {
	*byClass
	returns, twice uint64
}

func (p *returning) CameBack(time.Duration, int)   { p.returns++ }
func (p *returning) Duplicated(time.Duration, int) { p.twice++ }

// once builds a run that counts what was done twice.
func once(t *testing.T, sc *scenario.Scenario, until time.Duration) *returning {
	t.Helper()
	p := &returning{byClass: &byClass{ledger: newLedger(sc)}}
	w := build(t, sc, 1, p)
	w.Run(until)
	p.balance(t, w)
	return p
}

// Writes whose answers are lost, and which are retried in spite of that: with three
// attempts each is done three times, two of them too many. Also two calls deep, where each
// of the three handlers between calls the store once; not where the write goes on with
// a second step, which is another thing to do.
func TestWhatIsDoneTwiceIsCounted(t *testing.T) {
	write := []scenario.Class{{Name: "write", Weight: 1}}
	again := retryOf(3, 0)
	again.Retry.RetryAmbiguous = true
	lost := fault(scenario.Partition, 0, time.Hour)
	lost.Loses, lost.How = scenario.Responses, scenario.Refused

	sc := closing(simple(100, 100, constant(time.Millisecond), again), 5*second)
	sc.Callers[0].Classes = write
	sc.Faults = append(sc.Faults, lost)
	p := once(t, sc, 10*second)
	wantCount(t, "done too often", p.twice, 2*p.ledger.sent[0])

	sc.Services[0].Do = []scenario.Step{callTo(1, -1), callTo(1, -1)}
	sc.Services = append(sc.Services, service("store", 100, work(constant(time.Millisecond))))
	p = once(t, sc, 10*second)
	wantCount(t, "done too often at both", p.twice, (2+2*2)*p.ledger.sent[0])

	sc.Callers[0].Classes = []scenario.Class{{Name: "read", Weight: 1, Idempotent: true}}
	wantCount(t, "reads done too often", once(t, sc, 10*second).twice, 0)
}

// A write that timed out while it was under way, and that its user sends again: the late
// end of the first execution is found although nobody waits for it any more.
func TestLateExecutionsAreCounted(t *testing.T) {
	sc := closing(simple(10, 100, constant(300*time.Millisecond), timeoutOf(100*time.Millisecond)), 5*second)
	sc.Callers[0].Classes = []scenario.Class{{Name: "write", Weight: 1}}
	sc.Callers[0].Retrial = &scenario.Retrial{After: constant(second), Probability: 1, Limit: 1}
	p := once(t, sc, 10*second)
	wantCount(t, "sent", p.ledger.sent[0], 2*(p.ledger.sent[0]-p.returns))
	wantCount(t, "done twice", p.twice, p.returns)
}

// Nothing of this allocates once it has grown to its size: users, patience, retrials,
// classes, keys, batches and what must not be done twice.
func TestCallersAllocateNothing(t *testing.T) {
	open := guarded(2000)
	open.Services[0].Workers = 1000
	open.Callers[0].Sources.Batch = 3
	more := users(3000, 0, 0, 1).Callers[0]
	more.Name, more.Sources.Closed.Think = "people", exponential(second)
	more.Do = []scenario.Step{callTo(0, 0)}
	open.Callers = append(open.Callers, more)
	for i := range open.Callers {
		f := &open.Callers[i]
		f.Classes = readsAndWrites()
		f.Keys = &scenario.Keys{Count: 1_000_000, Exponent: 1}
		f.Patience = &scenario.Patience{Time: exponential(200 * time.Millisecond)}
		f.Retrial = &scenario.Retrial{After: exponential(second), Probability: 0.5}
	}
	w := build(t, open, 1, nil)
	w.Run(60 * time.Second)
	at := w.Now()
	if n := testing.AllocsPerRun(5, func() { at += time.Second; w.Run(at) }); n != 0 {
		t.Errorf("%v allocations per simulated second", n)
	}
}
