// Package scenario answers: what story does this YAML file tell, and can it be
// believed?
//
// Load turns bytes into a Scenario in which every name is resolved and every
// value is in range, or into a list of faults, each with file, line, column,
// what was found and what is allowed. The same definitions make the JSON Schema
// and the reference page.
package scenario
