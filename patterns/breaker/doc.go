// Package breaker answers: is the dependency well enough to be asked?
//
// A circuit breaker watches the calls that pass it. While few of them fail it
// lets all through (closed); when failures or slow calls reach their threshold it
// refuses at once (open); after a wait it lets a bounded number of trials through
// (half-open), and they decide between closed and open.
//
//	         threshold reached
//	closed ────────────────────► open ◄───┐
//	  ▲                           │ wait   │ trials fail
//	  │        trials succeed     ▼ over   │
//	  └─────────────────────── half-open ──┘
//
// A permit carries the generation of the state that gave it; a result that comes
// back after the state has changed is counted as late and decides nothing.
package breaker
