package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/timeout"
	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
	"github.com/resilsim/resilsim/sim/world"
)

// ledger counts what it is told: the accounts of fleets and services.
type ledger struct {
	models.Silent
	sent, again     []uint64
	attempts        []uint64
	ended           [][models.Abandoned + 1]uint64
	why             [][models.Whys]uint64
	calls           []uint64
	callsEnded      [][models.Abandoned + 1]uint64
	callWhy         [][models.Whys]uint64
	arrived, turned []uint64
	started, served []uint64
	unwanted, badly []uint64
	level           []models.Level
	told            []models.Happening
	held            []time.Duration
}

func newLedger(sc *scenario.Scenario) *ledger {
	f, s := len(sc.Callers), len(sc.Services)
	u := func(n int) []uint64 { return make([]uint64, n) }
	return &ledger{
		sent: u(f), again: u(f), attempts: u(f), ended: make([][models.Abandoned + 1]uint64, f), why: make([][models.Whys]uint64, f),
		calls: u(s), callsEnded: make([][models.Abandoned + 1]uint64, s), callWhy: make([][models.Whys]uint64, s),
		arrived: u(s), turned: u(s), started: u(s), served: u(s), unwanted: u(s), badly: u(s),
		level: make([]models.Level, s), held: make([]time.Duration, s),
	}
}

func (l *ledger) RequestSent(_ time.Duration, f int) { l.sent[f]++ }
func (l *ledger) RequestEnded(_ time.Duration, f int, how models.Ending, why models.Why, _ time.Duration) {
	l.ended[f][how]++
	l.why[f][why]++
}
func (l *ledger) AttemptSent(_ time.Duration, f int, again bool) {
	l.attempts[f]++
	if again {
		l.again[f]++
	}
}
func (l *ledger) CallSent(_ time.Duration, s int) { l.calls[s]++ }
func (l *ledger) CallEnded(_ time.Duration, s int, how models.Ending, why models.Why) {
	l.callsEnded[s][how]++
	l.callWhy[s][why]++
}
func (l *ledger) Arrived(_ time.Duration, s int)                  { l.arrived[s]++ }
func (l *ledger) Started(_ time.Duration, s int, _ time.Duration) { l.started[s]++ }
func (l *ledger) TurnedAway(_ time.Duration, s int, _ models.Why) { l.turned[s]++ }
func (l *ledger) Level(_ time.Duration, s int, v models.Level)    { l.level[s] = v }
func (l *ledger) Happened(_ time.Duration, h models.Happening)    { l.told = append(l.told, h) }
func (l *ledger) Served(_ time.Duration, s int, held time.Duration, wanted, failed bool) {
	l.served[s]++
	l.held[s] += held
	if !wanted {
		l.unwanted[s]++
	}
	if failed {
		l.badly[s]++
	}
}

// balance checks the law of accounts against the live records.
func (l *ledger) balance(t *testing.T, w *world.World) {
	t.Helper()
	for f := range l.sent {
		var n uint64
		for _, v := range l.ended[f] {
			n += v
		}
		if live := uint64(w.LiveRequests(f)); n+live != l.sent[f] {
			t.Errorf("fleet %d: %d sent, %d ended, %d live", f, l.sent[f], n, live)
		}
	}
	for s := range l.calls {
		var n uint64
		for _, v := range l.callsEnded[s] {
			n += v
		}
		if live := uint64(w.LiveCalls(s)); n+live != l.calls[s] {
			t.Errorf("service %d: %d calls, %d ended, %d live", s, l.calls[s], n, live)
		}
	}
}

func exponential(d time.Duration) dist.Dist {
	e, err := dist.NewExponential(d)
	if err != nil {
		panic(err)
	}
	return e
}

func d(v time.Duration) patterns.Duration { return patterns.Duration(v) }

func work(w dist.Dist) scenario.Step {
	return scenario.Step{Work: w, Call: -1, Through: -1, Probability: 1}
}

func callTo(service, through int) scenario.Step {
	return scenario.Step{Call: service, Through: through, Probability: 1}
}

// storm is the retry storm: 800 callers, 64 workers of 50 ms, five attempts with
// fixed waits, and half of the answers lost for 90 s.
func storm() *scenario.Scenario {
	return &scenario.Scenario{
		Name: "storm", Duration: time.Hour,
		Callers: []scenario.Fleet{{Name: "checkout", Instances: 800,
			Arrivals: scenario.Arrivals{Law: scenario.Poisson, Curve: []scenario.RatePoint{{Rate: 800}}},
			Do:       []scenario.Step{callTo(0, 0)}}},
		Pipelines: []scenario.Pipeline{{Name: "client", Policies: []scenario.Policy{
			{Retry: &retry.Config{MaxAttempts: 5, WaitDuration: d(time.Second)}},
			{Timeout: &timeout.Config{TimeoutDuration: d(time.Second)}},
		}}},
		Services: []scenario.Service{{Name: "payments", Instances: 1, Workers: 64,
			Do:    []scenario.Step{work(exponential(50 * time.Millisecond))},
			Queue: scenario.Queue{Limit: 12800, Discipline: scenario.FIFO}, Abandoned: scenario.Keep}},
		Faults: []scenario.Fault{{Kind: scenario.Partition, Name: "blip", At: 5 * time.Minute, For: 90 * time.Second,
			Service: 0, Fleet: -1, CallersTo: -1, Instances: 0.5, Loses: scenario.Responses}},
	}
}

func build(t testing.TB, sc *scenario.Scenario, seed uint64, p models.Probe) *world.World {
	t.Helper()
	w, err := world.Build(sc, seed, p, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A blip of 90 s keeps a fleet with plain retries down: five attempts are made for
// every request and none is answered in time. A restart does not help, because
// the callers hold the load; refusing 80 % of users until the queue has drained
// does. Each stage is looked at over 10 s.
func TestRetriesOutliveTheBlipUntilUsersAreShed(t *testing.T) {
	sc := storm()
	sc.Faults[0].At = 60 * second
	sc.Operators = []scenario.Operator{
		{Kind: scenario.RestartService, At: 200 * second, Downtime: 10 * second},
		{Kind: scenario.Shed, What: scenario.ShedRequests, At: 250 * second, Share: 0.8, For: 40 * second, Ramp: 60 * second, Steps: 12},
	}
	l := newLedger(sc)
	w := build(t, sc, 1, l)
	for _, c := range []struct {
		until                  time.Duration
		story                  string
		answered, amplify, tol float64 // shares of the requests, attempts per request
	}{
		{60 * second, "before the blip", 1, 1, 0.03},
		{200 * second, "50 s after the blip", 0, 5, 0.05},
		{250 * second, "30 s after the restart", 0, 5, 0.05},
		{375 * second, "25 s after the shed", 1, 1, 0.03},
	} {
		w.Run(c.until - 10*second)
		sent, attempts, answered := l.sent[0], l.attempts[0], l.ended[0][models.Answered]
		w.Run(c.until)
		n := float64(l.sent[0] - sent)
		share, amplified := float64(l.ended[0][models.Answered]-answered)/n, float64(l.attempts[0]-attempts)/n
		t.Logf("%s: %.3f answered, %.3f attempts per request, %+v", c.story, share, amplified, l.level[0])
		if math.Abs(share-c.answered) > c.tol || math.Abs(amplified-c.amplify) > 5*c.tol {
			t.Errorf("%s: %.3f answered, want %.2f; %.3f attempts per request, want %.0f", c.story, share, c.answered, amplified, c.amplify)
		}
		l.balance(t, w)
	}
}
