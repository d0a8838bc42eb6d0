package house

import (
	"go/ast"
	"go/token"
	"slices"
)

// clockReads are the functions that ask or await the wall clock. The two of
// context arm a timer of their own.
var clockReads = map[string][]string{
	"time":    {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
	"context": {"WithTimeout", "WithDeadline", "WithTimeoutCause", "WithDeadlineCause"},
}

// Clock finds reads of the wall clock outside patterns/**/wall*.go, adapters/ and the
// command. Tests may use it only where it stands still: in the files of
// patterns/ and adapters/ that import testing/synctest; and in benchmarks/, which measures.
func Clock(t *Tree) []Breach {
	var out []Breach
	for _, f := range t.Go() {
		if mayReadClock(f) {
			continue
		}
		uses(f, func(sel *ast.SelectorExpr, pkg, name string) {
			if slices.Contains(clockReads[pkg], name) {
				out = append(out, t.breach("clock", f, sel.Pos(), "%s.%s reads the wall clock", pkg, name))
			}
		})
	}
	return out
}

func mayReadClock(f *File) bool {
	if f.Test() {
		return withinAny(f.Dir(), []string{"patterns", "adapters"}) && imports(f, "testing/synctest") || within(f.Dir(), "benchmarks")
	}
	return wall(f) || within(f.Dir(), "cmd/resilsim")
}

// generators are the members of math/rand and math/rand/v2 that do not touch
// the generator all share.
var generators = []string{"New", "NewSource", "NewZipf", "NewPCG", "NewChaCha8",
	"Rand", "Source", "Source64", "Zipf", "PCG", "ChaCha8"}

// Chance finds draws that no seed of ours decides: the shared generators of
// math/rand (allowed in patterns/**/wall*.go), crypto/rand, and the seeds of
// hash/maphash.
func Chance(t *Tree) []Breach {
	var out []Breach
	for _, f := range t.Go() {
		uses(f, func(sel *ast.SelectorExpr, pkg, name string) {
			shared := (pkg == "math/rand" || pkg == "math/rand/v2") && !slices.Contains(generators, name)
			if shared && !(wall(f) && !f.Test()) || pkg == "crypto/rand" || pkg == "hash/maphash" {
				out = append(out, t.breach("chance", f, sel.Pos(), "%s.%s draws without a seed of ours", pkg, name))
			}
		})
	}
	return out
}

// Goroutines finds go statements, channels and locks outside patterns/**/wall*.go,
// sim/experiment and the command. Tests are free.
func Goroutines(t *Tree) []Breach {
	var out []Breach
	for _, f := range t.Go() {
		if f.Test() || wall(f) || withinAny(f.Dir(), []string{"sim/experiment", "cmd/resilsim"}) {
			continue
		}
		found := func(pos token.Pos, what string) {
			out = append(out, t.breach("goroutines", f, pos, "%s: this room is single-threaded", what))
		}
		for _, spec := range f.Syntax.Imports {
			if p := importPath(spec); p == "sync" || p == "sync/atomic" {
				found(spec.Pos(), "import of "+p)
			}
		}
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found(n.Pos(), "go statement")
			case *ast.ChanType:
				found(n.Pos(), "channel")
			case *ast.SelectStmt:
				found(n.Pos(), "select")
			case *ast.UnaryExpr:
				if n.Op == token.ARROW {
					found(n.Pos(), "receive")
				}
			}
			return true
		})
	}
	return out
}
