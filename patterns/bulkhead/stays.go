package bulkhead

import "github.com/resilsim/resilsim/patterns"

// line is a queue of stays, linked through next and prev.
type line struct{ oldest, newest int32 }

// take returns the place of a fresh stay, from the free list if it can.
func (b *Bulkhead) take(owner uint64, now patterns.Instant, state stayState) int32 {
	i := b.free
	if i == none {
		i = int32(len(b.stays))
		b.stays = append(b.stays, stay{})
	} else {
		b.free = b.stays[i].next
	}
	st := &b.stays[i]
	*st = stay{owner: owner, since: now, generation: st.generation + 1, next: none, prev: none, state: state}
	return i
}

// vacate puts a stay on the free list. Its generation stays, so that old tickets
// are known as such.
func (b *Bulkhead) vacate(i int32) {
	st := &b.stays[i]
	st.state = vacant
	st.next = b.free
	b.free = i
}

func (b *Bulkhead) ticket(i int32) Ticket {
	return Ticket(uint64(b.stays[i].generation)<<32 | uint64(uint32(i+1)))
}

// find returns the place of a ticket that is in the given state.
func (b *Bulkhead) find(t Ticket, state stayState) (int32, bool) {
	i := int64(uint32(t)) - 1
	if i < 0 || i >= int64(len(b.stays)) {
		return none, false
	}
	st := &b.stays[i]
	return int32(i), st.state == state && st.generation == uint32(t>>32)
}

// lineOf returns the line that a stay waits in.
func (b *Bulkhead) lineOf(i int32) *line {
	if b.queue != nil && b.queue.lines != nil {
		return &b.queue.lines[b.queue.terms[i].level]
	}
	return &b.line
}

// append puts a stay at the end of its line.
func (b *Bulkhead) append(i int32) {
	l, st := b.lineOf(i), &b.stays[i]
	st.prev = l.newest
	if l.newest == none {
		l.oldest = i
	} else {
		b.stays[l.newest].next = i
	}
	l.newest = i
	if b.queue != nil {
		b.queue.joined(b.queue.terms[i].level, b.waiting == 0, st.since)
	}
	b.waiting++
}

// remove takes a stay out of its line, wherever it stands.
func (b *Bulkhead) remove(i int32) {
	l, st := b.lineOf(i), &b.stays[i]
	if st.prev == none {
		l.oldest = st.next
	} else {
		b.stays[st.prev].next = st.next
	}
	if st.next == none {
		l.newest = st.prev
	} else {
		b.stays[st.next].prev = st.prev
	}
	st.next, st.prev = none, none
	b.waiting--
	if l.oldest == none && b.queue != nil {
		b.queue.emptied(b.queue.terms[i].level)
	}
}
