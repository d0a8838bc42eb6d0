package patterns

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestEveryDecisionNamedIsWrittenDown reads all sources below patterns/ and looks up
// each D-number that they name in the table; the table itself has no gap and names
// none twice.
func TestEveryDecisionNamedIsWrittenDown(t *testing.T) {
	page, err := os.ReadFile("../docs/background/patterns.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^\| (D\d+) \|`).FindAllStringSubmatch(string(page), -1) {
		rows[m[1]]++
	}
	if len(rows) != 18 {
		t.Errorf("%d decisions, want 18", len(rows))
	}
	for d, n := range rows {
		if n != 1 {
			t.Errorf("%s has %d rows", d, n)
		}
	}
	named := regexp.MustCompile(`\bD\d{1,2}\b`)
	found := 0
	err = fs.WalkDir(os.DirFS("."), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, d := range named.FindAllString(string(text), -1) {
			if found++; rows[d] == 0 {
				t.Errorf("%s names %s, which is not in the table", path, d)
			}
		}
		return err
	})
	if err != nil || found < 20 {
		t.Errorf("%d names found: %v", found, err)
	}
}
