package reports

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/resilsim/resilsim/sim/result"
)

// Terminal colours, as SGR parameters.
const (
	bold  = "1"
	faint = "2"
	good  = "32"
	warn  = "33"
	bad   = "31"
)

// page is a text for a terminal in the making.
type page struct {
	strings.Builder
	colour bool
}

// paint puts text in a colour, if colours are wanted.
func (p *page) paint(code, text string) string {
	if !p.colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *page) line(text string) { p.WriteString(strings.TrimRight(text, " ") + "\n") }

// heading stands after an empty line. Its text may be painted in part already.
func (p *page) heading(text string) {
	if !strings.Contains(text, "\x1b") {
		text = p.paint(bold, text)
	}
	p.line("\n" + text)
}

// fact is a line with its subject in a narrow first column; continued below
// itself where it is long. Nothing is written for an empty one.
func (p *page) fact(subject, text string) {
	if text == "" {
		return
	}
	const column = 12
	for i, l := range fill(text, SummaryWidth-column, 3) {
		if i > 0 {
			subject = ""
		}
		p.line(fmt.Sprintf("  %-*s%s", column-2, subject, l))
	}
}

// visibleLen counts the letters of a text without its colours.
func visibleLen(text string) int {
	n := utf8.RuneCountInString(text)
	for {
		i := strings.Index(text, "\x1b[")
		if i < 0 {
			return n
		}
		k := strings.IndexByte(text[i:], 'm')
		if k < 0 {
			return n
		}
		n -= k + 1
		text = text[i+k+1:]
	}
}

// fill breaks text into at most n lines of a width; what is left is cut with
// an ellipsis.
func fill(text string, width, n int) []string {
	var lines []string
	line := ""
	words := strings.Fields(text)
	for i, w := range words {
		if visibleLen(w) > width {
			w = crop(w, width)
		}
		switch {
		case line == "":
			line = w
		case visibleLen(line)+1+visibleLen(w) <= width:
			line += " " + w
		case len(lines) == n-1:
			return append(lines, crop(line+" "+strings.Join(words[i:], " "), width))
		default:
			lines = append(lines, line)
			line = w
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// crop cuts text without colours to a number of letters.
func crop(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:max(0, width-1)]) + "…"
}

// table aligns cells in columns.
type table struct {
	right []bool
	rows  [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// lines lays the table out with two spaces between columns. Where it is wider
// than asked for, the columns of words are cut, the widest first.
func (t *table) lines(width int) []string {
	widths := t.widths(width)
	var out []string
	for _, r := range t.rows {
		var b strings.Builder
		for i, cell := range r {
			cell = crop(cell, widths[i])
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i > 0 {
				b.WriteString("  ")
			}
			if t.right[i] {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

func (t *table) widths(width int) []int {
	widths := make([]int, len(t.right))
	total := 2 * (len(widths) - 1)
	for _, r := range t.rows {
		for i, cell := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, w := range widths {
		total += w
	}
	for ; total > width; total-- {
		widest := -1
		for i, w := range widths {
			if !t.right[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 || widths[widest] <= 6 {
			break
		}
		widths[widest]--
	}
	return widths
}

// impact tells where the requests went at each boundary.
func (p *page) impact(accounts []result.Account) {
	if len(accounts) == 0 {
		return
	}
	p.heading("Impact (requests of callers, attempts at services)")
	t := table{right: []bool{false, true, true, true, true, true, true, true}}
	t.row("", "sent", "answered", "fallback", "failed", "refused", "abandoned", "in flight")
	var broken, reasons []string
	for _, a := range accounts {
		t.row(clean(a.Boundary), count(a.Sent), count(a.Answered), count(a.Degraded), count(a.Failed), count(a.Refused),
			count(a.Abandoned), count(a.InFlight))
		if !a.Holds() {
			broken = append(broken, clean(a.Boundary))
		}
		reasons = append(reasons, reasonLines(a)...)
	}
	for _, l := range t.lines(SummaryWidth - 2) {
		p.line("  " + l)
	}
	for _, l := range reasons {
		p.line("  " + l)
	}
	for _, b := range broken {
		p.line("  " + p.paint(bad, "the accounts do not add up at "+crop(b, 60)))
	}
}

// count writes small numbers in full and those beyond a thousand million short.
func count(n uint64) string {
	if n >= 1e9 {
		return si(float64(n))
	}
	return grouped(n)
}

// reasonLines say why requests of one boundary ended badly, and what share of
// the work was for nobody.
func reasonLines(a result.Account) []string {
	var parts []string
	for _, c := range a.Reasons {
		if c.N > 0 {
			parts = append(parts, fmt.Sprintf("%s %s: %s", clean(c.Kind), clean(c.Reason), count(c.N)))
		}
	}
	if a.WorkS > 0 && a.WastedS > 0 {
		parts = append(parts, fmt.Sprintf("work for callers that had gone: %s of %s", percent(a.WastedS/a.WorkS), span(a.WorkS)))
	}
	if len(parts) == 0 {
		return nil
	}
	lines := fill(crop(clean(a.Boundary), 40)+": "+strings.Join(parts, "; "), SummaryWidth-4, 4)
	for i := 1; i < len(lines); i++ {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// latency tells how long answered calls and attempts took.
func (p *page) latency(rows []result.LatencyRow) {
	if len(rows) == 0 {
		return
	}
	p.heading("Latency (answered only)")
	t := table{right: []bool{false, false, true, true, true, true, true, true, true}}
	t.row("", "", "count", "mean", "p50", "p90", "p99", "p99.9", "max")
	for _, r := range rows {
		t.row(clean(r.Scope), clean(r.Kind), count(r.Count), latencyCell(r.MeanMS), latencyCell(r.P50MS), latencyCell(r.P90MS),
			latencyCell(r.P99MS), latencyCell(r.P999MS), latencyCell(r.MaxMS))
	}
	for _, l := range t.lines(SummaryWidth - 2) {
		p.line("  " + l)
	}
}

func latencyCell(ms *float64) string {
	if ms == nil {
		return "-"
	}
	return milliseconds(*ms)
}
