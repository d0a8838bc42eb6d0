package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/record"
	"github.com/resilsim/resilsim/sim/result"
	"github.com/resilsim/resilsim/sim/world"
)

// From the text of a scenario to a verdict: the storm outlives its trigger, is ended
// by shedding, and its control is well. Every part of the result is there.
func TestASmallStormIsRescued(t *testing.T) {
	r, err := Run(context.Background(), load(t, storm), Options{Seed: 3, Control: true, Version: "v", Spec: []byte(storm)})
	if err != nil {
		t.Fatal(err)
	}
	v := r.Verdict
	if v.Word != result.Rescued || !strings.HasPrefix(v.Sentence, "10 s of standstill at db became a ") || v.RescuedBy != "shed" || *v.CapacityPerS != 80 {
		t.Errorf("verdict %s", shown(t, v))
	}
	if v.AmplificationMax < 2.5 || v.WastedShare < 0.3 || v.OutageS < 80 {
		t.Errorf("figures %s", shown(t, v))
	}
	if r.Control == nil || !r.Control.Healthy || r.Control.GoodputShare < 0.99 || r.Control.Digest == r.Digest {
		t.Errorf("control %s", shown(t, r.Control))
	}
	if len(r.SteadyState) != 1 || !r.SteadyState[0].Held || len(r.Expectations) != 1 || !r.Expectations[0].Held {
		t.Errorf("claims %s %s", shown(t, r.SteadyState), shown(t, r.Expectations))
	}
	if len(r.Accounts) != 2 || !r.Accounts[0].Holds() || !r.Accounts[1].Holds() || len(r.Series.StartS) != 240 || len(r.Histograms) == 0 {
		t.Errorf("accounts %s", shown(t, r.Accounts))
	}
	if r.Scenario.Seed != 3 || len(r.Scenario.SHA256) != 64 || r.Tool.Version != "v" || r.DurationS != 240 || r.Partial {
		t.Errorf("header %s %s", shown(t, r.Scenario), shown(t, r.Tool))
	}
	last := 0.0
	for _, e := range r.Timeline {
		if e.TS < last {
			t.Errorf("the timeline goes back at %s", shown(t, e))
		}
		last = e.TS
	}
}

