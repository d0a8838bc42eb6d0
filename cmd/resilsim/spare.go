package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/resilsim/resilsim/sim/result"
)

// spare refuses to write over what the user has written: a file that the scenario
// was read from, and a scenario.yaml that no run of ours left there.
func spare(inputs []string, out string, exports []export) error {
	var targets []string
	if out != "" {
		targets = append(dataFiles(out), figureFiles(out)...)
	}
	for _, e := range exports {
		if e.file != stdout {
			targets = append(targets, e.file)
		}
	}
	for _, target := range targets {
		for _, input := range inputs {
			if same(target, input) {
				return fmt.Errorf("%s would be overwritten: the scenario is read from it\n  hint: write somewhere else, like --out out", target)
			}
		}
	}
	if out == "" {
		return nil
	}
	theirs := filepath.Join(out, result.ScenarioFile)
	if _, err := os.Lstat(theirs); errors.Is(err, fs.ErrNotExist) || ours(out) {
		return nil
	}
	if info, err := os.Stat(out); err != nil || !info.IsDir() {
		return nil // prepare says what is wrong with it
	}
	return fmt.Errorf("%s would be overwritten, and there is no result of resilsim beside it\n  hint: write somewhere else, like --out %s",
		theirs, filepath.Join(out, "out"))
}

func same(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// ours reports whether a directory holds the result.json of a run.
func ours(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, result.ResultFile))
	var r result.Result
	return err == nil && json.Unmarshal(text, &r) == nil && r.SchemaVersion > 0 && r.Digest != ""
}
