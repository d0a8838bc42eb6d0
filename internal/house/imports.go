package house

import (
	"go/ast"
	"strconv"
	"strings"
)

// Imports finds Go outside the plan's rooms, and imports along an arrow or
// through a door that the plan does not have.
func Imports(t *Tree) []Breach {
	var out []Breach
	for _, f := range t.Go() {
		room := roomOf(f.Dir())
		if room == nil {
			out = append(out, t.breach("imports", f, f.Syntax.Package, "no room of the plan holds %s", f.Dir()))
			continue
		}
		for _, spec := range f.Syntax.Imports {
			if why := refused(room, f, importPath(spec)); why != "" {
				out = append(out, t.breach("imports", f, spec.Pos(), "%s %s", room.Dir, why))
			}
			if spec.Name != nil && spec.Name.Name == "." {
				out = append(out, t.breach("imports", f, spec.Pos(), "a dot import hides where names come from"))
			}
		}
	}
	return out
}

// refused says why a file of the room may not import a path; "" when it may.
func refused(room *Room, f *File, imported string) string {
	first, _, _ := strings.Cut(imported, "/")
	switch dir, ours := strings.CutPrefix(imported, Module+"/"); {
	case ours:
		if within(dir, room.Dir) || withinAny(dir, room.Looks) || f.Test() && withinAny(dir, room.TestLooks) {
			return ""
		}
		return "may not look into " + dir
	case !strings.Contains(first, "."):
		return ""
	case withinAny(imported, room.Doors) || f.Test() && withinAny(imported, room.TestDoors):
		return ""
	default:
		return "is not the door of " + imported
	}
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return p
}

// imports reports whether a file imports a path.
func imports(f *File, wanted string) bool {
	for _, spec := range f.Syntax.Imports {
		if importPath(spec) == wanted {
			return true
		}
	}
	return false
}

// uses calls visit for each mention of a package's member: time.Now gives
// ("time", "Now"). A local name that hides the package is not a mention.
func uses(f *File, visit func(sel *ast.SelectorExpr, pkg, name string)) {
	names := map[string]string{}
	for _, spec := range f.Syntax.Imports {
		p := importPath(spec)
		name := strings.TrimSuffix(p, "/v2")
		name = name[strings.LastIndex(name, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = p
	}
	ast.Inspect(f.Syntax, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && x.Obj == nil && names[x.Name] != "" {
				visit(sel, names[x.Name], sel.Sel.Name)
			}
		}
		return true
	})
}
