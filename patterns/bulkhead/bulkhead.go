package bulkhead

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Ticket names one stay in the bulkhead. The zero Ticket is never valid.
type Ticket uint64

// Decision is the answer to a call that enters.
type Decision uint8

// The decisions.
const (
	// Granted: the call has a slot.
	Granted Decision = iota + 1
	// Queued: the call waits; a Grant will name its ticket.
	Queued
	// Rejected: no slot and no room to wait. There is no ticket.
	Rejected
)

// String returns the decision in lower case.
func (d Decision) String() string {
	switch d {
	case Granted:
		return "granted"
	case Queued:
		return "queued"
	case Rejected:
		return "rejected"
	}
	return "unknown"
}

// Grant tells a waiting call that it has its slot now.
type Grant struct {
	Ticket Ticket
	// Owner is what the call gave to Enter.
	Owner uint64
	// Waited is how long it waited.
	Waited time.Duration
}

// Bulkhead hands out a bounded number of slots. It is not safe for concurrent
// use: a driver with goroutines holds a lock around each method. A copy shares
// its memory with the original: keep one.
type Bulkhead struct {
	settings *Settings
	queue    *queue // nil: the queue does not look at its calls
	slots    int
	core     int // slots that are given before the queue is full; slots but in a pool
	inUse    int
	waiting  int
	stays    []stay
	free     int32 // head of the list of free stays, through next
	line     line  // waiting stays, unless there are levels
	seen     patterns.Instant
	granted  int64
	queued   int64
	rejected int64
	gaveUp   int64
}

// stay is one ticket's record. Its place is the low half of the ticket.
type stay struct {
	owner      uint64
	since      patterns.Instant
	generation uint32
	next, prev int32
	state      stayState
}

type stayState uint8

const (
	vacant stayState = iota
	waits
	holds
)

const none = -1

// New returns an empty bulkhead.
func New(s *Settings) Bulkhead {
	return Bulkhead{
		settings: s, queue: newQueue(s.queue), slots: s.slots, core: s.core,
		free: none, line: line{none, none},
	}
}

// MaxWait returns how long a queued call may wait before it cancels; in a pool
// the longest duration there is.
func (b *Bulkhead) MaxWait() time.Duration { return b.settings.maxWait }

// Enter asks for a slot. The owner is handed back when a queued call is granted.
// O(1); memory grows only with the number of stays at one time.
func (b *Bulkhead) Enter(now patterns.Instant, owner uint64) (Ticket, Decision) {
	if b.queue != nil {
		a := b.Ask(now, Request{Owner: owner})
		return a.Ticket, a.Decision
	}
	return b.enter(b.clock(now), owner)
}

// enter decides without a look at the call.
func (b *Bulkhead) enter(now patterns.Instant, owner uint64) (Ticket, Decision) {
	full := b.waiting >= b.settings.capacity
	if b.inUse < b.core && b.waiting == 0 || full && b.inUse < b.slots {
		return b.admit(now, owner), Granted
	}
	if full {
		b.rejected++
		return 0, Rejected
	}
	i := b.take(owner, now, waits)
	b.append(i)
	b.queued++
	return b.ticket(i), Queued
}

func (b *Bulkhead) admit(now patterns.Instant, owner uint64) Ticket {
	i := b.take(owner, now, holds)
	b.inUse++
	b.granted++
	return b.ticket(i)
}

// Leave gives a slot back and grants it to the next waiting call, which is
// appended to granted. It reports whether the ticket held a slot; if not, nothing
// changes. O(1).
func (b *Bulkhead) Leave(now patterns.Instant, t Ticket, granted *[]Grant) bool {
	i, ok := b.find(t, holds)
	if !ok {
		return false
	}
	b.vacate(i)
	b.inUse--
	now = b.clock(now)
	if b.waiting > 0 {
		// A pool's worker above the core size goes on with the next waiting call.
		b.serve(now, max(b.core, min(b.inUse+1, b.slots)), granted)
	}
	return true
}

// Cancel takes a waiting ticket out of the queue. It reports false, and changes
// nothing, if the ticket does not wait: if it was granted already, the call has
// its slot and must leave; if it was dropped, it is out. O(1).
func (b *Bulkhead) Cancel(now patterns.Instant, t Ticket, granted *[]Grant) bool {
	i, ok := b.find(t, waits)
	if !ok {
		return false
	}
	b.remove(i)
	b.vacate(i)
	b.gaveUp++
	b.serve(b.clock(now), b.core, granted)
	return true
}

// Holds reports whether the ticket has a slot: a call whose Cancel came too late was
// granted its slot if it does, and was dropped if not. O(1).
func (b *Bulkhead) Holds(t Ticket) bool {
	_, ok := b.find(t, holds)
	return ok
}

// Resize sets the number of slots, at least 1, while calls are inside; of a pool
// both its sizes. Growing grants to waiting calls at once; shrinking evicts nobody:
// calls are admitted again when fewer than n are inside.
func (b *Bulkhead) Resize(now patterns.Instant, n int, granted *[]Grant) {
	b.slots = max(n, 1)
	b.core = b.slots
	b.serve(b.clock(now), b.core, granted)
}

// Snapshot is what a bulkhead shows.
type Snapshot struct {
	Slots, InUse, Waiting int
	// Granted at once, Queued, Rejected, and GaveUp of the queued, in all.
	Granted, Queued, Rejected, GaveUp int64
	// Displaced, Late and Impatient were dropped of the queued: for one of a
	// higher level, for want of time before the deadline, and because their
	// patience had ended when their turn came.
	Displaced, Late, Impatient int64
	// Hopeless of the rejected had no time left when they asked.
	Hopeless int64
}

// Snapshot returns all counters.
func (b *Bulkhead) Snapshot() Snapshot {
	s := Snapshot{
		Slots: b.slots, InUse: b.inUse, Waiting: b.waiting,
		Granted: b.granted, Queued: b.queued, Rejected: b.rejected, GaveUp: b.gaveUp,
	}
	if q := b.queue; q != nil {
		s.Displaced, s.Late, s.Impatient, s.Hopeless = q.displaced, q.late, q.impatient, q.hopeless
	}
	return s
}

// serve grants slots to waiting calls in the order of the settings while fewer
// than limit are in use.
func (b *Bulkhead) serve(now patterns.Instant, limit int, granted *[]Grant) {
	for b.waiting > 0 && b.inUse < limit {
		i := b.next(now)
		b.remove(i)
		if b.queue != nil && b.tooLate(i, now) {
			continue
		}
		st := &b.stays[i]
		st.state = holds
		b.inUse++
		if granted != nil {
			*granted = append(*granted, Grant{Ticket: b.ticket(i), Owner: st.owner, Waited: now.Sub(st.since)})
		}
	}
}

// next returns the waiting stay whose turn it is. There is one.
func (b *Bulkhead) next(now patterns.Instant) int32 {
	switch {
	case b.queue != nil && b.queue.lines != nil:
		return b.queue.lines[b.queue.highest()].oldest
	case b.settings.newest || b.congested(now):
		return b.line.newest
	}
	return b.line.oldest
}

func (b *Bulkhead) clock(now patterns.Instant) patterns.Instant {
	b.seen = max(b.seen, now)
	return b.seen
}
