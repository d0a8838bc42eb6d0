package result

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// ColumnName is the metric's name with its unit, as the header of series.csv has
// it: goodput_per_s, latency_p99_ms, queue_count, goodput_share.
func (m Metric) ColumnName() string {
	suffix := map[string]string{"/s": "per_s", "s/s": "s_per_s"}[m.Unit]
	if suffix == "" {
		suffix = m.Unit
	}
	if strings.HasSuffix(m.Name, "_"+suffix) {
		return m.Name
	}
	return m.Name + "_" + suffix
}

// header is the columns of series.csv after t_s and scope: the metrics of fleets,
// then those of services that have no column yet. at is the place of each.
func header() (names []string, at map[string]int) {
	at = map[string]int{}
	for _, m := range append(callerMetrics(), serviceMetrics()...) {
		if _, there := at[m.ColumnName()]; !there {
			at[m.ColumnName()] = len(names)
			names = append(names, m.ColumnName())
		}
	}
	return names, at
}

// metricsOf are the metrics of a kind of scope; none of another word.
func metricsOf(kind string) []Metric {
	switch ScopeKind(kind) {
	case Callers:
		return callerMetrics()
	case Services:
		return serviceMetrics()
	}
	return nil
}

// WriteCSV writes series.csv (RFC 4180): one row for each interval and scope,
// columns t_s, scope and all metrics of fleets, then those that only services have.
// A cell is empty where the value is absent or the metric is of the other kind of
// scope. Numbers
// are written so that reading gives the same bits.
func (s *Series) WriteCSV(w io.Writer) error {
	scopes, curves, err := s.table()
	if err != nil {
		return err
	}
	names, _ := header()
	out := csv.NewWriter(w)
	rows := [][]string{append([]string{"t_s", "scope"}, names...)}
	for i, start := range s.StartS {
		for k, scope := range scopes {
			row := []string{number(start), scope}
			for _, values := range curves[k] {
				row = append(row, cell(values, i))
			}
			rows = append(rows, row)
		}
	}
	if err := out.WriteAll(rows); err != nil {
		return fmt.Errorf("result: series.csv: %w", err)
	}
	return nil
}

// table sorts the columns by scope, in the order in which scopes come first, and
// metric.
func (s *Series) table() (scopes []string, curves [][][]float64, err error) {
	at := map[string]int{}
	number := map[string]int{}
	names, place := header()
	for _, m := range append(callerMetrics(), serviceMetrics()...) {
		number[string(m.Kind)+"."+m.Name] = place[m.ColumnName()]
	}
	for _, c := range s.Columns {
		kind, _, _ := strings.Cut(c.Scope, ".")
		m, known := number[kind+"."+c.Metric]
		if !known || len(c.Values) != len(s.StartS) {
			return nil, nil, fmt.Errorf("result: series.csv: %s of %s with %d values in %d intervals is not of the catalogue",
				c.Metric, c.Scope, len(c.Values), len(s.StartS))
		}
		k, seen := at[c.Scope]
		if !seen {
			k = len(scopes)
			at[c.Scope] = k
			scopes = append(scopes, c.Scope)
			curves = append(curves, make([][]float64, len(names)))
		}
		curves[k][m] = c.Values
	}
	return scopes, curves, nil
}

func cell(values []float64, i int) string {
	if values == nil || math.IsNaN(values[i]) {
		return ""
	}
	return number(values[i])
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// ReadSeriesCSV reads what WriteCSV wrote. Every scope has all columns of its
// kind, as a recorder gives them.
func ReadSeriesCSV(r io.Reader) (Series, error) {
	s := Series{StartS: []float64{}, Columns: []Column{}}
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return s, fmt.Errorf("result: series.csv: %w", err)
	}
	names, place := header()
	if len(rows) == 0 || len(rows[0]) != len(names)+2 {
		return s, fmt.Errorf("result: series.csv: the header is not t_s, scope and the %d metrics of the catalogue", len(names))
	}
	first := map[string]int{}
	for i, row := range rows[1:] {
		if err := s.read(row, place, first); err != nil {
			return s, fmt.Errorf("result: series.csv: line %d: %w", i+2, err)
		}
	}
	return s, nil
}

func (s *Series) read(row []string, place, first map[string]int) error {
	start, err := strconv.ParseFloat(row[0], 64)
	if err != nil {
		return err
	}
	if n := len(s.StartS); n == 0 || s.StartS[n-1] != start {
		s.StartS = append(s.StartS, start)
	}
	kind, _, _ := strings.Cut(row[1], ".")
	at, seen := first[row[1]]
	if !seen {
		at = len(s.Columns)
		first[row[1]] = at
	}
	for _, m := range metricsOf(kind) {
		value := Absent
		if text := row[place[m.ColumnName()]+2]; text != "" {
			if value, err = strconv.ParseFloat(text, 64); err != nil {
				return err
			}
		}
		if !seen {
			s.Columns = append(s.Columns, Column{Scope: row[1], Metric: m.Name})
		}
		s.Columns[at].Values = append(s.Columns[at].Values, value)
		at++
	}
	return nil
}
