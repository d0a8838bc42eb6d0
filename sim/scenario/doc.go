// Package scenario answers: what story does this YAML file tell, and can it be
// believed?
//
// Load turns bytes into a Scenario in which every name is resolved and every
// value is in range, or into a Report of faults, each with file, line, column,
// what was found and what is allowed:
//
//	text, err := scenario.ReadFile("storm.yaml")
//	...
//	sc, report := scenario.Load("storm.yaml", text, scenario.Options{Set: []string{"callers.checkout.instances=400"}})
//	report.Format(os.Stderr, scenario.Text)
//
// The way of a file: bytes, a tree of nodes with their places (parse), siblings
// and paths applied to that tree (extends, --set), values that fit the table
// (check), the Scenario with its names resolved (build), and last what only the
// whole can tell (verify, lint).
//
// One table (the functions named ...Shape) says what may stand where: keys,
// units, ranges, defaults, meanings. Reading, suggestions, paths, Schema,
// Reference and Explain walk it, so a new setting is a line there and a line
// where its value is built; a setting of a pattern needs only the line in the
// table, since its configuration carries the same name.
package scenario
