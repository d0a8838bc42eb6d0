package scenario

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// MaxDataBytes of a data file that a scenario names.
	MaxDataBytes = 16 << 20
	maxTimes     = 1_000_000
	maxCounts    = 100_000
	// maxInline values are written into a resolved scenario; of more the file is named.
	maxInline = 2000
)

// ReadData reads a data file that a scenario names, at most MaxDataBytes. It refuses
// what ReadFile does.
func ReadData(path string) ([]byte, error) {
	if bad := special(path); bad != nil {
		return nil, bad
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxDataBytes+1))
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	if len(text) > MaxDataBytes {
		return nil, unfit(path, "", "the file is larger than 16 MiB, the most a data file may have")
	}
	return text, nil
}

// trace reads recorded load from a list or a file.
func (b *builder) trace(f *Fleet, v *value) {
	if v.broken {
		return
	}
	kind, list := v.chosen(traceShape())
	t := &Trace{}
	f.Sources.Trace = t
	if kind == "times" {
		for _, only := range []string{"every", "spread"} {
			if v.get(only) != nil {
				b.fs.fault(v.at(only), join(v.path, only), "", "'%s' belongs to 'counts'", only)
			}
		}
	} else {
		t.Every, t.Even = v.duration("every", time.Minute), v.text("spread", "poisson") == "even"
	}
	for _, item := range list.items {
		t.Times, t.Counts = append(t.Times, item.dur), append(t.Counts, item.whole)
	}
	if list.node.kind == scalarNode {
		b.readTrace(t, kind, list, v.text("column", "1"))
	} else if v.get("column") != nil {
		b.fs.fault(v.at("column"), join(v.path, "column"), "", "a list has no columns")
	}
	if kind == "times" {
		t.Counts = nil
		slices.Sort(t.Times)
		return
	}
	t.Times = nil
	f.Arrivals.Curve = t.curve()
}

// curve is the counts as rates, and nothing after the last.
func (t *Trace) curve() []RatePoint {
	curve := []RatePoint{{}}
	for i, n := range t.Counts {
		p := RatePoint{At: time.Duration(i) * t.Every, Rate: float64(n) / t.Every.Seconds()}
		if i == 0 {
			curve[0] = p
		} else if p.Rate != curve[len(curve)-1].Rate {
			curve = append(curve, p)
		}
	}
	if end := time.Duration(len(t.Counts)) * t.Every; end > 0 && curve[len(curve)-1].Rate > 0 {
		curve = append(curve, RatePoint{At: end})
	}
	return curve
}

// readTrace fills a trace from the file that a value names.
func (b *builder) readTrace(t *Trace, kind string, v *value, column string) {
	if b.data == nil {
		b.fs.fault(v.node.pos, v.path, "", "there are no files to read here: '%s'", clip(v.word))
		return
	}
	text, err := b.data(v.word)
	if err != nil {
		b.fs.fault(v.node.pos, v.path, "a path is relative to the scenario's file", "'%s' cannot be read: %s", clip(v.word), plainError(err))
		return
	}
	r := traceReader{fs: b.fs, src: newSource(v.word, text), times: kind == "times", column: column, t: t}
	if r.read(text); len(t.Times)+len(t.Counts) > maxInline {
		t.File, t.Column = v.word, column
	}
}

func plainError(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return strings.TrimPrefix(err.Error(), "scenario: ")
}

// traceReader reads one column of a CSV file.
type traceReader struct {
	fs     *findings
	src    *source
	csv    *csv.Reader
	times  bool
	column string
	at     int // place of the column
	t      *Trace
	stamps []time.Time
	bad    int
}

