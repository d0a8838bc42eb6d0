package scenario

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// endless is a file without an end: a device, a pipe.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	if e.read > 64*MaxBytes {
		return 0, errors.New("read on and on")
	}
	return len(p), nil
}

// A file of 1 GB (sparse, so it costs no disk) is refused by its size, an
// endless stream at the limit; both name the limit.
func TestHugeFilesAreNotRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.yaml")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(1 << 30); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("1 GB: %v", err)
	}
	e := &endless{}
	if _, err := ReadLimited("pipe", e); err == nil || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("endless: %v", err)
	}
	if e.read > 4*MaxBytes {
		t.Errorf("read %d bytes of an endless stream", e.read)
	}
}

// A file of exactly the limit is read; a directory and a missing file say what they are.
func TestReadFileSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "full.yaml")
	if err := os.WriteFile(path, bytes.Repeat([]byte("#"), MaxBytes), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadFile(path); err != nil || len(text) != MaxBytes {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if _, err := ReadFile(dir); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("directory: %v", err)
	}
	if _, err := ReadFile(filepath.Join(dir, "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

// Load itself holds the limit, whoever read the bytes.
func TestLoadRefusesMoreThanItsLimit(t *testing.T) {
	_, report := Load("x.yaml", bytes.Repeat([]byte("#"), MaxBytes+1), Options{})
	if report.Err() == nil || !strings.Contains(report.Err().Error(), "1 MiB") {
		t.Errorf("%v", report.Err())
	}
}

// A chain of scenarios longer than the limit is refused, one at the limit is not.
func TestChainsOfSiblingsEnd(t *testing.T) {
	chain := func(length int) error {
		resolve := func(name string) ([]byte, error) {
			if len(name) >= length {
				return file(t, "good/plain.yaml"), nil
			}
			return []byte("version: 1\nscenario: s\nextends: " + name + "x\n"), nil
		}
		_, report := Load("s.yaml", []byte("version: 1\nscenario: s\nextends: x\n"), Options{Resolve: resolve})
		return report.Err()
	}
	if err := chain(MaxExtends); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if err := chain(MaxExtends + 1); err == nil {
		t.Error("beyond the limit: accepted")
	}
}

// Whatever is repeated to fill a file, the reader comes to an end with a bounded
// number of findings. The repetitions are those that parsers of YAML are known
// to be slow or deep on.
func TestHostileRepetitionsEnd(t *testing.T) {
	units := []string{"[", "{", "- ", "? ", "&a ", "\"", "a: ", "#\n", "!", "'", "|\n", "a: &a\n", "*a ", "a: 1\n", "- - ", "{a: ", "[a, ", "\n", "a:\n ",
		"? a\n: b\n", "%", "---\n", "<<: ", "\"a\": ", "[]", ",", "[[],", "\t", "- &a a\n- *a\n", "a: b: ", "é", "? - ", "!<", "- #x\n", "[#\n"}
	for _, unit := range units {
		for _, head := range []string{"", "version: 1\nx-a: ", "version: 1\nx-a: [", "version: 1\nx-a:\n "} {
			_, report := Load("x.yaml", []byte(head+strings.Repeat(unit, 1<<15/len(unit))), Options{})
			if n := len(report.All()); n == 0 || n > 2*MaxFindings {
				t.Errorf("%q after %q: %d findings", unit, head, n)
			}
		}
	}
}

// One long text that is used in thousands of places costs no more than a short
// one: aliases are where a small file becomes a large one.
func TestLongTextsBehindAliasesEnd(t *testing.T) {
	long := strings.Repeat("1", 900_000)
	uses := strings.Repeat("*l,", 9000) + "*l"
	plain := string(file(t, "good/plain.yaml"))
	for _, text := range []string{
		plain + "x-l: &l " + long + "\nexpect: [" + uses + "]\n",
		plain + "x-l: &l " + long + "\nfaults: [" + uses + "]\n",
		plain + "x-l: &l " + long + "\norigin: {differs: [" + uses + "]}\n",
		plain + "x-l: &l " + long + "\nlinks: [" + strings.Repeat("{to: *l, latency: *l},", 1800) + "]\n",
		"version: 1\nscenario: s\nx-l: &l " + long + "\nextends: plain\nset: {expect: [" + uses + "]}\n",
		plain + "unknown: {" + strings.Repeat("a: 1, ", 9000) + "}\n",
	} {
		_, report := Load("x.yaml", []byte(text), Options{Resolve: resolve})
		if n := len(report.Faults); n == 0 || n > MaxFindings {
			t.Errorf("%d faults", n)
		}
		var out bytes.Buffer
		if err := report.Format(&out, Text); err != nil || out.Len() > MaxFindings*2000 {
			t.Errorf("%d bytes, %v", out.Len(), err)
		}
	}
}

// Text that would command a terminal is shown as question marks.
func TestFindingsAreHarmlessToATerminal(t *testing.T) {
	_, report := Load("x.yaml", []byte("version: \"\\e[31m\\x07\"\n"), Options{})
	var out bytes.Buffer
	if err := report.Format(&out, Text); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 || strings.ContainsAny(out.String(), "\x1b\x07") {
		t.Errorf("%q", out.String())
	}
}

// The style for workflow logs has one line for each finding, escaped.
func TestGitHubStyleIsOneLineEach(t *testing.T) {
	_, report := Load("a:b.yaml", []byte("version: 2\nscenario: 50%\n"), Options{})
	var out bytes.Buffer
	if err := report.Format(&out, GitHub); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(report.All()) || len(lines) < 3 {
		t.Errorf("%d lines for %d findings:\n%s", len(lines), len(report.All()), out.String())
	}
	if !strings.Contains(out.String(), "::error file=a%3Ab.yaml,line=2,col=11,endColumn=14::'50%25' is not a name%0Ahint: ") {
		t.Errorf("%s", out.String())
	}
}

// A duration beyond what a counter of nanoseconds holds is out of range, not misspelled.
func TestALongDurationIsOutOfRange(t *testing.T) {
	for _, text := range []string{"9999999h", "-9999999h", "99999999999999999999s", "1h9999999h"} {
		_, report := Load("x.yaml", []byte("version: 1\nscenario: x\nduration: "+text+"\n"), Options{})
		if !slices.ContainsFunc(report.Faults, func(f Finding) bool { return strings.HasPrefix(f.Message, "'"+text+"' is out of range") }) {
			t.Errorf("%s: %v", text, report.Faults)
		}
	}
}
