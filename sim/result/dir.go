package result

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// Extra is one more file of a result directory, a figure.
type Extra struct {
	Name string
	Text []byte
}

// WriteDir writes a result directory, which it creates if need be. Where
// result.json is, the others are of the same run: all files are written beside
// their places first, so that a full disk leaves an older result as it was; then
// the old result.json goes, and the new one comes last.
func WriteDir(dir string, r *Result, extras ...Extra) error {
	files, err := r.files()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("result: cannot create the directory %s: %w", dir, err)
	}
	var set []*staged
	defer func() {
		for _, s := range set {
			s.drop()
		}
	}()
	for _, f := range append(extras, files...) {
		s, err := stage(filepath.Join(dir, f.Name), f.Text)
		if err != nil {
			return err
		}
		set = append(set, s)
	}
	if mark := set[len(set)-1]; mark.temp != "" {
		if err := os.Remove(mark.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannotWrite(mark.path, err)
		}
	}
	for _, s := range set {
		if err := s.settle(); err != nil {
			return err
		}
	}
	return nil
}

// files are the texts of a result directory, the mark of a whole set last.
func (r *Result) files() ([]Extra, error) {
	writers := []struct {
		name  string
		write func(io.Writer) error
	}{
		{SeriesFile, r.Series.WriteCSV},
		{EventsFile, func(w io.Writer) error { return WriteEventsCSV(w, r.Timeline) }},
		{HistogramsFile, func(w io.Writer) error { return WriteHistogramsCSV(w, r.Histograms) }},
		{ScenarioFile, func(w io.Writer) error { _, err := w.Write(r.Spec); return err }},
		{ResultFile, r.WriteJSON},
	}
	files := make([]Extra, len(writers))
	for i, f := range writers {
		var text bytes.Buffer
		if err := f.write(&text); err != nil {
			return nil, err
		}
		files[i] = Extra{f.name, text.Bytes()}
	}
	return files, nil
}

// WriteFile puts a file into its place in one step: it is written beside it and
// then renamed, so that a reader sees the old one or the new one. A symbolic link
// is followed, and a file that exists keeps its permissions. A device, a FIFO or
// an open file (/dev/fd/N) is written to and stays what it is.
func WriteFile(path string, text []byte) error {
	s, err := stage(path, text)
	if err != nil {
		return err
	}
	defer s.drop()
	return s.settle()
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
