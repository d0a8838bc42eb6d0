// Package adaptive answers: how many calls may be inside a dependency at one
// time, when nobody knows its capacity and the capacity changes?
//
// A limiter counts the calls inside and refuses those beyond a limit. The limit
// moves by what ended calls say. An answered call tells its round trip; a round
// trip longer than that of an idle dependency means that calls wait there. A
// dropped call (timed out, or refused by the dependency as too much) tells that
// the limit is too high. All others tell nothing: above all a failure, which
// mostly comes fast and would pass for an idle dependency. SignalOf sorts
// results in this way.
//
// With L the limit, R the round trip of a sample, B the base (the round trip
// without load), n the number of calls inside when the sample's call began:
//
//	aimd       drop, or R > timeout:  L' = trunc(L * backoffRatio)
//	           otherwise:             L' = L + 1 if 2n >= L
//	vegas      Q = ceil(L * (1 - B/R)), B the least R, l = max(1, trunc(log10 L))
//	           drop: L - l; no change if 2n < L; Q <= l: L + beta;
//	           Q < alpha: L + l; Q > beta: L - l; then smoothed
//	gradient2  B the average of the last ~longWindow R; no change if n < L/2;
//	           g = tolerance * B/R within [0.5, 1]
//	           L' = (1-s) * L + s * (L * g + queueSize), s the smoothing
//	gradient   B the least R; drop: L * backoffRatio; no change if n < L/2;
//	           L' = L * g + max(4, trunc(sqrt L)), smoothed on the way down
//	envoy      B measured from time to time with L pinned to a small number;
//	           g = (1 + buffer) * B/R within [0.5, 2], R a percentile of a window
//	           L' = trunc(L * g + sqrt(L * g))
//
// always within [minLimit, maxLimit].
//
// # Which one, and with what values
//
// aimd with a timeout a few times the usual round trip is the one to begin with:
// it needs no base, so it has none to get wrong, and it settles just below the
// limit at which calls are dropped, at (1 + backoffRatio)/2 of it on average. The
// others hold back before anything is dropped. vegas and gradient need a base that is
// remeasured (probeMultiplier 30, probeInterval 1000) since one lucky sample sets
// it. gradient2 bears round trips that differ between calls. envoy measures its
// base honestly, at the price of turning most calls away for minRttRequestCount
// calls each minRttInterval; with few calls a measurement takes its time. The
// floor matters in every one: minLimit is what passes when the algorithm is wrong.
//
// Give all but envoy a Window, some ten times the usual round trip long. Without
// one each of the calls that one queue delayed lowers the limit again: at a server
// of 40 slots with more load than it can serve, aimd then uses 55 % of it, with
// windows all. Where the limits come to rest under lasting overload of a server
// with C slots, all calls alike:
//
//	aimd       from backoffRatio to 1 times C * timeout/B
//	vegas      C + alpha to C + beta, as much again after a probe in the queue
//	gradient   L = tolerance * C + sqrt L
//	envoy      L = (1 + buffer) * C + sqrt((1 + buffer) * C)
//	gradient2  nowhere: its base learns the overload and L creeps up; give it a
//	           maxLimit, and a backoffRatio if calls have a timeout
//
// # Not for
//
// A dependency with a known number of slots: that is a bulkhead. Limits on a rate
// or for fairness between callers. Fewer than some ten calls a second, where
// samples are too old when they are counted. Round trips that differ a
// hundredfold by kind of call, without a limiter for each kind.
//
// # What is different from the origins
//
// The time after which a drop came is no round trip: a refusal is too quick, a
// timeout is cut short. It never becomes a base, nor part of one in vegas,
// gradient and envoy. gradient2 and envoy hear it where it is longer than the
// base, as a lower bound; quicker drops tell them nothing, unless gradient2 has a
// backoffRatio. (Envoy itself does not hear timeouts, Netflix' hear every drop's
// time.) A sample window with too few samples is thrown away, but not its drops.
//
// gradient2 has a weakness of its own: its base learns what it sees. One odd
// first round trip, of a cold start for example, raises the base so far that the
// limit grows unchecked until the load has made such round trips normal; then it
// never comes down again. medianSamples (5 is enough) puts the median of the last
// samples in the place of each, so that no single odd one is heard; it
// helps vegas and gradient against a lucky one as well. In none does it help
// against half the samples being odd.
//
// # Partitions
//
// Shares of the limit may be kept for classes of calls. Below the limit they are
// not looked at; beyond it a call passes while its class has less than its share
// inside, rounded up, at least 1.
package adaptive
