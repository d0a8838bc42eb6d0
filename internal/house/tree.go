package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Module is the import path of the repository's root.
const Module = "github.com/resilsim/resilsim"

// Breach is one line that stands in the wrong room.
type Breach struct {
	// Path is relative to the root, with slashes. Line counts from 1.
	Path string
	Line int
	// Rule is the name of the rule in Rules.
	Rule string
	// Text says what was found and what is allowed.
	Text string
}

// String prints the breach as compilers do: path:line: text (rule).
func (b Breach) String() string {
	return fmt.Sprintf("%s:%d: %s (%s)", b.Path, b.Line, b.Text, b.Rule)
}

// File is one source file. Syntax is nil for files that are not Go.
type File struct {
	Path   string
	Text   string
	Syntax *ast.File
}

// Dir is the directory of the file, relative to the root: "." for the root.
func (f *File) Dir() string { return path.Dir(f.Path) }

// Test reports whether the file is compiled by go test only.
func (f *File) Test() bool { return strings.HasSuffix(f.Path, "_test.go") }

// Tree is the sources of a repository, sorted by path.
type Tree struct {
	Fset  *token.FileSet
	Files []*File
	// There are the paths of all files below the root, sources or not, of what Load
	// passes over too (but not of names that begin with a dot).
	There map[string]bool
	// Broken holds a breach for each Go file that does not parse.
	Broken []Breach
}

// Go returns the files that hold Go and could be parsed.
func (t *Tree) Go() []*File {
	return slices.DeleteFunc(slices.Clone(t.Files), func(f *File) bool { return f.Syntax == nil })
}

// breach returns a breach at a place in a parsed file.
func (t *Tree) breach(rule string, f *File, pos token.Pos, format string, args ...any) Breach {
	return Breach{f.Path, t.Fset.Position(pos).Line, rule, fmt.Sprintf(format, args...)}
}

// Parse builds a Tree from texts by path.
func Parse(sources map[string]string) *Tree {
	t := &Tree{Fset: token.NewFileSet(), There: map[string]bool{}}
	paths := make([]string, 0, len(sources))
	for p := range sources {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	for _, p := range paths {
		f := &File{Path: p, Text: sources[p]}
		t.There[p] = true
		t.Files = append(t.Files, f)
		if path.Ext(p) != ".go" {
			continue
		}
		syntax, err := parser.ParseFile(t.Fset, p, f.Text, parser.ParseComments)
		if err != nil {
			t.Broken = append(t.Broken, Breach{p, 1, "parses", err.Error()})
			continue
		}
		f.Syntax = syntax
	}
	return t
}

// Load reads the Go files and the written pages below root. Directories that go
// itself passes over (testdata, vendor, names that begin with a dot or an
// underscore) are passed over.
func Load(root string) (*Tree, error) {
	sources, there := map[string]string{}, []string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") && d.IsDir() {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(root, p)
		if err != nil || d.IsDir() {
			return err
		}
		rel = filepath.ToSlash(rel)
		there = append(there, rel)
		if !read(d.Name()) || slices.ContainsFunc(strings.Split(path.Dir(rel), "/"), passedOver) {
			return nil
		}
		text, err := os.ReadFile(p)
		sources[rel] = string(text)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("house: reading the tree: %w", err)
	}
	t := Parse(sources)
	for _, p := range there {
		t.There[p] = true
	}
	return t, nil
}

func passedOver(dir string) bool {
	return dir == "testdata" || dir == "vendor" || len(dir) > 1 && strings.HasPrefix(dir, ".") || strings.HasPrefix(dir, "_")
}

func read(name string) bool {
	return name == "Makefile" || slices.Contains([]string{".go", ".md", ".yaml", ".yml", ".sh", ".tmpl"}, path.Ext(name))
}
