package experiment_test

import (
	"os"
	"testing"

	"github.com/resilsim/resilsim/sim/experiment"
	"github.com/resilsim/resilsim/sim/scenario"
)

// TestServicesOfEveryKindGoFromTheirFileToCurves runs a scenario file with every
// discipline, admission and way of working, under breakdowns, as the command does: the
// accounts balance, every service served, its curves are whole, and the breakdowns are in the log.
func TestServicesOfEveryKindGoFromTheirFileToCurves(t *testing.T) {
	t.Parallel()
	const file = "../scenario/testdata/good/services-of-every-kind.yaml"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sc, report := scenario.Load(file, text, scenario.Options{})
	if sc == nil {
		t.Fatal(report)
	}
	res, err := experiment.Run(t.Context(), sc, experiment.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range res.Accounts {
		if !a.Holds() {
			t.Errorf("accounts of %s do not balance", a.Boundary)
		}
	}
	for _, s := range sc.Services {
		scope := "services." + s.Name
		sum := 0.0
		for _, v := range res.Series.Column(scope, "served") {
			sum += v
		}
		if sum < 50*60 {
			t.Errorf("%s: %v served", scope, sum)
		}
	}
	if got := res.Series.Column("services.shared", "core_utilisation"); len(got) == 0 || got[10] < 0.1 || got[10] > 0.5 {
		t.Errorf("utilisation of the cores: %v, want about 0.2", got)
	}
	down := 0
	for _, e := range res.Timeline {
		if e.What == "shared breaks down" || e.What == "ranked breaks down" {
			down++
		}
	}
	if down < 5 {
		t.Errorf("%d breakdowns in the log", down)
	}
}
