package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryCommandLineShownRuns takes the blocks marked sh out of the README and
// of every page under docs/ and runs them as they stand, one shell per page, in
// an empty directory with resilsim on the path. A block marked yaml that is a
// whole scenario lies there as a file under its name, and each line of a block
// marked text has to be a whole line of what the page's commands say, spaces
// included. A line that is not about resilsim (go test, make) is not run.
func TestEveryCommandLineShownRuns(t *testing.T) {
	shown := 0
	for _, path := range pages(t) {
		p := read(t, path)
		if len(p.lines) == 0 {
			continue
		}
		shown += len(p.lines)
		t.Run(strings.TrimPrefix(path, "../../"), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("sh", "-eu")
			cmd.Dir = t.TempDir()
			for name, text := range p.scenarios {
				if err := os.WriteFile(filepath.Join(cmd.Dir, name+".yaml"), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			cmd.Stdin = strings.NewReader(strings.Join(p.lines, "\n"))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s\nended with:\n%s", err, strings.Join(p.lines, "\n"), out)
			}
			for _, line := range p.says {
				if !strings.Contains("\n"+string(out), "\n"+line+"\n") {
					t.Errorf("the page shows %q, which is not in:\n%s", line, out)
				}
			}
		})
	}
	if shown < 10 {
		t.Errorf("only %d command lines are shown: are the blocks still marked sh?", shown)
	}
}

func pages(t *testing.T) []string {
	found := []string{"../../README.md"}
	err := filepath.WalkDir("../../docs", func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// page is what of a page is run and shown: command lines, lines of their output,
// whole scenarios by name.
type page struct {
	lines     []string
	says      []string
	scenarios map[string]string
}

var (
	fenced = regexp.MustCompile("(?ms)^```(sh|yaml|text)\n(.*?)^```$")
	named  = regexp.MustCompile(`(?m)\Aversion: 1\nscenario: (.*)$`)
)

func read(t *testing.T, path string) page {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p := page{scenarios: map[string]string{}}
	for _, block := range fenced.FindAllStringSubmatch(string(text), -1) {
		switch block[1] {
		case "yaml":
			if m := named.FindStringSubmatch(block[2]); m != nil {
				p.scenarios[m[1]] = block[2]
			}
		case "text":
			p.says = append(p.says, strings.Split(strings.Trim(block[2], "\n"), "\n")...)
		default:
			p.lines = append(p.lines, resilsimLines(block[2])...)
		}
	}
	return p
}

func resilsimLines(block string) []string {
	var out []string
	for _, line := range strings.Split(block, "\n") {
		line = strings.ReplaceAll(line, "go run ./cmd/resilsim", "resilsim")
		if strings.HasPrefix(strings.TrimSpace(line), "resilsim ") {
			out = append(out, line)
		}
	}
	return out
}
