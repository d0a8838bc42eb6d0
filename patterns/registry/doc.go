// Package registry answers: which pipelines does this program have, how are they set,
// what are they doing, and how does an operator lend a hand?
//
//	names in the program ─┐
//	                      ├─► New ─► Registry ─► Pipeline(name) ─► pipeline.Do
//	what a file says ─────┘             │
//	                          View ◄────┴────► Transitions
//	                     GET: states, counters     POST: force open, disable, close, reset
//
// # Names
//
// A registry has the names that New is given, for good. A name that is not among
// them is an error, in a file and in the program: a mistyped name never makes a
// breaker of its own that nobody watches, and names made of what callers send
// do not fill the memory.
//
// Give each dependency a name. Two that fail together may share a pipeline, so that one
// breaker sees all of their calls; two that do not must not, since the calls to one then
// open the breaker of the other. sharedWith says so, and the state shows it.
//
// # Settings
//
// An instance has the default policies, less those that Without names, with its own in their
// place. A service reads a File with the library that it has anyway, for JSON,
// YAML or else; each instance is then laid over the defaults setting by setting:
//
//	defaults:
//	  circuitBreaker: {waitDurationInOpenState: 30s}
//	instances:
//	  prices:
//	    circuitBreaker: {failureRateThreshold: 20}
//	    without: [bulkhead]
//	  stock: {sharedWith: prices}
//
// Have the decoder refuse keys that it does not know.
//
// The order is fallback, callTimeout, retry, hedge, circuitBreaker, throttle, rateLimiter,
// adaptiveLimit, bulkhead, queuedBulkhead, threadPoolBulkhead, timeout, outermost first.
// order changes it. A breaker outside of the retry counts calls, inside it counts
// attempts, and ends a retry as soon as it opens.
//
// # Operators
//
// A transition takes effect in this process only: a fleet is told one by one, or by
// something that tells all of them. Nothing is remembered over a restart.
//
// Closing does not mean that everybody may come at once. A breaker that is shut
// becomes half-open, so that its trials decide. Still, a fleet of a thousand that is told to
// close sends a thousand times the trials in one instant: a spread has each member
// wait for a random part of it. A later transition calls that off; so does
// Stop. Reset is the one that lets everybody in.
//
// A Transitions handler is not made without an authoriser and an auditor. It takes only JSON,
// which a page of another site cannot have a browser send without asking. Serve
// it, and View, where only operators come. Denied and refused requests are
// audited too.
//
// # When not to use it
//
// Not for one pipeline: pipeline.New is enough. Not for a pipeline for each user or
// key: the list of names is not known there; ratelimit has limiters that come
// and go with their keys.
package registry
