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
	slots    int
	inUse    int
	waiting  int
	stays    []stay
	free     int32 // head of the list of free stays, through next
	oldest   int32 // ends of the list of waiting stays
	newest   int32
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
	return Bulkhead{settings: s, slots: s.slots, free: none, oldest: none, newest: none}
}

// MaxWait returns how long a queued call may wait before it cancels.
func (b *Bulkhead) MaxWait() time.Duration { return b.settings.maxWait }

// Enter asks for a slot. The owner is handed back when a queued call is granted.
// O(1); memory grows only with the number of stays at one time.
func (b *Bulkhead) Enter(now patterns.Instant, owner uint64) (Ticket, Decision) {
	now = b.clock(now)
	if b.waiting == 0 && b.inUse < b.slots {
		i := b.take(owner, now, holds)
		b.inUse++
		b.granted++
		return b.ticket(i), Granted
	}
	if b.waiting >= b.settings.capacity {
		b.rejected++
		return 0, Rejected
	}
	i := b.take(owner, now, waits)
	b.append(i)
	b.queued++
	return b.ticket(i), Queued
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
	b.serve(b.clock(now), granted)
	return true
}

// Cancel takes a waiting ticket out of the queue. It reports false, and changes
// nothing, if the ticket does not wait: if it was granted already, the call has
// its slot and must leave. O(1).
func (b *Bulkhead) Cancel(now patterns.Instant, t Ticket, granted *[]Grant) bool {
	i, ok := b.find(t, waits)
	if !ok {
		return false
	}
	b.remove(i)
	b.vacate(i)
	b.gaveUp++
	b.serve(b.clock(now), granted)
	return true
}

// Resize sets the number of slots, at least 1, while calls are inside. Growing
// grants to waiting calls at once; shrinking evicts nobody: calls are admitted
// again when fewer than n are inside.
func (b *Bulkhead) Resize(now patterns.Instant, n int, granted *[]Grant) {
	b.slots = max(n, 1)
	b.serve(b.clock(now), granted)
}

// Snapshot is what a bulkhead shows.
type Snapshot struct {
	Slots, InUse, Waiting int
	// Granted at once, Queued, Rejected, and GaveUp of the queued, in all.
	Granted, Queued, Rejected, GaveUp int64
}

// Snapshot returns all counters.
func (b *Bulkhead) Snapshot() Snapshot {
	return Snapshot{
		Slots: b.slots, InUse: b.inUse, Waiting: b.waiting,
		Granted: b.granted, Queued: b.queued, Rejected: b.rejected, GaveUp: b.gaveUp,
	}
}

// serve grants free slots to waiting calls in the order of the settings.
func (b *Bulkhead) serve(now patterns.Instant, granted *[]Grant) {
	for b.waiting > 0 && b.inUse < b.slots {
		i := b.oldest
		if b.settings.newest {
			i = b.newest
		}
		b.remove(i)
		st := &b.stays[i]
		st.state = holds
		b.inUse++
		if granted != nil {
			*granted = append(*granted, Grant{Ticket: b.ticket(i), Owner: st.owner, Waited: now.Sub(st.since)})
		}
	}
}

func (b *Bulkhead) clock(now patterns.Instant) patterns.Instant {
	b.seen = max(b.seen, now)
	return b.seen
}
