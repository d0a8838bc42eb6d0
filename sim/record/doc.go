// Package record answers: what was seen during a run?
//
// A recorder listens to the probes of the models and keeps bounded series and
// histograms, whatever the length of the run. What replications add up are
// integers, so that the order of adding cannot matter.
package record