func (r *traceReader) read(text []byte) {
	r.csv = csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	r.csv.FieldsPerRecord, r.csv.ReuseRecord, r.csv.TrimLeadingSpace, r.csv.Comment = -1, true, true, '#'
	for row := 0; ; row++ {
		fields, err := r.csv.Read()
		if err == io.EOF {
			break
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			r.fault(syntax.Line, syntax.Column, "", "this is not CSV: %s", syntax.Err)
			return
		}
		if row == 0 && r.head(fields) {
			continue
		}
		if !r.row(fields) {
			return
		}
	}
	r.since()
	if r.bad == 0 && len(r.t.Times)+len(r.t.Counts) == 0 {
		r.fault(1, 1, "", "there are no values in this file")
	}
}

// head reports whether the first row names the columns, and finds the one that is meant.
func (r *traceReader) head(fields []string) bool {
	if n, err := strconv.Atoi(r.column); err == nil {
		r.at = n - 1
		_, fault := r.value(fields)
		return fault != ""
	}
	for i, name := range fields {
		if strings.TrimSpace(name) == r.column {
			r.at = i
			return true
		}
	}
	r.at = -1
	r.fault(1, 1, meant(r.column, "there are", slices.Clone(fields)), "there is no column '%s' in the head line", clip(r.column))
	return true
}

// row keeps a row's value; false: it is not worth reading on.
func (r *traceReader) row(fields []string) bool {
	if r.at < 0 {
		return false
	}
	x, fault := r.value(fields)
	if fault != "" {
		line, col := r.csv.FieldPos(min(r.at, len(fields)-1))
		r.fault(line, col, "", "%s", fault)
		return r.bad < 10
	}
	most := maxCounts
	switch {
	case r.times:
		most = maxTimes
		if stamp, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(fields[r.at])); err == nil {
			r.stamps = append(r.stamps, stamp)
		} else {
			r.t.Times = append(r.t.Times, time.Duration(math.RoundToEven(x*1e9)))
		}
	default:
		r.t.Counts = append(r.t.Counts, uint64(x))
	}
	if len(r.t.Times)+len(r.t.Counts)+len(r.stamps) > most {
		line, _ := r.csv.FieldPos(0)
		r.fault(line, 1, "", "a trace may have at most %d values", most)
		return false
	}
	return true
}

// value reads the column of a row, or says what is wrong with it.
func (r *traceReader) value(fields []string) (x float64, fault string) {
	if r.at < 0 || r.at >= len(fields) {
		return 0, fmt.Sprintf("there is no column %s in this row of %d", r.column, len(fields))
	}
	text := strings.TrimSpace(fields[r.at])
	if _, err := time.Parse(time.RFC3339Nano, text); err == nil && r.times && len(r.t.Times) == 0 {
		return 0, ""
	}
	x, bad := readNumber(text)
	switch {
	case bad != nil && r.times:
		return 0, fmt.Sprintf("'%s' is neither a number of seconds nor a timestamp", clip(text))
	case bad != nil:
		return 0, bad.message
	case r.times && len(r.stamps) > 0:
		return 0, fmt.Sprintf("'%s' is a number, but the rows before have timestamps", clip(text))
	case x < 0:
		return 0, fmt.Sprintf("'%s' is below 0", clip(text))
	case r.times && x > maxSpanS:
		return 0, fmt.Sprintf("'%s' is more than 1000h after the beginning", clip(text))
	case !r.times && (x != math.Trunc(x) || x > 1e9):
		return 0, fmt.Sprintf("'%s' is not a whole number up to 1000000000", clip(text))
	}
	return x, ""
}

// since counts timestamps from the earliest.
func (r *traceReader) since() {
	if len(r.stamps) == 0 {
		return
	}
	first := r.stamps[0]
	for _, s := range r.stamps {
		if s.Before(first) {
			first = s
		}
	}
	for _, s := range r.stamps {
		r.t.Times = append(r.t.Times, s.Sub(first))
	}
}

func (r *traceReader) fault(line, col int, hint, format string, args ...any) {
	r.bad++
	r.fs.fault(pos{src: r.src, line: line, col: col, width: 1}, "", hint, format, args...)
}