// Looking at the context and at the accounts between slices changes nothing: the
// digest is that of a world that runs in one go.
func TestSlicesDoNotChangeTheRun(t *testing.T) {
	sc := load(t, storm)
	r, err := Run(context.Background(), sc, Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.Build(sc, 3, nil, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.Run(sc.Duration)
	if want := fmt.Sprintf("%016x", w.Digest()); r.Digest != want || r.Events != w.Executed() {
		t.Errorf("digest %s, want %s; %d events, want %d", r.Digest, want, r.Events, w.Executed())
	}
}

// The curves by the recorder and its accounts are two sums of the same requests.
func TestCurvesAndAccountsAgree(t *testing.T) {
	r, err := Run(context.Background(), load(t, storm), Options{Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	for metric, want := range map[string]uint64{ // order-free: each alone
		"offered": r.Accounts[0].Sent, "goodput": r.Accounts[0].Answered, "failed": r.Accounts[0].Failed, "refused": r.Accounts[0].Refused} {
		sum := 0.0
		for _, v := range r.Series.Column("callers.web", metric) {
			sum += v
		}
		if uint64(sum+0.5) != want {
			t.Errorf("%s: the curve says %v, the account %d", metric, sum, want)
		}
	}
}

// A scenario that is overloaded before anything fails is refused, and told why.
func TestAnUnsteadyStartIsRefused(t *testing.T) {
	sc := load(t, storm, "callers.web.arrivals.poisson=100/s")
	_, err := Run(context.Background(), sc, Options{Seed: 3, Control: true})
	var refused *NotSteady
	if !errors.As(err, &refused) || len(refused.Claims) != 1 || refused.Claims[0].Held {
		t.Fatalf("error %v", err)
	}
	if text := err.Error(); !strings.Contains(text, "callers.web.goodput_share >= 99%") || !strings.Contains(text, " %") {
		t.Errorf("the message %q lacks the claim or what was found", text)
	}
}

// A claim that does not hold is part of the result, not an error.
func TestAFailedExpectationIsAResult(t *testing.T) {
	r, err := Run(context.Background(), load(t, strings.Replace(storm, "== rescued", "== stable", 1)), Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Expectations[0]; c.Held || c.Actual != "rescued" {
		t.Errorf("%+v", c)
	}
}

// An interrupted run keeps what was simulated, marked partial: its curves are the
// beginning of those of the whole run, and it claims nothing.
func TestAnInterruptedRunIsTheBeginningOfTheWhole(t *testing.T) {
	sc := load(t, storm)
	whole, err := Run(context.Background(), sc, Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	part, err := Run(ctx, sc, Options{Seed: 3, Control: true, Progress: func(done, _ time.Duration, _ uint64) {
		if done >= 80*time.Second {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !part.Partial || part.DurationS < 80 || part.DurationS > 81 || part.Control != nil || part.Expectations[0].Held {
		t.Fatalf("partial %v, %v s, claims %s", part.Partial, part.DurationS, shown(t, part.Expectations))
	}
	for _, c := range part.Series.Columns {
		all := whole.Series.Column(c.Scope, c.Metric)
		if fmt.Sprint(c.Values) != fmt.Sprint(all[:len(c.Values)]) || len(c.Values) != 80 {
			t.Errorf("%s %s differs", c.Scope, c.Metric)
		}
	}
}

// Progress only grows and ends at the whole, the control run included.
func TestProgressEndsAtTheWhole(t *testing.T) {
	var last time.Duration
	var total time.Duration
	_, err := Run(context.Background(), load(t, storm), Options{Seed: 3, Control: true, Progress: func(done, all time.Duration, _ uint64) {
		if done < last {
			t.Errorf("%v after %v", done, last)
		}
		last, total = done, all
	}})
	if err != nil || last != 480*time.Second || total != last {
		t.Errorf("ended at %v of %v: %v", last, total, err)
	}
}

// With any number of workers the same bytes come out; each replication is the run of
// its seed.
func TestWorkersDoNotChangeTheResult(t *testing.T) {
	sc := load(t, storm)
	var want []byte
	for _, workers := range []int{1, 2, 7} {
		r, err := Replicate(context.Background(), sc, 5, Options{Seed: 3, Control: true, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if got := bytesOf(t, r); want == nil {
			want = got
		} else if !bytes.Equal(got, want) {
			t.Errorf("%d workers change the result", workers)
		}
		if len(r.Replications) != 5 || r.Replications[0].Digest != r.Digest || r.Partial {
			t.Fatalf("%s", shown(t, r.Replications))
		}
		alone, err := Run(context.Background(), sc, Options{Seed: 7})
		if last := r.Replications[4]; err != nil || last.Seed != 7 || last.Digest != alone.Digest || last.Verdict != alone.Verdict.Word || !last.ExpectationsHeld {
			t.Errorf("the fifth is %s, alone %s: %v", shown(t, last), alone.Digest, err)
		}
	}
}

// Replications that did not finish are left out, and the result says so.
func TestInterruptedReplicationsAreLeftOut(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r, err := Replicate(ctx, load(t, storm), 4, Options{Seed: 3, Workers: 1, Progress: func(done, _ time.Duration, _ uint64) {
		if done >= 500*time.Second {
			cancel()
		}
	}})
	if err != nil || !r.Partial || len(r.Replications) != 2 || r.Replications[1].Seed != 4 {
		t.Fatalf("%v %s", err, shown(t, r))
	}
	if _, err := Replicate(ctx, load(t, storm), 0, Options{}); err == nil {
		t.Error("no seeds at all are accepted")
	}
}

// A model that loses a request stops the run: the boundary and the numbers are in
// the error. The loss is made up by hearing of a request that no model knows.
func TestALostRequestStopsTheRun(t *testing.T) {
	sc := load(t, storm)
	p, err := build(sc, 3, false)
	if err != nil {
		t.Fatal(err)
	}
	p.rec.RequestSent(0, 0)
	err = p.runTo(context.Background(), sc.Duration, func(time.Duration, uint64) {})
	var broken *record.Violation
	if !errors.As(err, &broken) || broken.Account.Boundary != "callers.web" || broken.At != time.Second {
		t.Errorf("error %v", err)
	}
}

// An interval holds what happens before its end, the last one too: with a request
// each 100 ms, the first one at 100 ms, the first second has nine, every other ten,
// and none has that of the end.
func TestTheEndIsNotPartOfTheRun(t *testing.T) {
	sc := load(t, storm, "callers.web.arrivals={uniform: 10/s}", "faults=[]", "operators=[]", "expect=[]", "steadyState=[]", "duration=5s", "recovery=null")
	r, err := Run(context.Background(), sc, Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range r.Series.Column("callers.web", "offered") {
		if v != 10 && (v != 9 || i != 0) {
			t.Errorf("interval %d: %v offered", i, v)
		}
	}
}

// A run of ten million requests a second looks up long before an interval of
// virtual time is over: the context that ends at the first report ends it.
func TestABusyRunHearsThatItIsToEnd(t *testing.T) {
	sc := load(t, storm, "callers.web.arrivals={poisson: 10000000/s}", "services.db.queue={limit: 10}", "faults=[]", "operators=[]", "expect=[]", "steadyState=[]")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Run(ctx, sc, Options{Seed: 1})
	if err != nil || !r.Partial || r.Events > 2*glance {
		t.Errorf("%v, partial %v after %d events", err, r.Partial, r.Events)
	}
}
