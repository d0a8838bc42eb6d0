package fallback

import (
	"testing"

	"github.com/resilsim/resilsim/patterns"
)

// TestEveryFaultIsTold: no step, and each step without a name.
func TestEveryFaultIsTold(t *testing.T) {
	for _, row := range []struct {
		steps []string
		want  string
	}{
		{nil, "steps: a fallback needs at least one step"},
		{[]string{"cache", ""}, "steps: a step needs a name"},
		{[]string{"", ""}, "steps: a step needs a name\nsteps: a step needs a name"},
	} {
		if err := (Config{Steps: row.steps}).Validate().Err(); err == nil || err.Error() != row.want {
			t.Errorf("%q: %v, want %s", row.steps, err, row.want)
		}
	}
	if err := (Config{Steps: []string{"cache", "default"}}).Validate().Err(); err != nil {
		t.Error(err)
	}
}

// TestLadderIsForFailuresAndRefusals: who was answered needs none, and who has gone is not
// there to be answered.
func TestLadderIsForFailuresAndRefusals(t *testing.T) {
	for o, want := range map[patterns.Outcome]bool{
		patterns.Success: false, patterns.Failure: true, patterns.NotMade: true, patterns.Ignored: false,
	} {
		if got := Applies(patterns.Result{Outcome: o}); got != want {
			t.Errorf("%s: %v", o, got)
		}
	}
}
