// Package codel answers: has this request waited so long in a queue that does not
// drain that it is better to drop it than to serve it?
//
// A queue that is long for a moment is a burst and does no harm. One whose waits
// never get short is a standing queue: it costs every request the same wait and
// serves no more of them. The sign is the minimum wait of an interval, which a
// burst does not raise.
//
//	wait
//	  |   *    *  *
//	  | *   **  *   *   minimum above target: overloaded
//	  |---------------- target
//	  |  *   *
//	  |*   *  * * *     minimum below target: a burst, or nothing
//	  +----------------------------------------> time
//	   <---------------> interval
//
// # Services
//
// The rule of folly's Codel, the default. An interval begins with a request and
// is judged by the first request more than interval later, which begins the next
// and is never dropped:
//
//	overloaded = minimum wait of the interval that ended > target
//	drop       = overloaded and wait > 2 target
//
// The very first request counts as an interval of its own, so the second one is
// judged by it. An interval without requests, and an empty queue, say that there
// is no overload: Empty tells the latter. folly knows neither; it stays
// overloaded for the first interval after an idle hour.
//
// # RFC 8289
//
// The rule for packets, as an option. Once waits have been at or above target for
// an interval without a pause, one request is dropped, and as long as that lasts
// the next ones at shrinking distances, the n-th drop being followed after
//
//	interval / sqrt(n)
//
// A new spell of dropping that begins within 16 intervals of the last goes on
// with about the distance at which that ended. The RFC spares the last packet in
// the queue; here Empty after it has the same effect from the next request on.
//
// # When not to use it
//
// Not where each request must be served however late: a drop is final. Not where
// the wait is not known, for instance in front of a pool that hides its queue. Not
// as the only bound of a queue: until the first interval is over nothing is
// dropped, so bound its length too. The rule for packets suits senders that slow
// down when dropped; callers that retry at once do not.
//
// # Values
//
// target 5ms and interval 100ms suit services that answer in some ms: the
// target is the wait that is nobody's concern, the interval at least the time in
// which a burst drains, and several times the target. The paper "Fail at Scale"
// (Maurer, 2015) found that the same values did for all services it tried.
//
// # Time
//
// The core is asked once for each request that is taken from the queue, with its
// wait. Instants come in; one before an instant already seen is taken as that one.
package codel
