package house

import (
	"go/ast"
	"go/importer"
	"go/types"
	"slices"
	"strings"
)

// checked is a package with the types that could be found out.
type checked struct {
	files []*File
	info  *types.Info
	pkg   *types.Package
}

// checker gives types to the packages of a tree. Our own packages are checked
// from source, the standard library comes from the compiler, and outside
// libraries are blank: what they return has no type, and errors are passed over.
type checker struct {
	tree *Tree
	std  types.Importer
	done map[string]*checked
}

// typed checks the packages below the directories, their tests aside, sorted by
// directory.
func typed(t *Tree, below []string) []*checked {
	c := &checker{t, importer.Default(), map[string]*checked{}}
	var dirs []string
	for _, f := range t.Go() {
		if d := f.Dir(); !f.Test() && withinAny(d, below) && !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	var out []*checked
	for _, d := range dirs {
		out = append(out, c.check(d))
	}
	return out
}

func (c *checker) check(dir string) *checked {
	if p := c.done[dir]; p != nil {
		return p
	}
	p := &checked{info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
	}}
	// Entered before its imports are followed, so that a cycle ends.
	p.pkg = types.NewPackage(Module+"/"+dir, dir)
	c.done[dir] = p
	var syntax []*ast.File
	for _, f := range c.tree.Go() {
		if f.Dir() == dir && !f.Test() {
			p.files = append(p.files, f)
			syntax = append(syntax, f.Syntax)
		}
	}
	conf := types.Config{Importer: c, Error: func(error) {}}
	if pkg, _ := conf.Check(Module+"/"+dir, c.tree.Fset, syntax, p.info); pkg != nil {
		p.pkg = pkg
	}
	return p
}

// Import gives the type checker a package by its path.
func (c *checker) Import(p string) (*types.Package, error) {
	if dir, ours := strings.CutPrefix(p, Module+"/"); ours {
		return c.check(dir).pkg, nil
	}
	if first, _, _ := strings.Cut(p, "/"); !strings.Contains(first, ".") {
		return c.std.Import(p)
	}
	blank := types.NewPackage(p, p[strings.LastIndex(p, "/")+1:])
	blank.MarkComplete()
	return blank, nil
}

// inspect visits the nodes of a package, a parent before its children.
func inspect(p *checked, visit func(f *File, n ast.Node)) {
	for _, f := range p.files {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			if n != nil {
				visit(f, n)
			}
			return true
		})
	}
}

// isMap reports whether a type is a map, or a type parameter all of whose types
// are maps.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	param, ok := t.(*types.TypeParam)
	if !ok {
		_, ok = t.Underlying().(*types.Map)
		return ok
	}
	bound := param.Constraint().Underlying().(*types.Interface)
	for i := range bound.NumEmbeddeds() {
		if union, ok := bound.EmbeddedType(i).(*types.Union); ok && union.Len() > 0 {
			return isMap(union.Term(0).Type())
		}
		if isMap(bound.EmbeddedType(i)) {
			return true
		}
	}
	return false
}

// callee returns the package and the name of the function that a call names,
// blank when it is not a named function or method.
func callee(info *types.Info, call *ast.CallExpr) (pkg, name string) {
	fun := ast.Unparen(call.Fun)
	if index, ok := fun.(*ast.IndexExpr); ok {
		fun = index.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	fn, ok := info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.Pkg() == nil {
		return "", ""
	}
	return fn.Pkg().Path(), fn.Name()
}
