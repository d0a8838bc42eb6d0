package dist

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// What a file of values may cost to read.
const (
	// DataBytes of one file.
	DataBytes = 8 << 20
	// DataLines of one file.
	DataLines = 500_000
)

// LineError is a fault of a file of values, with its place.
type LineError struct {
	// Line and Col count from 1, columns in bytes; Width bytes are meant.
	Line, Col, Width int
	// Message says what was found; Hint what to write instead, may be empty.
	Message, Hint string
}

// Error names the line and says what is wrong there.
func (e *LineError) Error() string { return fmt.Sprintf("dist: line %d: %s", e.Line, e.Message) }

// field is a part of a line and where it begins.
type field struct {
	text string
	line int
	col  int
}

func (f field) fault(hint, format string, args ...any) *LineError {
	return &LineError{Line: f.line, Col: f.col, Width: max(1, len(f.text)), Message: fmt.Sprintf(format, args...), Hint: hint}
}

// eachLine calls read for each line with something on it, without the spaces around
// it, until it ends or read finds a fault.
func eachLine(text []byte, read func(line field) *LineError) *LineError {
	if len(text) > DataBytes {
		return field{line: 1, col: 1}.fault("", "the file has %d bytes; at most %d are read", len(text), DataBytes)
	}
	n := 0
	for line := range strings.SplitSeq(string(text), "\n") {
		n++
		if n > DataLines {
			return field{line: n, col: 1}.fault("count equal values together, as value,weight", "there are more than %d lines", DataLines)
		}
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		f := within(line, 0, len(line), n)
		if f.text == "" {
			continue
		}
		if bad := read(f); bad != nil {
			return bad
		}
	}
	return nil
}

// within is the part of a line from a byte to another, without spaces.
func within(line string, from, to, n int) field {
	for from < to && space(line[from]) {
		from++
	}
	for to > from && space(line[to-1]) {
		to--
	}
	return field{line[from:to], n, from + 1}
}

func space(b byte) bool { return b == ' ' || b == '\t' || b == '\r' }

// number reads a plain decimal number of at least 0.
func (f field) number(what string) (float64, *LineError) {
	plain := f.text != "" && strings.Trim(f.text, "0123456789.eE+-") == ""
	x, err := strconv.ParseFloat(f.text, 64)
	switch {
	case !plain || err != nil || math.IsInf(x, 0) || math.IsNaN(x):
		return 0, f.fault("", "%s is '%s'; it must be a number", what, clip(f.text))
	case x < 0:
		return 0, f.fault("", "%s is %s; it must be at least 0", what, clip(f.text))
	}
	return x, nil
}

// duration reads a time with its unit, or a number of units.
func (f field) duration(unit time.Duration) (time.Duration, *LineError) {
	const hint = "write 20ms, or say 'unit: ms' beside the file's name"
	if strings.Trim(f.text, "0123456789.eE+-") != "" {
		d, err := time.ParseDuration(f.text)
		if err != nil {
			return 0, f.fault(hint, "the value is '%s'; it must be a time", clip(f.text))
		}
		return d, f.fits(float64(d))
	}
	x, bad := f.number("the value")
	if bad != nil {
		return 0, bad
	}
	if unit == 0 && x != 0 {
		return 0, f.fault(hint, "the value '%s' has no unit", clip(f.text))
	}
	x *= float64(unit)
	return nanoseconds(x), f.fits(x)
}

func (f field) fits(x float64) *LineError {
	if x < 0 || x > float64(Longest) {
		return f.fault("", "the value is %s; it must be from 0 to %v", clip(f.text), Longest)
	}
	return nil
}

// clip shortens what a message repeats.
func clip(s string) string {
	const most = 40
	s = strings.ToValidUTF8(s, "?")
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}
