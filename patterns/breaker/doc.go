// Package breaker answers: is this dependency well enough to be called, or
// should the call be refused at once to spare both sides?
//
// A Breaker records how calls end. When too many of the recent ones failed, or
// were slow, it opens; after a wait it lets a few trials through, and their
// outcome closes or reopens it.
//
//	            rate or run of failures reached
//	  +--------+ ------------------------------> +------+
//	  | Closed |                                 | Open | <---------+
//	  +--------+                                 +------+           |
//	      ^                                          |              |
//	      |                      wait over and a call asks          |
//	      |                                          v              |
//	      |          trials passed             +----------+         |
//	      +----------------------------------- | HalfOpen | --------+
//	                                           +----------+  trials failed,
//	                                                         or took too long
//
//	by an operator only: ForcedOpen, Disabled, MetricsOnly
//
// # Words
//
// A permit is the right to make one call; it is given back exactly once, whatever
// becomes of the call. A generation is one stay in a state: a result of a call
// that began in an earlier one is late, it is counted as such and decides nothing.
// A trial is a call that a half-open breaker lets through. Trials are bounded by
// permittedNumberOfCallsInHalfOpenState: a trial that is ignored or was not made
// gives its permit back, a result does not.
//
// # Rates
//
// With F failed, S slow of T recorded calls, the breaker opens when T has reached
// the minimum and
//
//	100 F >= failureRateThreshold T    or    100 S >= slowCallRateThreshold T
//
// compared in integers. A slow failure counts in both. A call is slow if it took
// strictly longer than slowCallDurationThreshold.
//
// # Time
//
// With a the number of openings since the breaker was last closed, w the wait, m
// the multiplier, U a draw, f the factor, c the cap, the open wait is
//
//	min(c, w m^(a-1))   or, randomised,   min(c/(1+f), w m^(a-1)) (1 - f + 2fU)
//
// At exactly the end of the wait a trial is admitted. A half-open stay that lasts
// maxWaitDurationInHalfOpenState ends at exactly that instant, and the next open
// wait counts from it, however much later this is noticed: results do not depend
// on who looks when, and nobody has to call Tick. A result at the very instant of
// the end is late. An instant before one already seen is taken as that one.
package breaker
