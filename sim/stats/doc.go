// Package stats answers: what may be concluded from the results of runs?
//
// Quantiles and their intervals, the instant of recovery, the verdict on an
// outage, and the difference between two settings. It says "not shown" where the
// runs cannot tell.
package stats
