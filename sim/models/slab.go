package models

// handle names a record of a slab: its place and the generation of its use, so
// that what arrives late never hits a record that has been given to another.
// The zero handle names nothing.
type handle uint64

func (h handle) slot() uint32       { return uint32(h) }
func (h handle) generation() uint32 { return uint32(h >> 32) }

func handleOf(slot, generation uint32) handle {
	return handle(generation)<<32 | handle(slot)
}

const (
	pageBits = 10
	pageSize = 1 << pageBits
)

// slab keeps records in pages, so that they never move, and reuses them, last
// freed first.
type slab[T any] struct {
	pages []*[pageSize]T
	free  []uint32
	n     uint32
}

func (s *slab[T]) at(slot uint32) *T {
	return &s.pages[slot>>pageBits][slot&(pageSize-1)]
}

func (s *slab[T]) take() (slot uint32, record *T) {
	if n := len(s.free); n > 0 {
		slot = s.free[n-1]
		s.free = s.free[:n-1]
		return slot, s.at(slot)
	}
	if s.n&(pageSize-1) == 0 {
		s.pages = append(s.pages, new([pageSize]T))
	}
	slot = s.n
	s.n++
	return slot, s.at(slot)
}

func (s *slab[T]) give(slot uint32) { s.free = append(s.free, slot) }
