// Package bulkhead answers: is there a slot for one more call, and if not, who is
// served next when one becomes free?
//
//	             inside < slots                       leave
//	call --+--------------------------> [ slots ] ----------> out
//	       |                               ^
//	       | full                          | a slot becomes free: granted
//	       v                               |
//	   [ queue ] --------------------------+
//	       |
//	       +--> rejected (no room), cancelled (patience), dropped (see below)
//
// A call that enters gets a ticket. It is granted a slot at once, or waits, or is
// rejected. A granted ticket must leave exactly once; a waiting one is granted
// when its turn comes, or is cancelled by its caller. A slot that becomes free
// goes to a waiting call in the same step, so that no newcomer can overtake and
// no slot lies idle while anybody waits.
//
// The core does not time the waits: the caller that waited MaxWait in vain
// cancels its ticket. If the grant came at the same instant, the grant wins:
// Cancel says false, and the call has its slot.
//
// Tickets carry a generation, so that leaving twice, or with a ticket of long
// ago, is refused and harmless.
//
// # Queues that look at their calls
//
// Settings of a QueueConfig make the queue look at each call. Such a bulkhead is
// entered by Ask, and may drop a call that waits; its driver takes Dropped after
// each step and ends those calls. With s the instant since which the queue has not
// been empty, and t now:
//
//	fifo           oldest first
//	lifo           newest first
//	adaptive_lifo  t - s <= interval: oldest first, patience maxWaitDuration
//	               t - s >  interval: newest first, patience target for comers
//	priority       highest level first, oldest first within a level; when the queue
//	               is full, the newest call of the lowest level makes room for one
//	               of a higher level (Shed)
//
// In every order a call with a deadline is rejected if it has less than
// minRemainingDuration left when it asks, and skipped and dropped if it has less
// when its turn comes (DeadlineExceeded); so is one whose patience has ended by
// then and whose caller has not cancelled it (BulkheadTimeout).
//
// # Pools
//
// Settings of a PoolConfig use the names of resilience4j's ThreadPoolBulkhead. If
// coreThreadPoolSize is maxThreadPoolSize, it is another way to write slots and a
// bounded queue without a bound of time. If it is less, the slots above it are
// given only while the queue is full.
//
// # Size
//
// By Little's law a dependency that is sent r calls a second, each of which takes
// w, has r w of them inside. So
//
//	slots = highest wanted rate x time of a slow but sound call
//
// and a call that finds q waiting before it waits about q w / slots. A queueCapacity
// above slots x (patience / w) can only hold calls that will be too late.
//
// # When not to use it
//
// Not where the right number of slots changes with the load or the machines: an
// adaptive limit finds it. Not to bound a rate: a fast dependency passes any number
// of calls a second through one slot. LIFO and priority let some calls starve under
// lasting overload, on purpose; where each caller has a right to its turn use
// fifo. Do not let calls wait at all (maxWaitDuration 0) where the caller has
// something better to do than wait.
//
// # Values
//
// resilience4j suggests 25 slots and no wait; its pools have a queue of 100.
// "Fail at Scale" (Maurer, 2015) suggests adaptive_lifo with an interval of 100ms
// and a target of 5ms for all services. minRemainingDuration is well chosen near
// the median time of a call.
package bulkhead
