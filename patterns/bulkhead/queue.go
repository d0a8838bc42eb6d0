package bulkhead

import (
	"math/bits"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Request is a call that asks for a slot and says what its queue may look at.
type Request struct {
	// Owner is handed back when the call is granted or dropped.
	Owner uint64
	// Level of a priority queue: higher is served first. Outside 0 to levels-1
	// the nearest counts.
	Level int
	// Deadline of the call; 0 or patterns.Never: none.
	Deadline patterns.Instant
}

// Answer is what a call hears that asks.
type Answer struct {
	Ticket   Ticket
	Decision Decision
	// Reason of a rejection: patterns.BulkheadFull, or patterns.DeadlineExceeded
	// for a call that has too little time left.
	Reason patterns.Reason
	// Until is when a queued call cancels; a grant at that very instant still
	// wins. It is the end of its patience, or the last instant at which enough
	// time is left before its deadline.
	Until patterns.Instant
}

// Drop tells a waiting call that it will get no slot. Its ticket is no more.
type Drop struct {
	Ticket Ticket
	Owner  uint64
	Waited time.Duration
	// Reason is patterns.Shed (displaced by a call of a higher level),
	// patterns.DeadlineExceeded (too little time left when its turn came) or
	// patterns.BulkheadTimeout (its patience had ended by then).
	Reason patterns.Reason
}

// queue is what a bulkhead remembers whose queue looks at its calls.
type queue struct {
	set   *queueSettings
	terms []terms          // by the places of stays
	lines []line           // by level; nil: one line
	some  uint64           // a bit for each level at which calls wait
	since patterns.Instant // the queue has not been empty since
	drops []Drop           // not yet told

	displaced, late, impatient, hopeless int64
}

// terms are what a waiting call will put up with.
type terms struct {
	until patterns.Instant // end of patience or of usefulness
	last  patterns.Instant // end of usefulness: later too little time is left
	level uint8
}

func newQueue(s *queueSettings) *queue {
	if s == nil {
		return nil
	}
	q := &queue{set: s}
	for range s.levels {
		q.lines = append(q.lines, line{none, none})
	}
	return q
}

// Ask asks for a slot. Level and deadline are looked at if the settings are a
// QueueConfig's. A full priority queue makes room for a call by dropping the newest
// of the lowest level, if that is lower than the call's. Take Dropped after each
// step. O(1); memory grows only with the number of stays at one time.
func (b *Bulkhead) Ask(now patterns.Instant, r Request) Answer {
	now = b.clock(now)
	q := b.queue
	if q == nil {
		ticket, d := b.enter(now, r.Owner)
		return b.answer(ticket, d, now.Add(b.settings.maxWait))
	}
	t := terms{last: q.lastStart(r.Deadline), level: q.level(r.Level)}
	if now > t.last {
		b.rejected++
		q.hopeless++
		return Answer{Decision: Rejected, Reason: patterns.DeadlineExceeded}
	}
	patience := b.settings.maxWait
	if b.congested(now) {
		patience = q.set.target
	}
	t.until = min(now.Add(patience), t.last)
	if b.waiting >= b.settings.capacity {
		b.displace(now, t.level)
	}
	// The terms must be known before the stay is put in its line.
	if place := b.place(); place == len(q.terms) {
		q.terms = append(q.terms, t)
	} else {
		q.terms[place] = t
	}
	ticket, d := b.enter(now, r.Owner)
	return b.answer(ticket, d, t.until)
}

func (b *Bulkhead) answer(t Ticket, d Decision, until patterns.Instant) Answer {
	switch d {
	case Queued:
		return Answer{Ticket: t, Decision: d, Until: until}
	case Rejected:
		return Answer{Decision: d, Reason: patterns.BulkheadFull}
	}
	return Answer{Ticket: t, Decision: d}
}

// Dropped appends the calls that were dropped since it was last asked to buf, in
// the order in which they were, and returns it.
func (b *Bulkhead) Dropped(buf []Drop) []Drop {
	if b.queue == nil {
		return buf
	}
	buf = append(buf, b.queue.drops...)
	b.queue.drops = b.queue.drops[:0]
	return buf
}

// place returns where the next stay will be.
func (b *Bulkhead) place() int {
	if b.free == none {
		return len(b.stays)
	}
	return int(b.free)
}

// congested reports whether the queue has not been empty for longer than the
// interval.
func (b *Bulkhead) congested(now patterns.Instant) bool {
	q := b.queue
	return q != nil && q.set.interval > 0 && b.waiting > 0 && now.Sub(q.since) > q.set.interval
}

// displace drops the newest waiting call of the lowest level, if it is below the
// given one.
func (b *Bulkhead) displace(now patterns.Instant, level uint8) {
	q := b.queue
	if q.some == 0 || q.lines == nil || bits.TrailingZeros64(q.some) >= int(level) {
		return
	}
	i := q.lines[bits.TrailingZeros64(q.some)].newest
	b.remove(i)
	q.displaced++
	b.drop(i, now, patterns.Shed)
}

// tooLate drops a stay that has been taken out of its line if it can no longer use
// a slot.
func (b *Bulkhead) tooLate(i int32, now patterns.Instant) bool {
	q := b.queue
	switch t := q.terms[i]; {
	case now <= t.until:
		return false
	case now > t.last:
		q.late++
		b.drop(i, now, patterns.DeadlineExceeded)
	default:
		q.impatient++
		b.drop(i, now, patterns.BulkheadTimeout)
	}
	return true
}

func (b *Bulkhead) drop(i int32, now patterns.Instant, why patterns.Reason) {
	st := &b.stays[i]
	b.queue.drops = append(b.queue.drops, Drop{Ticket: b.ticket(i), Owner: st.owner, Waited: now.Sub(st.since), Reason: why})
	b.vacate(i)
}

// lastStart is the last instant at which a call may start.
func (q *queue) lastStart(deadline patterns.Instant) patterns.Instant {
	if deadline == 0 || deadline == patterns.Never {
		return patterns.Never
	}
	return max(deadline, 0) - patterns.Instant(q.set.remaining)
}

func (q *queue) level(n int) uint8 { return uint8(max(0, min(n, q.set.levels-1))) }

func (q *queue) highest() int { return bits.Len64(q.some) - 1 }

// joined notes that a call of a level waits; first: no other does.
func (q *queue) joined(level uint8, first bool, now patterns.Instant) {
	q.some |= 1 << level
	if first {
		q.since = now
	}
}

// emptied notes that no call of a level waits any more.
func (q *queue) emptied(level uint8) { q.some &^= 1 << level }
