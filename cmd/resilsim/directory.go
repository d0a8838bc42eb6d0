package main

import (
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
	for _, e := range exports {
		if e.file == stdout {
			continue
		}
		if err := writable(e.file); err != nil {
			return undo, err
		}
	}
	if out == "" {
		return undo, nil
	}
	return makeDir(out)
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

// writeDir writes a result directory, the data before the figures.
func writeDir(dir string, r *result.Result) error {
	if err := result.WriteDir(dir, r); err != nil {
		return err
	}
	for _, file := range figureFiles(dir) {
		e := export{format: strings.TrimPrefix(filepath.Ext(file), "."), file: file}
		if err := e.write(nil, r); err != nil {
			return err
		}
	}
	return nil
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
