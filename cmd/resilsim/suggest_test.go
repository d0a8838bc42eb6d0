package main

import "testing"

// TestTheNearestWordIsOffered: rows of what was typed and what is offered, and
// words so far from everything that nothing is.
func TestTheNearestWordIsOffered(t *testing.T) {
	known := []string{"run", "check", "scenarios", "metastable-retry-storm", "half-open-herd"}
	for _, row := range []struct{ typed, offered string }{
		{"rnu", "run"},
		{"chekc", "check"},
		{"Scenario", "scenarios"},
		{"metastable_retry_strom", "metastable-retry-storm"},
		{"storm", "metastable-retry-storm"},
		{"xyz", ""},
		{"", ""},
		{"sweep", ""},
	} {
		if got := nearest(row.typed, known); got != row.offered {
			t.Errorf("%q: offered %q, want %q", row.typed, got, row.offered)
		}
	}
	if got := nearest("storm", []string{"storm-one", "storm-two"}); got != "" {
		t.Errorf("two words contain it, and %q was offered", got)
	}
}
