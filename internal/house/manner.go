package house

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// LinesMax is the longest a function may be, signature and braces included.
const LinesMax = 70

// Length finds functions of more than LinesMax lines, in tests as well.
func Length(t *Tree) []Breach {
	var out []Breach
	for _, f := range t.Go() {
		for _, decl := range f.Syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := t.Fset.Position(fn.End()).Line - t.Fset.Position(fn.Pos()).Line + 1
			if lines > LinesMax {
				out = append(out, t.breach("length", f, fn.Pos(), "%s has %d lines, at most %d", fn.Name.Name, lines, LinesMax))
			}
		}
	}
	return out
}

// Pages finds packages without a doc.go that carries the package comment.
func Pages(t *Tree) []Breach {
	first, page := map[string]*File{}, map[string]bool{}
	var dirs []string
	for _, f := range t.Go() {
		d := f.Dir()
		if first[d] == nil {
			first[d] = f
			dirs = append(dirs, d)
		}
		if path.Base(f.Path) == "doc.go" && strings.TrimSpace(f.Syntax.Doc.Text()) != "" {
			page[d] = true
		}
	}
	var out []Breach
	for _, d := range dirs {
		if !page[d] {
			out = append(out, t.breach("pages", first[d], first[d].Syntax.Package, "%s has no doc.go with a package comment", d))
		}
	}
	return out
}

var emptyNames = []string{"util", "utils", "common", "misc", "helper", "helpers"}

// Names finds packages and directories whose name asks no question.
func Names(t *Tree) []Breach {
	var out []Breach
	for _, f := range t.Go() {
		words := append(strings.Split(f.Dir(), "/"), strings.TrimSuffix(f.Syntax.Name.Name, "_test"))
		for _, w := range words {
			if slices.Contains(emptyNames, w) {
				out = append(out, t.breach("names", f, f.Syntax.Package, "a package named %s is a room without a question", w))
				break
			}
		}
	}
	return out
}

// leftover is written in two halves so that this file does not break its own rule.
var leftover = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)

// Leftovers finds notes of unfinished work, in sources and in written pages.
func Leftovers(t *Tree) []Breach {
	var out []Breach
	for _, f := range t.Files {
		for i, line := range strings.Split(f.Text, "\n") {
			if word := leftover.FindString(line); word != "" {
				out = append(out, Breach{f.Path, i + 1, "leftovers", word + ": finish it or file it"})
			}
		}
	}
	return out
}

// Skips finds tests that pass themselves over: what is not run proves nothing.
func Skips(t *Tree) []Breach {
	var out []Breach
	for _, f := range t.Go() {
		if !f.Test() {
			continue
		}
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, sel.Sel.Name) {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && slices.Contains([]string{"t", "b", "f", "tb"}, x.Name) {
				out = append(out, t.breach("skips", f, sel.Pos(), "%s.%s: a skipped test proves nothing", x.Name, sel.Sel.Name))
			}
			return true
		})
	}
	return out
}
