package experiment_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// validationPage is written by the tests themselves with -update.
var validationPage = filepath.Join("..", "..", "docs", "background", "validation.md")

func init() {
	if flag.Lookup("update") == nil {
		flag.Bool("update", false, "write generated files anew")
	}
}

func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

// pageRow is one line of a table of the page.
type pageRow struct {
	Case, Quantity, Theory, Ours, Interval string
	Holds                                  bool
}

// place is where a row belongs.
type place struct{ id, quantity string }

var pageLock sync.Mutex

// note keeps a row, and with -update puts it on the page. Rows of tests that do
// not run stay what they were.
func note(t *testing.T, r pageRow) {
	t.Helper()
	t.Logf("%s %s: theory %s, ours %s, interval %s", r.Case, r.Quantity, r.Theory, r.Ours, r.Interval)
	if !updating() || !full() {
		return
	}
	pageLock.Lock()
	defer pageLock.Unlock()
	rows := readPage(t)
	rows[place{r.Case, r.Quantity}] = r
	if err := os.WriteFile(validationPage, renderPage(t, rows), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readPage parses the rows of the page; none if there is no page yet.
func readPage(t *testing.T) map[place]pageRow {
	t.Helper()
	rows := map[place]pageRow{}
	text, err := os.ReadFile(validationPage)
	if os.IsNotExist(err) {
		return rows
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 6 || !strings.HasPrefix(cells[0], "| ") || cells[0] == "| case" {
			continue
		}
		r := pageRow{Case: strings.TrimPrefix(cells[0], "| "), Quantity: cells[1], Theory: cells[2], Ours: cells[3],
			Interval: cells[4], Holds: cells[5] == "yes |"}
		rows[place{r.Case, r.Quantity}] = r
	}
	return rows
}

// TestValidationPageListsEveryTheory reads the page and wants a row that holds for
// each known answer, with the same value, and no other rows.
func TestValidationPageListsEveryTheory(t *testing.T) {
	if updating() {
		return
	}
	rows := readPage(t)
	for _, section := range pageSections(t) {
		for _, want := range section.rows {
			at := place{want.Case, want.Quantity}
			got, ok := rows[at]
			switch {
			case !ok:
				t.Errorf("no row for %s %s: run RESILSIM_FULL=1 go test ./sim/experiment -timeout 60m -run Theory -update", want.Case, want.Quantity)
			case got.Theory != want.Theory:
				t.Errorf("%s %s: the page says %s, theory %s", want.Case, want.Quantity, got.Theory, want.Theory)
			case !got.Holds && !want.Holds:
				t.Errorf("%s %s does not hold on the page", want.Case, want.Quantity)
			}
			delete(rows, at)
		}
	}
	for at := range rows {
		t.Errorf("the page has a row %s %s that no data file has", at.id, at.quantity)
	}
}

// pageSection is a table: its rows carry the theory, the tests fill in the rest.
type pageSection struct {
	title, text string
	rows        []pageRow
}

func renderPage(t *testing.T, rows map[place]pageRow) []byte {
	t.Helper()
	var b strings.Builder
	b.WriteString(pageHead)
	for _, s := range pageSections(t) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", s.title, s.text)
		b.WriteString("| case | quantity | theory | ours | 99.99 % interval | holds |\n|---|---|---|---|---|---|\n")
		for _, want := range s.rows {
			r, ok := rows[place{want.Case, want.Quantity}]
			if !ok {
				continue
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.Case, r.Quantity, want.Theory, r.Ours, r.Interval, yesNo(r.Holds))
		}
	}
	return []byte(b.String())
}

const pageHead = `# Validation

What the simulator gives for systems whose answers are known. This page is written by the tests that
decide it (` + "`RESILSIM_FULL=1 go test ./sim/experiment -timeout 60m -run Theory -update`" + `); ` + "`go test ./...`" + ` runs a
quarter of each plan and one seed of each incident, the same ones, ` + "`make validate`" + ` the whole of it.
Every run drives the library's own patterns through the same models that a scenario uses.
`

func yesNo(holds bool) string {
	if holds {
		return "yes"
	}
	return "no"
}

// figure writes six digits, enough to compare and few enough to read.
func figure(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func spread(mean, halfWidth float64) string {
	if halfWidth <= 1e-9*max(mean, -mean) {
		return "exact"
	}
	return fmt.Sprintf("%s to %s", figure(mean-halfWidth), figure(mean+halfWidth))
}

// closedSection lists the quantities of a file of closed forms.
func closedSection(t *testing.T, file, title, text string) pageSection {
	t.Helper()
	s := pageSection{title: title, text: text}
	var titles []string
	for _, c := range theoryCases(t, file) {
		titles = append(titles, fmt.Sprintf("%s is %s (%s)", c.ID, c.Title, c.Method))
		for _, q := range c.Quantities {
			s.rows = append(s.rows, pageRow{Case: c.ID, Quantity: q.Name, Theory: figure(q.Value)})
		}
	}
	s.text += "\n\n- " + strings.Join(slices.Clip(titles), "\n- ")
	return s
}
