package scenario

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write golden files and generated pages anew")

// golden compares with a file, or writes it under -update.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run with -update and look at the difference", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs; run with -update and look at the difference. Got:\n%s", file, got)
	}
}

var errNoSuch = errors.New("the shipped scenarios are: plain, design")

// resolve finds scenarios for `extends` among the test data.
func resolve(name string) ([]byte, error) {
	for _, folder := range []string{"good", "bad"} {
		if text, err := os.ReadFile(filepath.Join("testdata", folder, name+".yaml")); err == nil {
			return text, nil
		}
	}
	return nil, errNoSuch
}

// options reads "# --set path=value" lines at the head of a test file.
func options(text []byte) Options {
	opt := Options{Resolve: resolve}
	for _, line := range strings.Split(string(text), "\n") {
		set, found := strings.CutPrefix(line, "# --set ")
		if !found {
			return opt
		}
		opt.Set = append(opt.Set, set)
	}
	return opt
}

// goWords are the words by which a message would show the code instead of the file.
var goWords = regexp.MustCompile(`float64|int64|uint|struct|unmarshal|yaml\.v3|nil\b|0x[0-9a-f]{6}|%!`)

// Every class of error has a file; its text is reviewed as a golden. No message
// may speak the language of the program.
func TestEveryErrorSaysWhereWhatAndHow(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sc, report := Load(name+".yaml", text, options(text))
			if (sc == nil) != (report.Err() != nil) {
				t.Errorf("scenario %v, but error %v", sc != nil, report.Err())
			}
			if len(report.All()) == 0 {
				t.Error("nothing was found")
			}
			var out bytes.Buffer
			if err := report.Format(&out, Text); err != nil {
				t.Fatal(err)
			}
			for _, f := range report.All() {
				if bad := goWords.FindString(f.Message + f.Hint); bad != "" {
					t.Errorf("%q speaks of the program: %s", bad, f.Message)
				}
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", out.Bytes())
		})
	}
}
