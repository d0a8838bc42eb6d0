//go:build !race

package pipeline

// Calls of all soaks together.
const soakShort, soakUsual = 30_000, 200_000
