package ratelimit

import "github.com/resilsim/resilsim/patterns"

// dues is a binary heap of places by the instant at which each becomes idle, as far
// as known: a limiter that has been asked since is idle later than it says here, so
// that a call need not touch the heap. It is looked up when a place is needed.
type dues struct {
	heap []due
	// position of each place in the heap
	position []int32
}

type due struct {
	at    patterns.Instant
	place int32
}

// first returns the place that is due first; of several the lowest.
func (d *dues) first() (place int32, at patterns.Instant) { return d.heap[0].place, d.heap[0].at }

// add appends the next place, due at once.
func (d *dues) add(place int32) {
	d.heap = append(d.heap, due{place: place})
	d.position = append(d.position, int32(len(d.heap)-1))
	d.up(len(d.heap) - 1)
}

// set gives a place another instant.
func (d *dues) set(place int32, at patterns.Instant) {
	i := int(d.position[place])
	d.heap[i].at = at
	d.down(d.up(i))
}

// earlier is set, unless the place is due before.
func (d *dues) earlier(place int32, at patterns.Instant) {
	if at < d.heap[d.position[place]].at {
		d.set(place, at)
	}
}

func (d *dues) up(i int) int {
	for i > 0 && d.less(i, (i-1)/2) {
		d.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
	return i
}

func (d *dues) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(d.heap); child++ {
			if d.less(child, least) {
				least = child
			}
		}
		if least == i {
			return
		}
		d.swap(i, least)
		i = least
	}
}

func (d *dues) less(i, j int) bool {
	a, b := d.heap[i], d.heap[j]
	return a.at < b.at || a.at == b.at && a.place < b.place
}

func (d *dues) swap(i, j int) {
	d.heap[i], d.heap[j] = d.heap[j], d.heap[i]
	d.position[d.heap[i].place] = int32(i)
	d.position[d.heap[j].place] = int32(j)
}
