package dist

import (
	"strings"
	"time"
)

// ReadCSV reads values, one a line, each alone or with its weight behind a comma, a
// semicolon or a tab. A value is a time with its unit (20ms), or a number of units
// where unit is not 0. A first line of words is a heading; empty lines and lines
// that begin with # are left out. The error is a *LineError.
func ReadCSV(text []byte, unit time.Duration) ([]Weighted, error) {
	var out []Weighted
	first := true
	bad := eachLine(text, func(line field) *LineError {
		if line.text[0] == '#' {
			return nil
		}
		heading := first && line.words()
		first = false
		if heading {
			return nil
		}
		p, bad := line.weighted(unit)
		out = append(out, p)
		return bad
	})
	if bad == nil && len(out) == 0 {
		bad = field{line: 1, col: 1}.fault("write one value a line: 20ms, or 20ms,3", "there is no value in the file")
	}
	if bad != nil {
		return nil, bad
	}
	return out, nil
}

// words reports whether a line is a heading: it begins with a letter that no number
// and no time begins with.
func (f field) words() bool {
	start := strings.ToLower(strings.TrimLeft(f.text, `"'`))
	return start != "" && start[0] >= 'a' && start[0] <= 'z' && !strings.HasPrefix(start, "nan") && !strings.HasPrefix(start, "inf")
}

// parts splits a line at the one separator that it uses.
func (f field) parts() []field {
	sep := ","
	for _, s := range []string{";", "\t"} {
		if strings.Contains(f.text, s) {
			sep = s
			break
		}
	}
	var out []field
	at := 0
	for part := range strings.SplitSeq(f.text, sep) {
		p := within(f.text, at, at+len(part), f.line)
		p.col += f.col - 1
		out = append(out, p)
		at += len(part) + len(sep)
	}
	return out
}

func (f field) weighted(unit time.Duration) (Weighted, *LineError) {
	parts := f.parts()
	if len(parts) > 2 {
		return Weighted{}, parts[2].fault("keep the column of the times, and that of the weights if there is one",
			"a line holds a value, or a value and its weight; this one has %d columns", len(parts))
	}
	value, bad := parts[0].duration(unit)
	if bad != nil || len(parts) == 1 {
		return Weighted{value, 1}, bad
	}
	weight, bad := parts[1].number("the weight")
	if bad == nil && weight > weightMax {
		bad = parts[1].fault("", "the weight is %s; it must be at most %g", clip(parts[1].text), weightMax)
	}
	return Weighted{value, weight}, bad
}
