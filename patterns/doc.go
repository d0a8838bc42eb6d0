// Package patterns holds the words that every resilience pattern shares: an
// instant, the outcome of a call, the reason of a refusal, and the two small
// configuration types (Duration, Percent) that read and print themselves.
//
// It answers: what do a circuit breaker, a retry, a bulkhead and a timeout have
// to agree on, so that one call can pass through all of them? Each pattern
// lives in a package of its own below this one; package pipeline puts them
// together.
//
// Every pattern here is a core without hands. A core has no clock, goroutine,
// lock or generator: the instant and the draw in [0,1) come in as arguments and
// the decision goes out as a value. Two drivers run the same core. The
// wall-clock driver (files of package pipeline named wall*.go) serves production; the simulator
// drives it through virtual time. So a setting that is tuned in simulation is
// the setting that runs in production.
//
// Comments name decisions, as in (D7). Each is an edge at which libraries differ; the
// tables in docs/background/patterns.md say what the others do and what these do.
package patterns
