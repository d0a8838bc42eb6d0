package house

import "slices"

// Rule finds the breaches of one law of the house.
type Rule struct {
	Name string
	Find func(*Tree) []Breach
}

// Rules are all laws, in the order in which they are reported.
var Rules = []Rule{
	{"parses", func(t *Tree) []Breach { return t.Broken }},
	{"imports", Imports},
	{"clock", Clock},
	{"chance", Chance},
	{"goroutines", Goroutines},
	{"order", Order},
	{"floats", Floats},
	{"fused", Fused},
	{"length", Length},
	{"pages", Pages},
	{"names", Names},
	{"leftovers", Leftovers},
	{"links", Links},
	{"skips", Skips},
}

// Breaches runs the named rule over a tree; nil for a name that is no rule.
func Breaches(t *Tree, rule string) []Breach {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.Name == rule })
	if i < 0 {
		return nil
	}
	return Rules[i].Find(t)
}
