package reports

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// SummaryOptions say how a summary is written.
type SummaryOptions struct {
	// Colour asks for terminal colours. Nothing is told by colour alone.
	Colour bool
	// Files are the paths that were written, in order; none leaves the list out.
	Files []string
}

// SummaryWidth is how many columns the text of Summary has at most. Paths of
// files are never cut.
const SummaryWidth = 100

// Summary writes what a person reads after a run: the headline, the claims with
// what was found, the figures that decided the verdict and whether the system is
// healthy without the trigger, where the requests went, how long they took, what happened when, and the files.
func Summary(w io.Writer, r *result.Result, o SummaryOptions) error {
	if r == nil {
		return errors.New("reports: no result to sum up")
	}
	p := &page{colour: o.Colour}
	v := &view{r: r, total: runLength(r)}
	p.headline(v)
	p.claims("Expectations", r.Expectations)
	p.claims("Steady start", r.SteadyState)
	p.facts(v)
	p.impact(r.Accounts)
	p.latency(r.Latency)
	p.timeline(v)
	p.replications(r)
	if len(o.Files) > 0 {
		p.heading("Files")
		for _, f := range o.Files {
			p.line("  " + f)
		}
	}
	if _, err := io.WriteString(w, p.String()); err != nil {
		return fmt.Errorf("reports: write summary: %w", err)
	}
	return nil
}

// headline is the verdict as a sentence, then what was run.
func (p *page) headline(v *view) {
	for _, l := range fill(v.headline(), SummaryWidth, 4) {
		p.line(p.paint(bold, l))
	}
	for _, l := range fill(v.about(), SummaryWidth, 3) {
		p.line(p.paint(faint, l))
	}
	name := clean(v.r.Scenario.Name)
	if name == "" {
		name = "without a name"
	}
	for _, l := range fill(fmt.Sprintf("scenario %s, seed %d, %s simulated", name, v.r.Scenario.Seed, span(v.total)), SummaryWidth, 2) {
		p.line(p.paint(faint, l))
	}
	for _, l := range fill(v.changes(), SummaryWidth, 6) {
		p.line(p.paint(warn, l))
	}
	if v.r.Partial {
		p.line(p.paint(warn, "partial: the run was interrupted, what follows is true up to "+instant(v.total, v.total)+" only"))
	}
}

// facts are the figures that decided the verdict, one subject a line.
func (p *page) facts(v *view) {
	r, d := v.r, v.r.Verdict
	p.heading("Verdict: " + p.paint(verdictColour(d.Word), word(d.Word)) + rescuer(d))
	p.fact("trigger", triggerFact(d, v.total))
	p.fact("outage", outageFact(d))
	if d.AmplificationMax > 0 {
		p.fact("attempts", fmt.Sprintf("%s per request in the worst %s; %s of the service time for callers that had gone",
			amount(d.AmplificationMax), span(worstWindowS), percent(d.WastedShare)))
	}
	if c := r.Control; c != nil {
		answer := p.paint(good, "yes")
		if !c.Healthy {
			answer = p.paint(bad, "no")
		}
		p.fact("control", fmt.Sprintf("healthy without the trigger: %s (%s, goodput %s of offered)", answer,
			word(c.Verdict), percent(c.GoodputShare)))
	}
	p.fact("made by", crop(fmt.Sprintf("resilsim %s %s, digest %s, %s events", clean(r.Tool.Version), clean(r.Tool.GoVersion),
		clean(r.Digest), grouped(r.Events)), 200))
}

// worstWindowS is the window of the verdict's amplification_max.
const worstWindowS = 10

// outageFact tells how long the outages were, and for how long of that, or of the
// whole run, goodput was below the share that counts.
func outageFact(d result.Verdict) string {
	below := fmt.Sprintf("goodput below %s of offered for %s in all", percent(d.RecoveryShare), span(d.TimeBelowS))
	switch {
	case d.OutageS > 0 && d.Outages > 1:
		return fmt.Sprintf("%s in %d outages; %s", span(d.OutageS), d.Outages, below)
	case d.OutageS > 0:
		return span(d.OutageS) + "; " + below
	case d.TimeBelowS > 0:
		return "none; " + below
	case d.TriggerStartS != nil:
		return "none"
	}
	return ""
}

func rescuer(d result.Verdict) string {
	if d.RescuedBy == "" {
		return ""
	}
	return ", after: " + crop(clean(d.RescuedBy), 70)
}

// word is a verdict as one word of bounded length, whatever a file says.
func word(w result.VerdictWord) string {
	if w == "" {
		return "none"
	}
	return crop(strings.ReplaceAll(clean(string(w)), " ", "-"), 16)
}

// triggerFact tells when the trigger was and when its effects ended.
func triggerFact(d result.Verdict, total float64) string {
	var parts []string
	if d.TriggerStartS != nil && d.TriggerEndS != nil {
		parts = append(parts, "from "+instant(*d.TriggerStartS, total)+" to "+instant(*d.TriggerEndS, total))
	}
	switch {
	case d.Word == result.Stable:
	case d.RecoveryAtS != nil && d.RecoveredAfterTriggerS != nil:
		parts = append(parts, "recovered at "+instant(*d.RecoveryAtS, total)+", "+span(*d.RecoveredAfterTriggerS)+" after it")
	case d.RecoveryAtS != nil:
		parts = append(parts, "recovered at "+instant(*d.RecoveryAtS, total))
	case len(parts) > 0:
		parts = append(parts, "no recovery by the end of the run")
	}
	return strings.Join(parts, "; ")
}

func verdictColour(w result.VerdictWord) string {
	switch w {
	case result.Stable, result.Recovered:
		return good
	case result.Metastable, result.Overloaded:
		return bad
	default:
		return warn
	}
}

// claims lists expectations with what was found; those that do not hold come
// first.
func (p *page) claims(title string, claims []result.Claim) {
	if len(claims) == 0 {
		return
	}
	failed := 0
	for _, c := range claims {
		if !c.Held {
			failed++
		}
	}
	p.heading(fmt.Sprintf("%s: %d of %d hold", title, len(claims)-failed, len(claims)))
	t := table{right: []bool{false, false}}
	var marks []string
	for _, held := range []bool{false, true} {
		for _, c := range claims {
			if c.Held != held {
				continue
			}
			mark := p.paint(bad, "✗")
			if held {
				mark = p.paint(good, "✓")
			}
			marks = append(marks, mark)
			t.row(clean(c.Text), clean(c.Actual))
		}
	}
	for i, l := range t.lines(SummaryWidth - 4) {
		p.line("  " + marks[i] + " " + l)
	}
}

// timeline lists the marked events, at most timelineMax.
func (p *page) timeline(v *view) {
	const timelineMax = 24
	t := table{right: []bool{true, false, false}}
	events := markedOf(v.r.Timeline, v.total)
	if len(events) == 0 {
		return
	}
	p.heading("Timeline")
	for _, e := range events[:min(len(events), timelineMax)] {
		what := clean(e.What) + e.more
		if e.Detail != "" {
			what += " (" + clean(e.Detail) + ")"
		}
		t.row(instant(e.TS, v.total), clean(e.Source), what)
	}
	for _, l := range t.lines(SummaryWidth - 2) {
		p.line("  " + l)
	}
	if n := len(events) - timelineMax; n > 0 {
		p.line(fmt.Sprintf("  and %d more", n))
	}
}
