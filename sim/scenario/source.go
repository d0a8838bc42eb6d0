package scenario

import (
	"strings"
	"unicode/utf8"
)

// pos is where something stands, in which text.
type pos struct {
	src              *source
	line, col, width int
}

func (p pos) finding(path, hint, message string) Finding {
	f := Finding{File: "scenario", Line: max(p.line, 1), Col: max(p.col, 1), Width: max(p.width, 1),
		Path: harmless(path), Message: harmless(message), Hint: harmless(hint)}
	if p.src != nil {
		f.File, f.Text = p.src.name, p.src.line(f.Line)
	}
	return f
}

// within moves a position into the text that starts there.
func (p pos) within(offset, width int) pos {
	p.col += offset
	p.width = width
	return p
}

// source is a text with a name.
type source struct {
	name  string
	lines []string
	// shown is the line that was asked for last: findings come in bunches, and a
	// line may be long.
	shown     string
	shownLine int
}

func newSource(name string, text []byte) *source {
	return &source{name: name, lines: strings.Split(string(text), "\n")}
}

func (s *source) line(n int) string {
	if n < 1 || n > len(s.lines) {
		return ""
	}
	if s.shownLine != n {
		s.shownLine, s.shown = n, harmless(strings.TrimRight(s.lines[n-1], "\r"))
	}
	return s.shown
}

// harmless keeps what a file holds from commanding the terminal that shows it.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r':
			return ' '
		case r == utf8.RuneError || !printable(r):
			return '?'
		}
		return r
	}, s)
}
