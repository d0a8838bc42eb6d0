package models

import "math/bits"

// Levels of priority that services tell apart.
const Levels = 64

// ranks divide a list by levels, highest first: who comes in finds the end of those
// of its level, or their beginning, in constant time.
type ranks struct {
	some uint64 // a bit for each level of which there are any
	last [Levels]uint32
	n    [Levels]int32
}

// rank puts a task into a list by its level: behind all others of it, or before them.
func (g *Graph) rank(l *list, r *ranks, slot uint32, t *task, level uint8, before bool) {
	above := r.some &^ (1<<level - 1)
	if before {
		above &^= 1 << level
	}
	after := int32(nobody)
	if above != 0 {
		after = int32(r.last[bits.TrailingZeros64(above)])
	}
	g.insert(l, after, slot, t)
	if r.n[level] == 0 || !before {
		r.last[level] = slot
	}
	r.n[level]++
	r.some |= 1 << level
}

// leaves notes that a task is about to be taken out of its list.
func (r *ranks) leaves(slot uint32, t *task, level uint8) {
	if r.n[level]--; r.n[level] == 0 {
		r.some &^= 1 << level
	} else if r.last[level] == slot {
		// The one before is of the same level, as there are others of it.
		r.last[level] = uint32(t.prev)
	}
}

// insert puts a task behind another one; nobody: in front.
func (g *Graph) insert(l *list, after int32, slot uint32, t *task) {
	if l.n == 0 || (after != nobody && uint32(after) == l.last) {
		g.push(l, slot, t)
		return
	}
	t.prev = after
	if after == nobody {
		t.next = int32(l.first)
		l.first = slot
	} else {
		before := g.tasks.at(uint32(after))
		t.next = before.next
		before.next = int32(slot)
	}
	g.tasks.at(uint32(t.next)).prev = int32(slot)
	l.n++
}
