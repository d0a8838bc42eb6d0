// Package ratelimit answers: may this call be made now, at what instant may it be
// made, or is it one too many for the rate that was agreed?
//
// A limiter keeps a contract about a rate, with a server that counts or on behalf of
// one that must be spared. It knows nothing of how the calls end. Whoever gets no
// permit in the time that they have is refused at once: nobody waits in vain.
//
//	call ---> [ limiter ] ---> Try: now, or refused (RetryAfter)
//	                      \--> Reserve: from the instant At on, at most maxWait from now
//
// # Types
//
// With L = limitForPeriod, P = limitRefreshPeriod, at L = 4 in one second; twelve
// calls (x) come at 0.6 s and may wait, after nobody has called for long:
//
//	s             0.6   0.75  1.0   1.25  1.5   1.75  2.0
//	cycle         xxxx        xxxx                    xxxx
//	token_bucket  xxxx     one each 0.25 s: 0.85, 1.1, 1.35, ...  2.6
//	smooth        x     x     x     x     x     x     x ...
//
// cycle (resilience4j): time is cut into periods, counted from the origin. Each has L
// permits; those not used are lost, those of later ones are reserved in order.
// n permits are there when the period of the last of them begins:
//
//	mark = max(mark, L floor(now/P)) + n       at = max(now, P floor((mark - 1)/L))
//
// token_bucket (x/time/rate): a bucket of B = burst permits is filled by one each P/L.
// mark is the instant at which it is full:
//
//	mark = max(mark, now) + n P/L              at = max(now, mark - B P/L)
//
// smooth (failsafe-go): a cycle of one permit and of length P/L. With slack S those of
// the last S intervals may still be taken, S + 1 at once (uber's limiter, there 10).
//
// # Law
//
// In every window of the length w, ends included, of calls for at most m permits:
//
//	token_bucket  at most  B + w L/P                                     m <= B
//	cycle         at most  L for each period touched       + m - 1
//	smooth        at most  1 for each interval touched + S + m - 1
//
// So a cycle may let 2 L through in a moment, at the edge of two periods, and smooth
// two. A call for more permits than a period has collects those of several: that is
// the m - 1. A bucket refuses it for ever. The law also holds when reservations are
// cancelled and when permits are drained.
//
// All numbers are integers, P/L is kept as a fraction: no rounding adds up. An
// instant between two nanoseconds is rounded up. A clock that goes back stands still.
//
// # Cancel, Drain, Change
//
// A call that gives up before its instant hands its permits back, as far as that lets
// no later call in beside those that have reserved since; see Limiter.Cancel. Drain
// takes what is there, for an answer that says "too many". Change replaces the
// settings: who waits keeps their instant and nobody overtakes them; if nobody waits
// the permits that are there stay, and a full limiter stays full. A rate that is
// changed all the time belongs in a token_bucket, which keeps parts of permits too.
//
// # Keys
//
// A Keyed has a limiter for each key in bounded memory: 52 bytes a key, the key
// itself twice, and what a map takes. A limiter that is full again answers like a new one. So when a
// new key comes and all places are taken, the key that was full first loses its place,
// and nothing shows it. If none is full, the new key shares one limiter with all that
// have none (overflow: shared), or is refused until the first is full (refuse). So
// with shared a key may pass at its own rate and, when it had no place before, at the
// shared one. With refuse strangers who invent keys can keep others out; with shared
// these have at least a part of one rate.
//
// # Values
//
// Calls that come by chance (Poisson) at a share of the rate, here 100 a second, are
// refused, in percent:
//
//	share of the rate            50 %   80 %   95 %
//	token_bucket    burst 1      33.3   44.4   48.7
//	                      5       0.2    3.6    8.3
//	                     10       0.0    0.4    3.2
//	                     20       0.0    0.0    0.9
//	cycle           1 in 10ms    21.3   31.1   35.5
//	                5 in 50ms     2.5   10.3   15.7
//	               10 in 100ms    0.4    5.4   10.5
//	               50 in 500ms    0.0    0.5    3.7
//	smooth, waits up to 10ms      5.6   14.4   19.6
//	                    50ms      0.0    1.8    5.9
//	                   100ms      0.0    0.2    2.5
//	                   200ms      0.0    0.0    0.8
//
// A burst of 10 to 20 does for a load below 80 %, and a wait of ten intervals does the
// same where a burst would hurt. A cycle needs five times as many permits for it: take
// it where the other side counts in periods as well. timeoutDuration must leave time
// for the call itself before its deadline.
//
// # When not to use it
//
// Not against overload of a server whose capacity is not known or not steady: a rate
// says nothing about calls that take ten times as long; take package adaptive or
// bulkhead. Not to react to failures: package throttle or breaker. Not as one limit of
// a fleet: each limiter knows only its own calls, n of them let n times the rate pass.
package ratelimit
