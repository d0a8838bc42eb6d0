package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/resilsim/resilsim/sim/result"
)

// TestASignalKeepsWhatWasFinished interrupts a run that would take days. The
// scenario has a warning, so that once that is said it is certainly read.
func TestASignalKeepsWhatWasFinished(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "out")
			cmd := exec.Command("resilsim", "run", "-", "--out", dir)
			cmd.Stdin = strings.NewReader(warned(t))
			said, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(said)
			if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, "warning") {
				t.Fatalf("it said %q, %v", line, err)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			errs, err := io.ReadAll(lines)
			if err != nil {
				t.Fatal(err)
			}
			var ended *exec.ExitError
			if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != int(Interrupted) {
				t.Fatalf("ended with %v, want status %d; it said:\n%s", err, Interrupted, errs)
			}
			if !strings.Contains(string(errs), "resilsim: interrupted at") {
				t.Errorf("it said: %s", errs)
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

// warned is slow.yaml with a pipeline that nobody uses.
func warned(t *testing.T) string {
	t.Helper()
	story, err := os.ReadFile("testdata/scenarios/slow.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(story) + "pipelines: {idle: [{timeout: 1s}]}\n"
}

// A command that waits for its scenario ends at the first signal. More than a pipe
// holds is written, so that it is certainly reading.
func TestASignalEndsTheWaitForAScenario(t *testing.T) {
	for _, sub := range []string{"run", "check"} {
		cmd := exec.Command("resilsim", sub, "-")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(in, strings.Repeat("# a comment, to fill the pipe\n", 5000)); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		var ended *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != int(Interrupted) {
			t.Errorf("%s ended with %v, want status %d", sub, err, Interrupted)
		}
	}
}

// A FIFO that nobody reads holds nothing up: neither when the signal comes while it
// is waited for, nor when it came before.
func TestAnUnreadFIFOEndsAtASignal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	write := func() error { return result.WriteFile(path, nil) }
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	for range 2 {
		if err := interruptible(ctx, "x", write); statusOf(err) != Interrupted {
			t.Errorf("ended with %v", err)
		}
	}
	// Both are still there; a reader lets them go.
	if _, err := os.ReadFile(path); err != nil {
		t.Error(err)
	}
}

// Signals are heard before the tables of the language and the libraries are ready:
// the runtime says in which order packages are initialised.
func TestSignalsAreHeardFirst(t *testing.T) {
	cmd := exec.Command("resilsim", "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	trace, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	order := string(trace)
	first := strings.Index(order, "init github.com/resilsim/resilsim/cmd/resilsim/interrupt @")
	for _, late := range []string{"github.com/resilsim/resilsim/sim/scenario", "github.com/spf13/cobra", "net/http"} {
		if at := strings.Index(order, "init "+late+" @"); first < 0 || at < first {
			t.Errorf("%s at %d, the listening at %d of\n%s", late, at, first, order)
		}
	}
}
