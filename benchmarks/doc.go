// Package benchmarks answers: what does a call through patterns/ cost beside the
// same call through the library that somebody would otherwise have taken?
//
// It is a module of its own, so that the libraries it compares with are no
// dependencies of anybody who uses patterns/. It holds tests only:
//
//	go test -bench .
//
// Each benchmark runs ours and theirs in turns, some thousand calls each, so that the
// noise of the machine meets both, and reports
//
//	ours_ns      nanoseconds a call, ours
//	theirs_ns    the same of the peer
//	x_of_theirs  their ratio: below 1 ours is faster
//	ours_allocs, theirs_allocs  allocations a call
//
// Names end in /alone (one goroutine) or /two (two goroutines at one instance).
//
// Ours means pipeline.Do, the public entry, unless the name says Core: then it is the
// pattern's core behind one mutex, for which the peer has no more than that either.
package benchmarks
