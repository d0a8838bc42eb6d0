// Package models answers: what do fleets of callers, services with queues,
// links, faults and operators do, second by second, when the real patterns sit
// between them?
//
// Models are driven by the agenda of sim/engine and take chance only from keyed
// draws. No pattern is re-implemented here: every breaker, budget, retry,
// bulkhead and timeout is the one of patterns/, stepped through virtual time.
package models
