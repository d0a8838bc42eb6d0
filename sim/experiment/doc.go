// Package experiment answers: what happens when a scenario is run once, many
// times, or with its settings varied?
//
// Runs share nothing and their results are put together by number, so that the
// count of workers changes how long it takes and nothing else. This is the only
// package under sim/ that starts goroutines.
package experiment
