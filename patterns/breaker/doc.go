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
// strictly longer than slowCallDurationThreshold. With consecutiveFailures the rule
// is a run of failures instead, however long it takes.
//
// With countRunningSlowCalls the R calls that have run longer and have not ended
// are slow as well: 100 (S + R) >= slowCallRateThreshold (T + R). They are part of
// the slow rate only, so that they hide no failure. See Overdue.
//
// # Half-open
//
// With p permitted trials, n = min(p, minimumNumberOfCalls), F and S of the trials:
//
//	complete       after n results: open if a rate is reached, else close
//	early          the same, as soon as the results to come cannot change it; with
//	               halfOpenSuccesses s of p: close at s successes
//	first_failure  open at the first failure, close after p successes
//
// Running slow trials may open it again; only ended ones close it.
//
// # Time
//
// With a the number of openings since the breaker was last closed, w the wait, m
// the multiplier, U a draw, f the factor, c the cap, the open wait is
//
//	min(c, w m^(a-1))   or, randomised,   min(c/(1+f), w m^(a-1)) (1 - f + 2fU)
//
// At exactly the end of the wait a trial is admitted. The stay in half-open then has
// maxWaitDurationInHalfOpenState from its first trial on, so that a trial that never
// reports wedges nothing; it ends at exactly that instant, and the next open wait
// counts from it, however much later this is noticed: results do not depend on who
// looks when, and nobody has to call Tick. The same with an automatic end of the
// open wait. A result at the very instant of the end is late. An instant before one
// already seen is taken as that one.
//
// # The limit and few calls
//
// That limit is the open wait unless told otherwise. A caller that makes fewer
// calls than half-open needs results within it never closes its breaker, however
// well they go: ten trials in 60 s need one call each 6 s, from each breaker by
// itself. Config.HalfOpenNeeds tells both numbers. With less, permit fewer trials,
// decide early with one or two halfOpenSuccesses, set a longer limit or 0s, or let
// the limit close: transitionToStateAfterWaitDuration CLOSED.
//
// # Suggested values, and when not to
//
// Defaults are resilience4j's, made for busy servers. For a client with some ten
// calls a second: a TIME_BASED window of 10 s, at least 20 calls, 50 %, an open wait
// of 5 s, randomised so that a fleet does not come back together, and 3 trials.
// slowCallDurationThreshold belongs just below the timeout, or slow calls end as
// failures anyway. No breaker where calls are so few that the minimum is not reached
// in a window, where one key or host of many fails (it shuts all of them off), or
// where nothing better than the error can be answered and the dependency sheds load
// by itself.
package breaker
