// Package metrics answers: under which names, with which units and labels, does a
// monitoring system see what the patterns do?
//
//	registry or pipelines ── Watch ──► Meter ── Read ──► samples: name, labels, value
//	events ──────────────── Listen ──►   │
//	                                     └─► adapters: Prometheus, OpenTelemetry, yours
//
// All lists every metric. A Meter reads gauges and counters from the pipelines that it
// watches and counts the events that it is told of. It knows no monitoring system: an
// adapter turns its samples into what one wants.
//
// Names are dotted and in lower case. Where dots are not allowed they become underscores,
// counters end in _total and the unit s becomes _seconds, as OpenTelemetry does it for
// Prometheus: see Metric.Prometheus.
//
// # Labels
//
// Each sample has the labels pipeline and policy; some have state, reason, from, to or why
// too. Their values are names that the program has chosen and words of the patterns, never
// what a caller sends: the number of series is fixed when the program is written.
//
//	pipeline   the name in the registry, or that given to Watch
//	policy     the policy's name; in a registry its key, as circuitBreaker
//
// A pipeline that several names share is shown under the one that has it.
//
// # Reading
//
// The parts are read one after the other while calls go on: samples of one Read are not of
// one instant. A rate that is not known yet, as a breaker's below its minimum number of calls,
// is left out: there is no -1 that would spoil an average. Reading takes each stage's lock for
// as long as it takes to copy its counters. Counting an event allocates nothing once its
// labels have been seen.
//
// # When not to use it
//
// Not to count calls and their latencies: the caller knows more about them (route,
// status, tenant) than a pipeline does. Not to decide anything: a breaker that is
// open has decided already.
package metrics
