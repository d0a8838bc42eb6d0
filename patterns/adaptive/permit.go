package adaptive

import "github.com/resilsim/resilsim/patterns"

// Permit is the right to make one call. It is given back exactly once, by
// Report. The zero Permit is never valid.
type Permit struct {
	// Start is when it was given; the round trip counts from here.
	Start patterns.Instant
	// Slot is its place among the permits that are out.
	Slot uint32
	// Generation numbers the permits of that place, from 1.
	Generation uint32
}

// Unknown is the number of no partition.
const Unknown = -1

// none ends the list of free places.
const none = -1

// slab holds a record for each permit that is out.
type slab struct {
	calls []call
	free  int32 // head of the list of free places, through next
}

type call struct {
	start      patterns.Instant
	generation uint32
	inFlight   int32 // when it began, itself included; 0: the place is free
	partition  int32
	next       int32
}

func (s *slab) take(now patterns.Instant, inFlight, partition int) Permit {
	i := s.free
	if i == none {
		i = int32(len(s.calls))
		s.calls = append(s.calls, call{})
	} else {
		s.free = s.calls[i].next
	}
	c := &s.calls[i]
	c.generation++
	if c.generation == 0 {
		c.generation = 1
	}
	c.start, c.inFlight, c.partition = now, int32(inFlight), int32(partition)
	return Permit{Start: now, Slot: uint32(i), Generation: c.generation}
}

// giveBack frees the permit's place and returns its record.
func (s *slab) giveBack(p Permit) (call, bool) {
	if int64(p.Slot) >= int64(len(s.calls)) {
		return call{}, false
	}
	c := &s.calls[p.Slot]
	if c.inFlight == 0 || c.generation != p.Generation || c.start != p.Start {
		return call{}, false
	}
	record := *c
	c.inFlight = 0
	c.next = s.free
	s.free = int32(p.Slot)
	return record, true
}

// inShare reports whether a partition has less than its share inside: the limit
// times the share, rounded up, at least 1. Unknown has none.
func (l *Limiter) inShare(partition int) bool {
	if partition < 0 || partition >= len(l.busy) {
		return false
	}
	whole := int64(patterns.PercentOf(100))
	share := (int64(l.Limit())*int64(l.settings.partitions[partition].Share) + whole - 1) / whole
	return int64(l.busy[partition]) < share
}
