// Package result answers: what was seen, as numbers with names and units?
//
// A Result can be written, read back, drawn and judged without the simulator.
// It is a leaf: it imports nothing of this module. Catalogue lists every metric
// that a run records, so that a column, a legend and a claim in a scenario use
// the same word.
package result
