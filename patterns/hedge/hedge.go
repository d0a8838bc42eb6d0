package hedge

import (
	"slices"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Hedge is what one client remembers of its latencies. It is not safe for
// concurrent use: a driver with goroutines holds a lock around each method. A copy
// shares its memory with the original: keep one.
type Hedge struct {
	settings *Settings
	ring     []time.Duration // in the order of their coming; the oldest is at next once it is full
	sorted   []time.Duration // the same, shortest first
	next     int
	started  int64
	won      int64
}

// New returns a client that remembers nothing yet.
func New(s *Settings) Hedge { return Hedge{settings: s} }

// Delay returns how long the latest attempt runs before the next one is started.
// Of n remembered answers the p-th percentile is the ceil(p n / 100)-th shortest. O(1).
func (h *Hedge) Delay() time.Duration {
	s, n := h.settings, len(h.sorted)
	if s.rank == 0 || n < s.least {
		return s.delay
	}
	// The least rank at which rank of n is reached, in integers.
	whole := int64(s.rank) * int64(n)
	unit := int64(patterns.PercentOf(100))
	return h.sorted[max((whole+unit-1)/unit, 1)-1]
}

// Observe remembers how long a first attempt took that was answered, or how long it
// had run when a hedge overtook it. O(windowSize) moves of memory, and no
// allocation once the window is full.
func (h *Hedge) Observe(took time.Duration) {
	s := h.settings
	if s.rank == 0 {
		return
	}
	if len(h.ring) < s.size {
		h.ring = append(h.ring, took)
	} else {
		i, _ := slices.BinarySearch(h.sorted, h.ring[h.next])
		h.sorted = slices.Delete(h.sorted, i, i+1)
		h.ring[h.next] = took
		h.next = (h.next + 1) % s.size
	}
	i, _ := slices.BinarySearch(h.sorted, took)
	h.sorted = slices.Insert(h.sorted, i, took)
}

// Started counts a hedge that was started.
func (h *Hedge) Started() { h.started++ }

// Won counts a hedge that answered first.
func (h *Hedge) Won() { h.won++ }

// Snapshot is what a client's hedging shows.
type Snapshot struct {
	// Delay in force.
	Delay time.Duration
	// Remembered answers.
	Remembered int
	// Started hedges, and Won of them that answered first, in all.
	Started, Won int64
}

// Snapshot returns all counters.
func (h *Hedge) Snapshot() Snapshot {
	return Snapshot{Delay: h.Delay(), Remembered: len(h.ring), Started: h.started, Won: h.won}
}
