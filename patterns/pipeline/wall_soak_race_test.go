//go:build race

package pipeline

// Calls of all soaks together under the race detector, which makes them ten times dearer.
const soakShort, soakUsual = 6_000, 30_000
