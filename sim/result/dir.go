package result

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// The files of a result directory.
const (
	ResultFile     = "result.json"
	SeriesFile     = "series.csv"
	EventsFile     = "events.csv"
	HistogramsFile = "histograms.csv"
	ScenarioFile   = "scenario.yaml"
)

// WriteDir writes a result directory, which it creates if need be. Each file
// appears whole or not at all, and result.json comes last: where it is, the others
// are of the same run.
func WriteDir(dir string, r *Result) error {
	files := []struct {
		name  string
		write func(io.Writer) error
	}{
		{ScenarioFile, func(w io.Writer) error { _, err := w.Write(r.Spec); return err }},
		{SeriesFile, r.Series.WriteCSV},
		{EventsFile, func(w io.Writer) error { return WriteEventsCSV(w, r.Timeline) }},
		{HistogramsFile, func(w io.Writer) error { return WriteHistogramsCSV(w, r.Histograms) }},
		{ResultFile, r.WriteJSON},
	}
	texts := make([]bytes.Buffer, len(files))
	for i, f := range files {
		if err := f.write(&texts[i]); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("result: cannot create the directory %s: %w", dir, err)
	}
	for i, f := range files {
		if err := WriteFile(filepath.Join(dir, f.name), texts[i].Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// WriteFile puts a file into its place in one step: it is written beside it and
// then renamed, so that a reader sees the old one or the new one.
func WriteFile(path string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("result: cannot write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
			err = fmt.Errorf("result: cannot write %s: %w", path, err)
		}
	}()
	_, err = f.Write(text)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}

// ReadDir reads what WriteDir wrote.
func ReadDir(dir string) (*Result, error) {
	texts := map[string][]byte{}
	for _, name := range []string{ResultFile, SeriesFile, HistogramsFile, ScenarioFile} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, fmt.Errorf("result: %s is not a result directory: %w", dir, err)
		}
		texts[name] = text
	}
	r, err := ReadJSON(texts[ResultFile])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if r.Series, err = ReadSeriesCSV(bytes.NewReader(texts[SeriesFile])); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if r.Histograms, err = ReadHistogramsCSV(bytes.NewReader(texts[HistogramsFile])); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	r.Spec = texts[ScenarioFile]
	return r, nil
}
