package result

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// WriteEventsCSV writes events.csv: the timeline, one row for each line of it.
func WriteEventsCSV(w io.Writer, events []Event) error {
	rows := [][]string{{"t_s", "source", "subject", "what", "detail", "marker"}}
	for _, e := range events {
		rows = append(rows, []string{number(e.TS), e.Source, e.Subject, e.What, e.Detail, strconv.FormatBool(e.Marker)})
	}
	return writeRows(w, "events.csv", rows)
}

// WriteHistogramsCSV writes histograms.csv: one row for each class of latency
// with calls in it.
func WriteHistogramsCSV(w io.Writer, histograms []HistogramRow) error {
	rows := [][]string{{"t_s", "scope", "le_ms", "count"}}
	for _, h := range histograms {
		rows = append(rows, []string{number(h.TS), h.Scope, number(h.LeMS), strconv.FormatUint(h.Count, 10)})
	}
	return writeRows(w, "histograms.csv", rows)
}

func writeRows(w io.Writer, file string, rows [][]string) error {
	if err := csv.NewWriter(w).WriteAll(rows); err != nil {
		return fmt.Errorf("result: %s: %w", file, err)
	}
	return nil
}

// ReadHistogramsCSV reads what WriteHistogramsCSV wrote.
func ReadHistogramsCSV(r io.Reader) ([]HistogramRow, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = 4
	rows, err := in.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("result: histograms.csv: %w", err)
	}
	out := []HistogramRow{}
	for i, row := range rows[min(1, len(rows)):] {
		h := HistogramRow{Scope: row[1]}
		var errs [3]error
		h.TS, errs[0] = strconv.ParseFloat(row[0], 64)
		h.LeMS, errs[1] = strconv.ParseFloat(row[2], 64)
		h.Count, errs[2] = strconv.ParseUint(row[3], 10, 64)
		for _, err := range errs {
			if err != nil {
				return nil, fmt.Errorf("result: histograms.csv: line %d: %w", i+2, err)
			}
		}
		out = append(out, h)
	}
	return out, nil
}
