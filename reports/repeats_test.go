package reports

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resilsim/resilsim/sim/result"
)

// crashes is a run whose service crashes every 33 s, ten times, of which three are
// marked, and that is down at its end.
func crashes() *result.Result {
	r := plainRun("crashes", 420, 1, 50)
	r.Timeline = nil
	crash := result.Event{Source: "service", Subject: "services.payments", What: "payments crashes under load"}
	for k := range 10 {
		crash.TS, crash.Marker = 93+33*float64(k), k < 3
		r.Timeline = append(r.Timeline, crash)
	}
	r.Timeline = append(r.Timeline, result.Event{TS: 420, Source: "verdict", What: "metastable: still down", Marker: true})
	return r
}

// The last crash that is marked says how many follow, in the summary and in the
// figure; the others do not, and neither does one of another service.
func TestTheLastMarkedCrashTellsOfTheRest(t *testing.T) {
	r := crashes()
	r.Timeline = append([]result.Event{{TS: 20, Source: "service", Subject: "services.b", What: "payments crashes under load", Marker: true}}, r.Timeline...)
	const said = "2:39 payments crashes under load, and 7 more until 6:30"
	text := strings.Join(strings.Fields(summed(t, r, SummaryOptions{})), " ")
	if want := strings.Replace(said, "2:39 ", "2:39 service ", 1); !strings.Contains(text, want) || strings.Count(text, "more until") != 1 {
		t.Errorf("no %q in %s", want, text)
	}
	if !strings.Contains(text, "7:00 verdict metastable: still down") {
		t.Error("no verdict at the end")
	}
	svg := svgOf(t, drawn(t, r, Options{}))
	for _, want := range []string{">" + said + "<", ">7:00 metastable: still down<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %q in the figure", want)
		}
	}
}

// Where words are cut for room, the number of the rest is not.
func TestTheNumberOfTheRestIsNeverCut(t *testing.T) {
	r := crashes()
	for i := range r.Timeline {
		r.Timeline[i].What = strings.Repeat("very long words ", 20)
	}
	r.Timeline[len(r.Timeline)-1].What = "end"
	if svg := svgOf(t, drawn(t, r, Options{})); !strings.Contains(svg, "…, and 7 more until 6:30<") {
		t.Error("the number is missing")
	}
}

// A name beside its window is short, and no rule passes through any name, over all
// stories and widths.
func TestNoRulePassesThroughTheNameOfAWindow(t *testing.T) {
	named := 0
	for _, c := range stories() {
		for _, width := range []float64{widthMin, widthWanted, 1500} {
			v, err := newView(c.r, Options{})
			if err != nil {
				t.Fatal(err)
			}
			f := v.field(box{x0: 48, x1: width - 134}, scale{hi: 1}, 0.65)
			events, _ := pickEvents(c.r.Timeline, v.total)
			markers, _, _ := placeMarkers(events, f, box{x0: 14, x1: width - 6})
			for _, n := range nameSpans(f, c.r.Windows, markers) {
				named++
				is := boxOf(n.label)
				for _, g := range markers {
					if g.x > is.x0 && g.x < is.x1 {
						t.Errorf("%s: a rule at %.1f passes through %q", c.name, g.x, n.label.text)
					}
				}
				if n.label.anchor != 0.5 && is.wide() > spanBeside {
					t.Errorf("%s: %q is too long to stand beside its window", c.name, n.label.text)
				}
			}
		}
	}
	if named < 100 {
		t.Errorf("only %d names were looked at", named)
	}
}

// A long name of a narrow trigger is replaced by the word for it.
func TestANarrowTriggerIsCalledTrigger(t *testing.T) {
	r := retryStorm()
	r.Windows[0].Label = "responses to half of the instances lost"
	svg := svgOf(t, drawn(t, r, Options{}))
	if strings.Contains(svg, ">"+r.Windows[0].Label+"<") || !strings.Contains(svg, ">trigger<") {
		t.Error("the long name stands beside its window")
	}
}

// The queue is drawn by its longest in each interval where the result has that: a
// queue that made a service crash is gone at the interval's end.
func TestTheQueueIsDrawnByItsLongest(t *testing.T) {
	r := halfMinute()
	m := &made{r: r, n: 30}
	m.col("services.payments", "queue_max", func(float64) float64 { return 2000 })
	svg := svgOf(t, drawn(t, r, Options{}))
	for _, want := range []string{">waiting at most<", ">peak 2000<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s", want)
		}
	}
}

// Rows of verdicts: how long the outage was and how long it was below in all are two
// figures with two names.
func TestOutageAndTimeBelowAreToldApart(t *testing.T) {
	for _, row := range []struct {
		verdict result.Verdict
		want    string
	}{
		{result.Verdict{OutageS: 2469, Outages: 1, TimeBelowS: 2466}, "41m09s; goodput below 95 % of offered for 41m06s in all"},
		{result.Verdict{OutageS: 95, Outages: 2, TimeBelowS: 95}, "95 s in 2 outages; goodput below 95 % of offered for 95 s in all"},
		{result.Verdict{TimeBelowS: 4}, "none; goodput below 95 % of offered for 4 s in all"},
		{result.Verdict{TriggerStartS: some(1)}, "none"},
		{result.Verdict{}, ""},
	} {
		row.verdict.RecoveryShare = 0.95
		if got := outageFact(row.verdict); got != row.want {
			t.Errorf("%+v: %q, want %q", row.verdict, got, row.want)
		}
	}
}

// A run that was never down did not recover from anything.
func TestAStableRunHasNoRecovery(t *testing.T) {
	d := result.Verdict{Word: result.Stable, TriggerStartS: some(60), TriggerEndS: some(90), RecoveryAtS: some(90), RecoveredAfterTriggerS: some(0)}
	if got := triggerFact(d, 300); got != "from 1:00 to 1:30" {
		t.Error(got)
	}
}

// A headline of two lines breaks where the sentence does.
func TestHeadlinesBreakAtTheirSemicolon(t *testing.T) {
	text := `90 s of "responses to half of the instances lost" became a 41m09s outage; shed at 44:30 ended it at 46:09`
	if got := fmt.Sprintf("%q", wrapSentence(text, titleStyle, 728)); !strings.HasSuffix(got, `outage;" "shed at 44:30 ended it at 46:09"]`) {
		t.Error(got)
	}
	for _, room := range []float64{100, 300, 728} {
		lines := wrapSentence(text+strings.Repeat(" and on", 60), titleStyle, room)
		for _, l := range lines {
			if len(lines) > 2 || textWidth(l, titleStyle) > room {
				t.Errorf("room %g: %q", room, lines)
			}
		}
	}
}
