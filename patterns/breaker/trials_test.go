package breaker

import (
	"testing"

	"github.com/resilsim/resilsim/patterns"
)

// TestWhenHalfOpenDecides plays trials one after the other, f failed and s
// succeeded, and expects the state after each: h half-open, o open, c closed.
func TestWhenHalfOpenDecides(t *testing.T) {
	for _, row := range []struct {
		mode                          Decision
		permitted, minimum, successes int
		rate                          float64
		trials, states                string
	}{
		{Complete, 4, 4, 0, 50, "ffss", "hhho"},
		{Complete, 4, 4, 0, 50, "fsss", "hhhc"},
		{Complete, 4, 2, 0, 50, "ss", "hc"},
		{"", 4, 2, 0, 50, "fs", "ho"},
		{Early, 4, 4, 0, 50, "ff", "ho"},
		{Early, 4, 4, 0, 50, "sss", "hhc"},
		{Early, 4, 2, 0, 50, "f", "o"},
		{Early, 4, 2, 0, 50, "ss", "hc"},
		{Early, 4, 2, 3, 50, "sss", "hhc"},
		{Early, 4, 2, 3, 50, "sff", "hho"},
		{Early, 4, 4, 4, 50, "f", "o"},
		{Early, 4, 4, 1, 50, "s", "c"},
		{Early, 3, 9, 0, 100, "fs", "hc"},
		{Early, 3, 9, 0, 33.4, "fsf", "hho"},
		{Early, 3, 9, 0, 33.3, "f", "o"},
		{FirstFailure, 3, 1, 0, 100, "sss", "hhc"},
		{FirstFailure, 3, 1, 0, 100, "ssf", "hho"},
	} {
		b := opened(t, func(c *Config) {
			c.HalfOpenDecision, c.HalfOpenSuccesses = row.mode, row.successes
			c.PermittedNumberOfCallsInHalfOpenState, c.MinimumNumberOfCalls = row.permitted, row.minimum
			c.FailureRateThreshold = patterns.PercentOf(row.rate)
		})
		for i, trial := range row.trials {
			o := patterns.Success
			if trial == 'f' {
				o = patterns.Failure
			}
			b.Report(second, admitted(b, second, 1)[0], o, 0, nil)
			want := map[byte]State{'h': HalfOpen, 'o': Open, 'c': Closed}[row.states[i]]
			if got := b.State(second); got != want {
				t.Errorf("%+v: %s after trial %d, want %s", row, got, i+1, want)
				break
			}
		}
	}
}
