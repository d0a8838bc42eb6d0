package house

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTheTreeKeepsItsRules runs each rule over the repository's own sources. It
// first makes sure that it looks at them: this very file must be among them.
func TestTheTreeKeepsItsRules(t *testing.T) {
	tree, err := Load(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	self := false
	for _, f := range tree.Go() {
		self = self || f.Path == "internal/house/house_test.go"
	}
	if !self {
		t.Fatal("the tree that was read does not hold this test: wrong root")
	}
	for _, rule := range Rules {
		t.Run(rule.Name, func(t *testing.T) {
			for _, b := range rule.Find(tree) {
				t.Error(b)
			}
		})
	}
}

// TestLoadPassesOverWhatGoPassesOver writes a tree with a bad source in each
// place that is not built, and finds only the one that is.
func TestLoadPassesOverWhatGoPassesOver(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{"sim/a.go", "sim/testdata/b.go", ".cache/c.go", "_old/d.go", "vendor/e.go", "docs/f.svg"} {
		full := filepath.Join(root, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("not a program"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.Files) != 1 || len(tree.Broken) != 1 || tree.Broken[0].Path != "sim/a.go" {
		t.Errorf("read %d files, broken %v; want sim/a.go alone", len(tree.Files), tree.Broken)
	}
	if _, err := Load(filepath.Join(root, "absent")); err == nil {
		t.Error("a root that is not there was read without an error")
	}
}
