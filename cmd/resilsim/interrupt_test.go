package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/resilsim/resilsim/sim/result"
)

// TestASignalKeepsWhatWasFinished interrupts a run that would take days. The
// scenario comes through standard input and is longer than a pipe holds, so that
// once it is written the command is certainly running.
func TestASignalKeepsWhatWasFinished(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "out")
			cmd := exec.Command("resilsim", "run", "-", "--out", dir)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			story, err := os.ReadFile("testdata/scenarios/slow.yaml")
			if err != nil {
				t.Fatal(err)
			}
			story = append(story, strings.Repeat("# a comment, to fill the pipe\n", 5000)...)
			if _, err := in.Write(story); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(in.Close(), cmd.Process.Signal(sig)); err != nil {
				t.Fatal(err)
			}
			var ended *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != int(Interrupted) {
				t.Fatalf("ended with %v, want status %d; it said:\n%s", err, Interrupted, &errs)
			}
			if !strings.HasPrefix(errs.String(), "resilsim: interrupted") {
				t.Errorf("it said: %s", &errs)
			}
			r, err := result.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Partial {
				t.Error("the result is not marked partial")
			}
		})
	}
}
