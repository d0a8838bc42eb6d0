package experiment

import (
	"testing"

	"github.com/resilsim/resilsim/sim/scenario"
)

// A fault without a name of its own is called by what it does and where; one with a
// name keeps it. Each is read after "90 s of".
func TestFaultsWithoutANameAreCalledByWhatTheyDo(t *testing.T) {
	sc := &scenario.Scenario{Services: []scenario.Service{{Name: "payments"}}, Callers: []scenario.Fleet{{Name: "web"}}}
	for _, row := range []struct {
		kind  scenario.FaultKind
		loses scenario.Loses
		want  string
	}{
		{scenario.Latency, "", "added latency on payments"}, {scenario.Errors, "", "errors from payments"},
		{scenario.Capacity, "", "reduced capacity at payments"}, {scenario.Freeze, "", "standstill at payments"},
		{scenario.CrashDown, "", "downtime at payments"}, {scenario.Partition, scenario.Both, "partition from payments"},
		{scenario.Partition, scenario.Requests, "lost requests to payments"},
		{scenario.Partition, scenario.Responses, "lost responses from payments"},
	} {
		f := &scenario.Fault{Kind: row.kind, Name: string(row.kind), Fleet: -1, Loses: row.loses}
		if got := noun(sc, f); got != row.want {
			t.Errorf("%s: %q, want %q", row.kind, got, row.want)
		}
		if f.Name = "the blip"; noun(sc, f) != "" {
			t.Errorf("%s: a name was replaced by %q", row.kind, noun(sc, f))
		}
	}
	surge := &scenario.Fault{Kind: scenario.Surge, Name: "surge", Service: -1}
	if got := noun(sc, surge); got != "surge from web" {
		t.Errorf("surge: %q", got)
	}
}
