package scenarios_test

import (
	"strings"
	"testing"

	"github.com/resilsim/resilsim/scenarios"
	"github.com/resilsim/resilsim/sim/experiment"
	"github.com/resilsim/resilsim/sim/scenario"
)

// TestEveryShippedScenarioHoldsItsClaims runs each file with its own seed and its
// control run, and wants every claim of the file met, the start steady and the
// system healthy without the trigger. Under -short the long storms are left to
// the full run.
func TestEveryShippedScenarioHoldsItsClaims(t *testing.T) {
	for _, name := range scenarios.List() {
		if testing.Short() && strings.HasPrefix(name, "metastable") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holds(t, name)
		})
	}
}

func holds(t *testing.T, name string) {
	t.Helper()
	text, err := scenarios.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	sc, report := scenario.Load(name, text, scenario.Options{Resolve: scenarios.Read})
	if sc == nil {
		t.Fatal(report)
	}
	r, err := experiment.Run(t.Context(), sc, experiment.Options{Seed: sc.Seed, Control: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Expectations) == 0 {
		t.Error("a shipped scenario claims nothing")
	}
	for _, c := range r.Expectations {
		if !c.Held {
			t.Errorf("%s: %s", c.Text, c.Actual)
		}
	}
	if r.Control == nil || !r.Control.Healthy {
		t.Errorf("not healthy without the trigger: %+v", r.Control)
	}
}
