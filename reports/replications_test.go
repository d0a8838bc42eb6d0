package reports

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resilsim/resilsim/sim/result"
)

// seeds makes n replications of which those with the given numbers missed a claim.
func seeds(n int, missed ...int) *result.Result {
	r := blip()
	for i := range n {
		r.Replications = append(r.Replications, result.Replication{Seed: uint64(100 + i), Verdict: result.Recovered, ExpectationsHeld: true})
	}
	for _, i := range missed {
		r.Replications[i].ExpectationsHeld = false
		r.Replications[i].Failed = []result.Claim{{Text: "recovery_time <= 60s", Actual: "71 s"}}
	}
	return r
}

// A few seeds are listed all, of many only those that missed: reads the lines
// after the heading, and finds the value that was found and the seed of the rest.
func TestASeedThatMissedIsNamed(t *testing.T) {
	for _, c := range []struct {
		n      int
		missed []int
		listed int
	}{{3, nil, 3}, {3, []int{2}, 3}, {10, nil, 10}, {11, nil, 0}, {11, []int{10}, 1}, {100, []int{7, 99}, 2}} {
		text := summed(t, seeds(c.n, c.missed...), SummaryOptions{})
		_, text, _ = strings.Cut(text, fmt.Sprintf("\n%d seeds: %d of %d meet every expectation\n", c.n, c.n-len(c.missed), c.n))
		if got := strings.Count(text, "seed 1"); got != c.listed {
			t.Errorf("%d seeds, %v missed: %d listed, want %d:\n%s", c.n, c.missed, got, c.listed, text)
		}
		for _, i := range c.missed {
			if want := fmt.Sprintf("✗ seed %d: recovered; not met: recovery_time <= 60s (71 s)\n", 100+i); !strings.Contains(text, want) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
		if !strings.Contains(text, "all above is of seed "+fmt.Sprint(blip().Scenario.Seed)+" only") {
			t.Errorf("whose summary is it?\n%s", text)
		}
	}
	all := make([]int, 100)
	for i := range all {
		all[i] = i
	}
	if text := summed(t, seeds(100, all...), SummaryOptions{}); !strings.Contains(text, "and 60 more seeds that missed") {
		t.Errorf("a hundred failures:\n%s", text)
	}
}

// What --set changed stands in summary and figure, and the sentence of the
// scenario, which may be false now, in neither.
func TestChangedSettingsReplaceTheSentence(t *testing.T) {
	r := blip()
	r.Scenario.About = "It never heals."
	r.Scenario.Changed = []string{"pipelines.x.retry.maxAttempts=2", "duration=9m"}
	f, err := Incident(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var svg strings.Builder
	if err := f.SVG(&svg); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"summary": summed(t, r, SummaryOptions{}), "figure": svg.String()} {
		if !strings.Contains(text, "with pipelines.x.retry.maxAttempts=2, duration=9m") || strings.Contains(text, "never heals") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}
