package reports

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/resilsim/resilsim/sim/result"
)

func summed(t *testing.T, r *result.Result, o SummaryOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Summary(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The text of three summaries is kept as a reader sees it.
func TestSummaryGoldens(t *testing.T) {
	files := SummaryOptions{Files: []string{"out/result.json", "out/series.csv", "out/incident.svg"}}
	golden(t, "storm.txt", summed(t, retryStorm(), files))
	golden(t, "nothing.txt", summed(t, &result.Result{}, SummaryOptions{}))
	many := blip()
	many.Partial = true
	many.Control = &result.Control{Verdict: result.Overloaded, GoodputShare: 0.41}
	many.Replications = []result.Replication{{Verdict: result.Recovered}, {Verdict: result.Metastable}, {Verdict: result.Recovered}}
	golden(t, "partial.txt", summed(t, many, SummaryOptions{}))
}

var sgr = regexp.MustCompile("\x1b\\[[0-9]+m")

// Colours are added to the same words and never asked for by themselves.
func TestColourChangesNoWord(t *testing.T) {
	for _, c := range stories() {
		plain, coloured := summed(t, c.r, SummaryOptions{}), summed(t, c.r, SummaryOptions{Colour: true})
		if strings.Contains(plain, "\x1b") {
			t.Errorf("%s: an escape sequence without colour", c.name)
		}
		if plain != sgr.ReplaceAllString(coloured, "") {
			t.Errorf("%s: colour changed the words", c.name)
		}
		if plain == coloured {
			t.Errorf("%s: no colour where it was asked for", c.name)
		}
	}
}

// No line is wider than a terminal of a hundred columns, none ends in a space.
func TestSummaryKeepsToItsWidth(t *testing.T) {
	for _, c := range stories() {
		for _, l := range strings.Split(summed(t, c.r, SummaryOptions{}), "\n") {
			if n := utf8.RuneCountInString(l); n > SummaryWidth {
				t.Errorf("%s: %d columns: %s", c.name, n, l)
			}
			if strings.TrimRight(l, " ") != l {
				t.Errorf("%s: %q ends in a space", c.name, l)
			}
		}
	}
}

// An expectation that does not hold is read before all that do.
func TestWhatDoesNotHoldComesFirst(t *testing.T) {
	text := summed(t, retryStorm(), SummaryOptions{})
	_, claims, _ := strings.Cut(text, "Expectations: 2 of 3 hold")
	if bad, held := strings.Index(claims, "✗ recovery_time"), strings.Index(claims, "✓"); bad < 0 || held < bad {
		t.Errorf("failed claim at %d, held one at %d", bad, held)
	}
}

// A boundary whose accounts do not add up is named: silence would hide a bug.
func TestBrokenAccountsAreNamed(t *testing.T) {
	r := retryStorm()
	if strings.Contains(summed(t, r, SummaryOptions{}), "do not add up") {
		t.Error("sound accounts are called broken")
	}
	r.Accounts[1].Sent++
	if !strings.Contains(summed(t, r, SummaryOptions{}), "do not add up at services.payments") {
		t.Error("a broken account is not named")
	}
}
