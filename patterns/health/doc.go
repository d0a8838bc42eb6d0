// Package health answers two questions that are often taken for one: should this
// instance be sent requests now (Readiness), and has it to be restarted (Liveness)?
//
//	                     not ready                       not alive
//	what follows         requests go to other instances  the process is killed
//	what helps           less load                       a fresh process
//	what is looked at    own pools, own queue, own       own loops: do they still
//	                     shedding                        come round
//	what is not          any dependency                  any dependency, any load
//
// Both are cores: they hear of loads, calls and beats at instants that the driver
// gives, and no method of either hears of a dependency.
//
// # Readiness
//
//	                   a pool full for saturatedAfter, a queue for queueFullAfter,
//	                   shedThreshold of the requests refused
//	          Start  ┌────────────────────────────────────────────────► unready
//	starting ─────► ready                                                  │
//	                 ▲───────────────────────────────────────────────────┘
//	                   calm for recoveryDuration, or after maxUnreadyDuration
//
//	any state ── Drain ──► draining, for good
//
// It does not flap, for three reasons. A symptom has to last. Calm is less than
// the absence of a symptom: pools and queues at recoveryUtilization or below, refusals at
// recoveryShed or below, all the time. And each state has a least stay: ready for
// minimumReadyDuration, unready for the lesser of recoveryDuration and
// maxUnreadyDuration.
//
// The share of refused requests is that of a whole window: windows follow each other from the
// driver's origin, and one with fewer than minimumNumberOfCalls says nothing.
//
// maxUnreadyDuration is the way out when the whole fleet is overloaded: if each instance
// leaves because all are full, those that are left get all the load and
// leave too. With it they come back and serve what they can, while their own
// limits refuse the rest. Symptoms begin anew then.
//
// Watch the pool through which all requests go. A bulkhead in front of one
// dependency is not such a pool: when that is full, requests that need the
// dependency are refused at once, and all others are served. An instance
// that leaves for it takes those others away, and since the dependency is
// the same for the whole fleet, so does each instance.
//
// # Liveness
//
// A loop beats each time it comes round, and rests when it waits for work. It is stuck
// when missedChecks checks in a row have found its last beat older than
// heartbeatTimeout. More than one check, because a process that was frozen (paused,
// starved of processor time, collecting garbage) finds all beats old at the
// first check after it, and is well.
//
// heartbeatTimeout has to be longer than the longest a loop may rightly take for
// one turn, timeouts of its calls and their retries included. If it is
// not, a slow dependency kills healthy processes.
//
// # Mistakes that are often made
//
//   - A deep readiness check: ready only if the database answers. When it does not, all
//     instances are unready at once, and the balancer has nobody to send requests
//     to, those that need no database among them. When it is back, all come
//     back at once. A request that needs it can fail by itself: a breaker sees to that.
//   - Liveness tied to a dependency or to a breaker: open for a minute, and the healthy
//     process is restarted. It loses its caches and connections, starts
//     cold into an outage, and has told nobody more than the breaker had.
//   - Liveness tied to load: the busiest instance is killed, its load goes to the
//     next, which is the busiest then.
//   - One answer for both probes. What should send load away kills.
//   - A probe that waits in the queue of the requests: it measures the load. Answer probes
//     without going through the pools that they tell of.
//   - A startup that is slow and has no state of its own: here a loop that never beat is
//     not stuck, and what has not started is not ready and still alive.
//
// # When not to use it
//
// Not in place of outlier ejection, by which callers leave out an instance that
// fails though it feels well. Not where the balancer has no other instance.
//
// # Values
//
// saturatedAfter shorter than a usual burst sends bursts round the fleet; longer than the
// callers' timeouts it comes too late for them. recoveryDuration of two or three
// probe periods lets the balancer see both states.
package health
