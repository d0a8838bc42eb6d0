package main

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/resilsim/resilsim/reports"
	"github.com/resilsim/resilsim/sim/result"
)

// stdout as the file of an export.
const stdout = "-"

// export is one -o FORMAT=FILE.
type export struct {
	format string
	file   string
}

// formats write one view of a result each.
var formats = map[string]func(io.Writer, *result.Result) error{
	"json": func(w io.Writer, r *result.Result) error { return r.WriteJSON(w) },
	"csv":  func(w io.Writer, r *result.Result) error { return r.Series.WriteCSV(w) },
	"svg":  func(w io.Writer, r *result.Result) error { return draw(w, r, (*reports.Figure).SVG) },
	"png":  func(w io.Writer, r *result.Result) error { return draw(w, r, (*reports.Figure).PNG) },
}

var formatNames = []string{"json", "csv", "svg", "png"}

func draw(w io.Writer, r *result.Result, how func(*reports.Figure, io.Writer) error) error {
	figure, err := reports.Incident(r, reports.Options{})
	if err != nil {
		return err
	}
	return how(figure, w)
}

func parseExports(texts []string) ([]export, error) {
	var out []export
	for _, text := range texts {
		format, file, found := strings.Cut(text, "=")
		if !found || file == "" {
			return nil, badInput("-o %s: write FORMAT=FILE, for example json=result.json", text)
		}
		if !slices.Contains(formatNames, format) {
			return nil, badInput("-o %s: there is no format '%s'%s\n  hint: %s", text, format, meant(format, formatNames), strings.Join(formatNames, ", "))
		}
		if file == "/dev/stdout" || file == "/dev/fd/1" {
			file = stdout
		}
		if file == stdout && slices.ContainsFunc(out, export.toStdout) {
			return nil, badInput("-o %s: standard output can be written only once", text)
		}
		out = append(out, export{format, file})
	}
	return out, nil
}

func (e export) toStdout() bool { return e.file == stdout }

// deliver writes an export. A FIFO waits for its reader, a pipe for room: until a signal.
func (a *app) deliver(ctx context.Context, e export, r *result.Result) error {
	if !e.toStdout() && !result.InPlace(e.file) {
		return e.write(a.out, r)
	}
	doing := "while " + e.format + "=" + e.file + " was written"
	return interruptible(ctx, doing, func() error { return e.write(a.out, r) })
}

// write puts an export where it belongs; a file is whole or as it was.
func (e export) write(w io.Writer, r *result.Result) error {
	var b bytes.Buffer
	if err := formats[e.format](&b, r); err != nil {
		return err
	}
	if e.file != stdout {
		return result.WriteFile(e.file, b.Bytes())
	}
	_, err := w.Write(b.Bytes())
	return err
}
