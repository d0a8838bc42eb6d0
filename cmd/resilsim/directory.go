package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// prepare finds out before the run whether everything can be written. The undo
// that it returns takes back an empty directory that it made.
func prepare(out string, exports []export) (undo func() error, err error) {
	undo = func() error { return nil }
	if out != "" { // first: an export may go into it
		if undo, err = makeDir(out); err != nil {
			return undo, err
		}
	}
	for _, e := range exports {
		if e.file == stdout {
			continue
		}
		if err := writable(e.file); err != nil {
			return undo, errors.Join(err, undo())
		}
	}
	return undo, nil
}

// makeDir makes a result directory and proves that it can be written.
func makeDir(dir string) (undo func() error, err error) {
	undo = func() error { return nil }
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		undo = func() error { return removeIfEmpty(dir) }
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return undo, fmt.Errorf("--out %s cannot be written: %w", dir, reason(err))
	}
	for _, file := range append(dataFiles(dir), figureFiles(dir)...) {
		if err := writable(file); err != nil {
			return undo, errors.Join(err, undo())
		}
	}
	return undo, nil
}

func removeIfEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		return err
	}
	return os.Remove(dir)
}

// dataFiles and figureFiles are what a result directory holds.
func dataFiles(dir string) []string {
	return within(dir, result.ResultFile, result.SeriesFile, result.EventsFile, result.HistogramsFile, result.ScenarioFile)
}

func figureFiles(dir string) []string { return within(dir, "figure.svg", "figure.png") }

func within(dir string, names ...string) []string {
	for i := range names {
		names[i] = filepath.Join(dir, names[i])
	}
	return names
}

// writeDir writes a result directory, the figures with the data.
func writeDir(dir string, r *result.Result) error {
	var figures []result.Extra
	for _, file := range figureFiles("") {
		var text bytes.Buffer
		if err := formats[strings.TrimPrefix(filepath.Ext(file), ".")](&text, r); err != nil {
			return err
		}
		figures = append(figures, result.Extra{Name: file, Text: text.Bytes()})
	}
	return result.WriteDir(dir, r, figures...)
}

// written lists every file, for the summary.
func written(out string, exports []export) []string {
	var files []string
	if out != "" {
		files = append(figureFiles(out), dataFiles(out)...)
	}
	for _, e := range exports {
		files = append(files, e.file)
	}
	return files
}
