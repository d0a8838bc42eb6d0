// Package throttle answers: when most of what a client sends is refused, how much
// of it should the client not send at all?
//
// A server that refuses still pays for each refusal. A client that keeps account
// of what it asked and what was accepted can refuse the excess itself, at once and
// at no cost to anybody:
//
//	            draw < p
//	call ---> [ throttle ] ---> refused here (Throttled)
//	              |  ^
//	              v  | accepted or not
//	            server
//
// With r the requests and a the accepted ones of the sampling window, the
// probability of a refusal is
//
//	p = min(maxRejectionProbability, max(0, (r - K a)/(r + 1))^(1/aggression))
//
// and 0 while r is below minimumNumberOfCalls, or r per second below rpsThreshold.
// K may be given as the share of accepted requests below which the throttle
// begins: K = 100/successRateThreshold.
//
// # What counts as a request
//
// The peers differ, and it matters. Let a server accept c requests a second of
// the o that its clients have:
//
//	counting: all   r has the refused ones in it     it is sent K c
//	counting: sent  r has only what was sent         it is sent sqrt(o K c)
//
// (for o above K c). So with all, the excess that reaches a server is bounded
// however many the clients want; with sent it grows with the demand. The SRE book
// and kratos count all, Envoy and failsafe-go only what was sent.
//
// The price of all is a slow return: after an outage in which hardly anything was
// sent, what is sent grows by the factor K in each window, so that r calls a window
// take about log_K(r) windows: 27 minutes for 100 a second and the book's values. A
// cap, a shorter window or a larger K shortens that.
//
// A sent request counts when its result comes, in the bucket of that instant:
// calls under way are neither accepted nor refused, and a slow server is not
// taken for a refusing one. A refused one counts at once. What was ignored, or
// was not made further in, does not count.
//
// # Profiles
//
//	              K      counting  cap   aggression  window  buckets  least
//	Defaults      2      all       none  1           2m      60       0 calls
//	Envoy         1/0.95 sent      80    1           30s     30       0 rps
//	Failsafe      1/0.9  sent      90    1           1m      20       10 calls
//	Kratos        1/0.6  all       none  1           3s      10       100 calls
//
// Sources: Beyer et al., "Site Reliability Engineering", chapter 21; Envoy's
// admission control filter; failsafe-go's adaptive throttler; kratos' sre breaker.
// The book gives K and the window. Envoy divides its rate by the age of the oldest
// sample, this package by the whole window.
//
// # When not to use it
//
// Not for a client with a few calls a minute: the window knows nothing then. Not
// where a failed call says nothing about load, such as bad requests: report those
// as ignored. Not in place of a breaker for a dependency that is down: without a
// cap the probability nears 1 but a call now and then is still sent, which is how
// the throttle notices that the server is back.
//
// # Values
//
// K of 2 lets a server be sent twice what it accepts and reacts late; 1.1 saves it
// more work and refuses calls that might have passed. An aggression above 1 reacts
// sooner to a small excess. A cap below 100 makes sure that recovery is noticed.
package throttle
