package experiment

import (
	"context"
	"strings"
	"testing"

	"github.com/resilsim/resilsim/sim/result"
)

// A load above capacity: the run without the trigger is not healthy, which is the
// first expectation that did not hold. Not without a control run, and not when the
// scenario claims the overload itself.
func TestAnUnhealthyControlIsAFailedExpectation(t *testing.T) {
	for _, c := range []struct {
		expect  string
		control bool
		failed  string
	}{
		{"[]", true, "healthy without the trigger"},
		{"[verdict == overloaded]", true, ""},
		{"[verdict != overloaded]", true, "healthy without the trigger, verdict != overloaded"},
		{"[verdict == stable, outage >= 1s]", true, "healthy without the trigger, verdict == stable"},
		{"[]", false, ""},
	} {
		sc := load(t, storm, "callers.web.arrivals.poisson=100/s", "steadyState=[]", "operators=[]", "expect="+c.expect)
		r, err := Run(context.Background(), sc, Options{Seed: 3, Control: c.control})
		if err != nil {
			t.Fatal(err)
		}
		if got := failedOf(r.Expectations); got != c.failed {
			t.Errorf("expect %s, control %t: failed %q, want %q", c.expect, c.control, got, c.failed)
		}
		if c.control && c.failed != "" && !strings.HasPrefix(r.Expectations[0].Actual, "no: overloaded, goodput ") {
			t.Errorf("%s", shown(t, r.Expectations[0]))
		}
	}
}

func failedOf(claims []result.Claim) string {
	var texts []string
	for _, c := range claims {
		if !c.Held {
			texts = append(texts, c.Text)
		}
	}
	return strings.Join(texts, ", ")
}

// Each seed is judged with its own control, and its short form names what did not
// hold: five overloaded seeds fail alike, five of a storm hold.
func TestEachSeedHasItsControl(t *testing.T) {
	for rate, want := range map[string]string{"50/s": "", "100/s": "healthy without the trigger, verdict == rescued"} {
		sc := load(t, storm, "callers.web.arrivals.poisson="+rate, "steadyState=[]")
		r, err := Replicate(context.Background(), sc, 3, Options{Seed: 3, Control: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, rep := range r.Replications {
			if got := failedOf(rep.Failed); got != want || rep.ExpectationsHeld != (want == "") {
				t.Errorf("%s, seed %d: %q, want %q", rate, rep.Seed, got, want)
			}
		}
	}
}

// A refused run says what was claimed and what was found, in words of the scenario.
func TestNotSteadyReadsLikeTheScenario(t *testing.T) {
	err := &NotSteady{Seed: 3, Claims: []result.Claim{{Text: "goodput_share >= 99%", Actual: "12.8 %"}, {Text: "outage <= 1s", Actual: "5 s"}}}
	if want := "not steady before the first fault (seed 3): goodput_share >= 99% (found: 12.8 %); outage <= 1s (found: 5 s)"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
