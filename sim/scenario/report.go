package scenario

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/resilsim/resilsim/sim/dist"
)

// Finding is one thing that a reader of the file should know: a fault, with
// which there is no scenario, or a warning, with which there is one.
type Finding struct {
	// File as it was named, or the flag whose text it is about ("--set").
	File string
	// Line and Col count from 1, columns in characters; Width characters are meant.
	Line, Col, Width int
	// Path of the setting, in the syntax of --set; empty for the file as a whole.
	Path string
	// Message says what was found and what is allowed.
	Message string
	// Hint says what to write instead; may be empty.
	Hint string
	// Warning marks a finding that does not stop a run.
	Warning bool
	// Text is the line of the file, for the caret.
	Text string
}

// Report is everything that was found in one reading, in the order of the file.
type Report struct {
	Faults   []Finding
	Warnings []Finding
	// Untold faults were found beyond the first MaxFindings.
	Untold int
	// Laws were found from percentiles or data, in the order of the scenario.
	Laws []Law
}

// Law is a time law that was found from what the file says of it.
type Law struct {
	// Path of the setting, in the syntax of --set.
	Path string
	law  dist.Dist
}

// Lines say what was found.
func (l Law) Lines() []string {
	lines := dist.Report(l.law)
	for i := range lines {
		lines[i] = harmless(lines[i])
	}
	return lines
}

// Err returns nil when there is no fault, else one error that names the first
// and says how many there are.
func (r *Report) Err() error {
	if len(r.Faults) == 0 {
		return nil
	}
	f := r.Faults[0]
	more := ""
	if n := len(r.Faults) + r.Untold - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Errorf("scenario: %s:%d:%d: %s%s", f.File, f.Line, f.Col, f.Message, more)
}

// All returns faults and warnings together in the order of the file.
func (r *Report) All() []Finding {
	all := append(append([]Finding{}, r.Faults...), r.Warnings...)
	sortFindings(all)
	return all
}

// Style is how findings are written.
type Style string

// The styles: Text for people, with the line and a caret; GitHub for
// annotations in a workflow's log.
const (
	Text   Style = "text"
	GitHub Style = "github"
)

// Format writes every finding in the given style.
func (r *Report) Format(w io.Writer, style Style) error {
	var b strings.Builder
	for _, f := range r.All() {
		if style == GitHub {
			f.github(&b)
		} else {
			f.text(&b)
		}
	}
	if r.Untold > 0 && style == Text {
		fmt.Fprintf(&b, "and %d more errors\n", r.Untold)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (f Finding) severity() string {
	if f.Warning {
		return "warning"
	}
	return "error"
}

func (f Finding) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s:%d:%d: %s: %s\n", f.File, f.Line, f.Col, f.severity(), f.Message)
	if f.Hint != "" {
		fmt.Fprintf(b, "  hint: %s\n", f.Hint)
	}
	if f.Text == "" {
		return
	}
	line, pad, width := f.excerpt()
	fmt.Fprintf(b, "%4d | %s\n", f.Line, line)
	fmt.Fprintf(b, "     | %s%s\n", pad, strings.Repeat("^", width))
}

// excerptRunes bounds the part of a line that is shown: a line of a megabyte
// helps nobody.
const excerptRunes = 160

func (f Finding) excerpt() (line, pad string, width int) {
	runes := []rune(f.Text)
	start := 0
	if f.Col > excerptRunes {
		start = min(f.Col-1-excerptRunes/2, len(runes))
	}
	end := min(start+excerptRunes, len(runes))
	var p strings.Builder
	for i := start; i < f.Col-1 && i < end; i++ {
		if runes[i] == '\t' {
			p.WriteRune('\t')
		} else {
			p.WriteRune(' ')
		}
	}
	width = max(1, min(f.Width, end-f.Col+1))
	return string(runes[start:end]), p.String(), width
}

func (f Finding) github(b *strings.Builder) {
	text := f.Message
	if f.Hint != "" {
		text += "\nhint: " + f.Hint
	}
	end := f.Col + max(f.Width, 1)
	fmt.Fprintf(b, "::%s file=%s,line=%d,col=%d,endColumn=%d::%s\n", f.severity(),
		escapeProperty(f.File), f.Line, f.Col, end, escapeData(text))
}

// escapeData and escapeProperty follow the workflow commands of GitHub Actions.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escapeData(s))
}

// findings collects while a file is read, at most MaxFindings of each sort.
type findings struct {
	list     []Finding
	faulty   int
	doubtful int
	laws     []Law
}

// law keeps one that was found, for the reader.
func (fs *findings) law(path string, d dist.Dist) {
	switch d.(type) {
	case *dist.Fitted, *dist.Empirical, *dist.Mixture:
		if len(fs.laws) < MaxFindings {
			fs.laws = append(fs.laws, Law{path, d})
		}
	}
}

func (fs *findings) fault(at pos, path, hint, format string, args ...any) {
	if fs.faulty++; fs.faulty <= MaxFindings {
		fs.list = append(fs.list, at.finding(path, hint, fmt.Sprintf(format, args...)))
	}
}

func (fs *findings) warn(at pos, path, hint, format string, args ...any) {
	if fs.doubtful++; fs.doubtful <= MaxFindings {
		f := at.finding(path, hint, fmt.Sprintf(format, args...))
		f.Warning = true
		fs.list = append(fs.list, f)
	}
}

func (fs *findings) faults() int { return fs.faulty }

func (fs *findings) report() *Report {
	sortFindings(fs.list)
	r := &Report{Untold: max(0, fs.faulty-MaxFindings), Laws: fs.laws}
	for i, f := range fs.list {
		if i > 0 && f == fs.list[i-1] {
			continue
		}
		if f.Warning {
			r.Warnings = append(r.Warnings, f)
		} else {
			r.Faults = append(r.Faults, f)
		}
	}
	return r
}

func sortFindings(list []Finding) {
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		if a.File != b.File {
			return a.File < b.File
		}
		if strings.HasPrefix(a.File, "--") {
			return false // flags have one line each: their order is that of the command line
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
}

func width(s string) int { return utf8.RuneCountInString(s) }
