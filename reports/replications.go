package reports

import (
	"fmt"
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// seedsShown is how many seeds are listed one by one; of more than that only those
// are listed that missed an expectation, at most failuresShown.
const (
	seedsShown    = 10
	failuresShown = 40
)

// replications says how many seeds there were, how many met every expectation and
// which one all the rest of the summary is about; then a line for each seed, and
// the number of each verdict.
func (p *page) replications(r *result.Result) {
	reps := r.Replications
	if len(reps) == 0 {
		return
	}
	var shown []result.Replication
	missed := 0
	for _, rep := range reps {
		if !rep.ExpectationsHeld {
			missed++
		}
		if len(reps) <= seedsShown || !rep.ExpectationsHeld {
			shown = append(shown, rep)
		}
	}
	p.heading(fmt.Sprintf("%d seeds: %d of %d meet every expectation", len(reps), len(reps)-missed, len(reps)))
	p.line(fmt.Sprintf("  all above is of seed %d only", r.Scenario.Seed))
	for _, rep := range shown[:min(len(shown), failuresShown)] {
		p.replication(rep)
	}
	if n := len(shown) - failuresShown; n > 0 {
		p.line(fmt.Sprintf("  and %d more seeds that missed an expectation", n))
	}
	p.line("  " + verdictCounts(reps))
}

// replication is one seed: verdict, recovery, and what did not hold.
func (p *page) replication(rep result.Replication) {
	mark := p.paint(good, "✓")
	if !rep.ExpectationsHeld {
		mark = p.paint(bad, "✗")
	}
	text := fmt.Sprintf("seed %d: %s", rep.Seed, word(rep.Verdict))
	if s := rep.RecoveredAfterTriggerS; s != nil {
		text += ", " + span(*s) + " after the trigger"
	}
	var failed []string
	for _, c := range rep.Failed {
		failed = append(failed, crop(clean(c.Text), 100)+" ("+crop(clean(c.Actual), 60)+")")
	}
	if len(failed) > 0 {
		text += "; not met: " + strings.Join(failed, "; ")
	}
	for i, l := range fill(text, SummaryWidth-4, 6) {
		if i > 0 {
			mark = " "
		}
		p.line("  " + mark + " " + l)
	}
}

// verdictCounts counts the verdicts in the order in which they first occur.
func verdictCounts(reps []result.Replication) string {
	var words []result.VerdictWord
	count := map[result.VerdictWord]int{}
	for _, rep := range reps {
		if count[rep.Verdict] == 0 {
			words = append(words, rep.Verdict)
		}
		count[rep.Verdict]++
	}
	var parts []string
	for _, w := range words {
		parts = append(parts, fmt.Sprintf("%s %d", word(w), count[w]))
	}
	return strings.Join(parts, ", ")
}
