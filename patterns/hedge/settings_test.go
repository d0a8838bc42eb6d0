package hedge_test

import (
	"testing"

	"github.com/resilsim/resilsim/patterns/hedge"
)

// TestSettingsAreWhatWasConfigured, for whoever drives the hedges.
func TestSettingsAreWhatWasConfigured(t *testing.T) {
	for _, failure := range []bool{true, false} {
		c := hedge.Defaults()
		c.MaxHedges, c.HedgeOnFailure = 3, failure
		s, err := hedge.Compile(c)
		if err != nil || s.MaxHedges() != 3 || s.OnFailure() != failure {
			t.Errorf("%v: %d, %v", err, s.MaxHedges(), s.OnFailure())
		}
	}
}
