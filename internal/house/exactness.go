package house

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// decidingRooms are the rooms where a float decides when an event happens.
var decidingRooms = []string{"sim/engine", "sim/models", "sim/dist", "patterns"}

// inexact are the functions of math that may differ in the last bit between
// processors. Sqrt, Floor, Ceil, Trunc, Round, Mod and Abs are exact everywhere.
var inexact = []string{"Exp", "Exp2", "Expm1", "Log", "Log2", "Log10", "Log1p", "Pow", "Pow10", "Cbrt", "Hypot",
	"Sin", "Cos", "Sincos", "Tan", "Asin", "Acos", "Atan", "Atan2", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh",
	"Gamma", "Lgamma", "Erf", "Erfc", "Erfinv", "Erfcinv", "J0", "J1", "Jn", "Y0", "Y1", "Yn"}

// Floats finds functions of math with more than one path, where internal/exact
// has to be used.
func Floats(t *Tree) []Breach {
	var out []Breach
	for _, f := range t.Go() {
		if f.Test() || !withinAny(f.Dir(), decidingRooms) {
			continue
		}
		uses(f, func(sel *ast.SelectorExpr, pkg, name string) {
			if pkg == "math" && slices.Contains(inexact, name) {
				out = append(out, t.breach("floats", f, sel.Pos(), "math.%s differs between processors: use internal/exact", name))
			}
		})
	}
	return out
}

// Fused finds a float product added or subtracted in one expression, in the
// deciding rooms and in internal/exact: some processors round it once instead of
// twice. float64(a*b) + c rounds everywhere alike.
func Fused(t *Tree) []Breach {
	var out []Breach
	rooms := append([]string{"internal/exact"}, decidingRooms...)
	for _, p := range typed(t, rooms) {
		product := func(e ast.Expr) bool { return floatProduct(p.info, e) }
		inspect(p, func(f *File, n ast.Node) {
			fused := false
			switch n := n.(type) {
			case *ast.BinaryExpr:
				fused = (n.Op == token.ADD || n.Op == token.SUB) && (product(n.X) || product(n.Y))
			case *ast.AssignStmt:
				fused = (n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN) && product(n.Rhs[0])
			}
			if fused {
				out = append(out, t.breach("fused", f, n.Pos(), "a*b+c may be fused: write float64(a*b) + c"))
			}
		})
	}
	return out
}

// floatProduct reports whether an expression is a product of floats whose value
// is not known when compiling.
func floatProduct(info *types.Info, e ast.Expr) bool {
	mul, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if neg, isNeg := ast.Unparen(e).(*ast.UnaryExpr); isNeg {
		return floatProduct(info, neg.X)
	}
	if !ok || mul.Op != token.MUL || info.Types[mul].Value != nil || info.Types[mul].Type == nil {
		return false
	}
	basic, ok := info.Types[mul].Type.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsFloat != 0
}

var orderFree = regexp.MustCompile(`^//\s*order-free: \S`)

// Order finds iteration over maps under sim/ and patterns/, tests aside: the
// order differs from run to run. A line that says "// order-free: why" is
// believed; a list of keys that is sorted at once is fine.
func Order(t *Tree) []Breach {
	var out []Breach
	for _, p := range typed(t, []string{"sim", "patterns"}) {
		sorted := map[ast.Node]bool{}
		inspect(p, func(f *File, n ast.Node) {
			what := ""
			switch n := n.(type) {
			case *ast.RangeStmt:
				if isMap(p.info.TypeOf(n.X)) {
					what = "range over a map"
				}
			case *ast.CallExpr:
				pkg, name := callee(p.info, n)
				if pkg == "slices" && strings.HasPrefix(name, "Sorted") && len(n.Args) > 0 {
					sorted[n.Args[0]] = true
				}
				if pkg == "maps" && slices.Contains([]string{"Keys", "Values", "All"}, name) && !sorted[n] {
					what = "maps." + name
				}
				if pkg == "reflect" && (name == "MapKeys" || name == "MapRange") {
					what = "reflect's " + name
				}
			}
			if what != "" && !believed(t, f, n.Pos()) {
				out = append(out, t.breach("order", f, n.Pos(), "%s: sort the keys, or say // order-free: why on the line", what))
			}
		})
	}
	return out
}

// believed reports whether a comment on the line says why order is free.
func believed(t *Tree, f *File, pos token.Pos) bool {
	line := t.Fset.Position(pos).Line
	for _, group := range f.Syntax.Comments {
		for _, c := range group.List {
			if t.Fset.Position(c.Pos()).Line == line && orderFree.MatchString(c.Text) {
				return true
			}
		}
	}
	return false
}
