package models

// list is a list of tasks through their own records: anyone can be taken out in
// constant time, and nothing is allocated.
type list struct {
	first, last uint32
	n           int
}

// nobody marks the end of a list.
const nobody = -1

// push puts a task at the end.
func (g *Graph) push(l *list, slot uint32, t *task) {
	t.next, t.prev = nobody, nobody
	if l.n == 0 {
		l.first = slot
	} else {
		g.tasks.at(l.last).next = int32(slot)
		t.prev = int32(l.last)
	}
	l.last = slot
	l.n++
}

// remove takes a task out, wherever it stands.
func (g *Graph) remove(l *list, slot uint32, t *task) {
	if l.n == 0 || (t.prev == nobody && l.first != slot) || (t.next == nobody && l.last != slot) {
		panic("models: a task leaves only the list that it is in")
	}
	if t.prev == nobody {
		l.first = uint32(t.next)
	} else {
		g.tasks.at(uint32(t.prev)).next = t.next
	}
	if t.next == nobody {
		l.last = uint32(t.prev)
	} else {
		g.tasks.at(uint32(t.next)).prev = t.prev
	}
	t.next, t.prev = nobody, nobody
	l.n--
}
