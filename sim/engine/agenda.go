package engine

import "math/bits"

// entry is one event in the agenda: pointer-free, so that the collector never
// looks inside, and with its payload, so that an event is one move of 24 bytes.
type entry struct {
	at  uint64 // instant
	key uint64 // sequence, handler, timer bit
	arg uint64 // the handler's argument, or the slot of a timer
}

// agenda holds the pending events as a radix heap of base 64 with a small sorted
// run in front:
//
//	run:      sorted, the events earlier than edge
//	level 0:  64 buckets of 1 ns     around base
//	level 1:  64 buckets of 64 ns    around base
//	...
//	level 10: 8 buckets of 2^60 ns
//
// An event that is not earlier than edge lies at the level of the highest base-64
// digit in which its instant differs from base, in the bucket of that digit. When
// the run is used up, the first bucket becomes the run if it is small, and is
// spread over the lower levels if not; base moves to its beginning.
//
// Invariants: base <= now; edge <= every instant in a bucket; no bucket below the
// level that the run came from is occupied. Equal instants share a bucket and keep
// the order of their arrival, so buckets never look at the key.
//
// Source: Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path
// problem", JACM 37 (1990), section 2 (radix heaps); the run and the blocks are ours.
type agenda struct {
	run      []entry
	head     int // next entry of the run
	base     uint64
	edge     uint64
	levels   uint // bit l: level l has an occupied bucket
	occupied [levelCount]uint64
	buckets  [levelCount << digitBits]bucket
	blocks   blocks
	timers   timers
}

const (
	digitBits  = 6
	digitMask  = 1<<digitBits - 1
	levelCount = 11 // 11 digits of 6 bits cover 63 bits of instant

	// A bucket of at most runFill entries, one block, is sorted by insertion; beyond
	// that, spreading it is cheaper.
	runFill = blockEntries
	// A run with runMax entries goes back into buckets rather than take another
	// entry into its middle: after a sparse stretch it can cover a wide span, and
	// a herd may land there.
	runMax = 128
)

func (a *agenda) init() {
	a.run = make([]entry, 0, 2*runMax)
	a.blocks.init()
}

// push adds an entry whose instant is not before now and whose key is above all
// others.
func (a *agenda) push(e entry) {
	if e.at >= a.edge {
		a.file(e)
		return
	}
	a.insert(e)
}

// file puts an entry into its bucket.
func (a *agenda) file(e entry) {
	level := uint(bits.Len64((e.at^a.base)|1)-1) / digitBits
	digit := e.at >> (level * digitBits) & digitMask
	a.levels |= 1 << level
	a.occupied[level] |= 1 << digit
	a.blocks.add(&a.buckets[level<<digitBits|uint(digit)], e)
}

// insert puts an entry into the run.
func (a *agenda) insert(e entry) {
	n := len(a.run)
	if a.head == n {
		a.run, a.head = append(a.run[:0], e), 0
		return
	}
	inOrder := a.run[n-1].at <= e.at
	if !inOrder && n-a.head >= runMax {
		a.respread()
		a.file(e)
		return
	}
	if n == cap(a.run) && a.head > n/2 {
		n = copy(a.run, a.run[a.head:])
		a.run, a.head = a.run[:n], 0
	}
	a.run = append(a.run, e)
	if !inOrder {
		settle(a.run[a.head:])
	}
}

// settle moves the last entry to its place among the others, which are sorted.
func settle(run []entry) {
	i := len(run) - 1
	e := run[i]
	for i > 0 && run[i-1].at > e.at {
		run[i] = run[i-1]
		i--
	}
	run[i] = e
}

// respread puts the run back into buckets. The run is sorted, so equal instants
// keep their order; the levels below the run's own are empty, so nothing is there
// to be overtaken.
func (a *agenda) respread() {
	for _, e := range a.run[a.head:] {
		a.file(e)
	}
	a.run, a.head, a.edge = a.run[:0], 0, a.base
}

// pop takes the first entry, if its instant is not after until. A timer's entry
// comes out with the timer's argument.
func (a *agenda) pop(until uint64) (entry, bool) {
	for {
		if a.head == len(a.run) && !a.refill(until) {
			return entry{}, false
		}
		e := a.run[a.head]
		if e.at > until {
			return entry{}, false
		}
		a.head++
		if e.key&timerBit == 0 {
			return e, true
		}
		if !a.timers.isDead(e.arg) {
			e.arg = a.timers.fire(e.arg)
			return e, true
		}
		a.timers.drop(e.arg)
	}
}

// refill opens the first bucket until the run has an entry. A bucket that begins
// after until stays closed: base must not pass the clock.
func (a *agenda) refill(until uint64) bool {
	a.run, a.head = a.run[:0], 0
	for a.levels != 0 {
		level := uint(bits.TrailingZeros(a.levels))
		digit := uint(bits.TrailingZeros64(a.occupied[level]))
		shift := level * digitBits
		start := a.base&^(1<<(shift+digitBits)-1) | uint64(digit)<<shift
		if start > until {
			return false
		}
		b := &a.buckets[level<<digitBits|digit]
		opened := *b
		*b = bucket{}
		a.occupied[level] &^= 1 << digit
		if a.occupied[level] == 0 {
			a.levels &^= 1 << level
		}
		a.base = start
		if level > 0 && opened.count > runFill {
			a.spread(opened)
			continue
		}
		a.edge = start + 1<<shift
		if a.load(opened); len(a.run) > 0 {
			return true
		}
	}
	return false
}

// spread moves the live entries of a bucket to their places around the new base.
func (a *agenda) spread(b bucket) {
	for c := a.blocks.read(b); c.next(); {
		for i := range c.entries {
			if e := &c.entries[i]; !a.buried(e) {
				a.file(*e)
			}
		}
	}
}

// load moves the live entries of a bucket into the empty run, in order.
func (a *agenda) load(b bucket) {
	run := a.run
	for c := a.blocks.read(b); c.next(); {
		for i := range c.entries {
			if e := &c.entries[i]; !a.buried(e) {
				run = append(run, *e)
				settle(run)
			}
		}
	}
	a.run = run
}

// buried drops the entry if it is that of a cancelled timer.
func (a *agenda) buried(e *entry) bool {
	if e.key&timerBit == 0 || !a.timers.isDead(e.arg) {
		return false
	}
	a.timers.drop(e.arg)
	return true
}

// sweep drops all cancelled timers.
func (a *agenda) sweep() {
	live := a.run[:a.head]
	for i := a.head; i < len(a.run); i++ {
		if e := &a.run[i]; !a.buried(e) {
			live = append(live, *e)
		}
	}
	a.run = live
	for level := range a.occupied {
		for left := a.occupied[level]; left != 0; left &= left - 1 {
			a.sweepBucket(uint(level), uint(bits.TrailingZeros64(left)))
		}
	}
}

func (a *agenda) sweepBucket(level, digit uint) {
	b := &a.buckets[level<<digitBits|digit]
	old := *b
	*b = bucket{}
	for c := a.blocks.read(old); c.next(); {
		for i := range c.entries {
			if e := &c.entries[i]; !a.buried(e) {
				a.blocks.add(b, *e)
			}
		}
	}
	if b.count > 0 {
		return
	}
	a.occupied[level] &^= 1 << digit
	if a.occupied[level] == 0 {
		a.levels &^= 1 << level
	}
}
