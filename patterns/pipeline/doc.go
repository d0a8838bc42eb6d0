// Package pipeline answers: what does one call go through on its way to a
// dependency and back?
//
// A plan is an ordered list of policies, outermost first. One call through it is
// a small state machine, the Call: policies admit it on the way in and settle it
// on the way out, each exactly once, whatever happens in between.
//
//	           admit ───────────────────────────────────────►
//	caller ── fallback ── retry ── breaker ── bulkhead ── timeout ── attempt
//	           ◄─────────────────────────────────────── settle
//
// The machine has no hands. It is told what happened (begun, attempt ended, timer fired, slot
// granted, cancelled) and answers with an Action: start an attempt, run a fallback step, wait, done.
//
//	 Begin
//	   │            ┌────────── retry without a wait ──────────┐
//	   ▼            ▼                                          │
//	admitting ─► attempting ─► settling ─► waiting ─► admitting│
//	   │ ▲          │ timeout     │ │ └────────────────────────┘
//	   ▼ │ granted  ▼             │ ▼
//	 queued      lingering ──────►│ falling (a fallback step)
//	                              ▼
//	                             done
//
// A hedge runs races: each attempt of one is a leg, a machine of its own through the
// stages inside the hedge. The call waits while legs attempt, wait or linger; the first
// answer gives the others up, and their functions are left behind.
//
// Lingering: a timeout has abandoned an attempt whose function has not returned
// yet. Policies inside the timeout are settled at once; the call goes on when
// the function returns. A detached timeout bears that no longer than to its own
// deadline, whoever gave the call up: the timeout itself does not wait at all.
// A bulkhead's slot is always free only when the function has returned.
//
// Two drivers run this machine: Do on the wall clock, and the simulator on its
// virtual one.
package pipeline
