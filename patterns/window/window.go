package window

import (
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Counts is what a window holds now. SlowFailed calls are contained in both
// Failed and Slow; Failed and Slow are contained in Total.
type Counts struct{ Total, Failed, Slow, SlowFailed int64 }

// Succeeded returns the calls that did not fail, slow ones included.
func (c Counts) Succeeded() int64 { return c.Total - c.Failed }

// Shape is the kind and size of a window, before it has memory. Windows of one
// shape may be carved out of one slab.
type Shape struct {
	size   uint32 // calls of a count window, buckets of a time window
	bucket int64  // ns; 0 for a count window
}

const callsPerCell = 32

// CountShape is the shape of a window over the last size calls. A size below 1
// is the shape of a window that holds nothing.
func CountShape(size int) Shape { return Shape{size: clampSize(int64(size))} }

// TimeShape is the shape of a window over the last size of time in buckets of
// the given length; size is rounded up to whole buckets. A size or bucket of 0
// or below is the shape of a window that holds nothing.
func TimeShape(size, bucket time.Duration) Shape {
	if size <= 0 || bucket <= 0 {
		return Shape{}
	}
	n := size / bucket
	if size%bucket != 0 {
		n++
	}
	return Shape{size: clampSize(int64(n)), bucket: int64(bucket)}
}

func clampSize(n int64) uint32 { return uint32(min(max(n, 0), math.MaxUint32)) }

// Cells returns the number of words of memory that a window of this shape needs.
func (s Shape) Cells() int {
	if s.bucket > 0 {
		return 2 * int(s.size)
	}
	return (int(s.size) + callsPerCell - 1) / callsPerCell
}

// In returns an empty window of this shape that lives in mem, which must hold
// Cells words, all zero, and must not be used for anything else.
func (s Shape) In(mem []uint64) Window {
	return Window{cells: mem[:s.Cells():s.Cells()], shape: s}
}

// Window counts outcomes. The zero Window holds nothing and counts nothing. A
// copy shares its memory with the original: keep one.
type Window struct {
	cells        []uint64
	shape        Shape
	calls, slows uint64
	at           int64 // next call's place, or the number of the running bucket
}

// NewCount returns a window over the last size calls.
func NewCount(size int) Window {
	s := CountShape(size)
	return s.In(make([]uint64, s.Cells()))
}

// NewTime returns a window over the last size of time, in buckets of the given
// length.
func NewTime(size, bucket time.Duration) Window {
	s := TimeShape(size, bucket)
	return s.In(make([]uint64, s.Cells()))
}

// Add counts one call that ended now. O(1), except that a time window first
// clears the buckets that have left, at most all of them.
func (w *Window) Add(now patterns.Instant, failed, slow bool) {
	f, s := bit(failed), bit(slow)
	calls, slows := 1|f<<32, s|(s&f)<<32
	if w.shape.bucket == 0 {
		w.addCount(f|s<<1, calls, slows)
		return
	}
	w.expire(now)
	if uint32(w.calls) == math.MaxUint32 {
		return
	}
	i := 2 * (w.at % int64(w.shape.size))
	w.cells[i] += calls
	w.cells[i+1] += slows
	w.calls += calls
	w.slows += slows
}

func (w *Window) addCount(mark, calls, slows uint64) {
	if w.shape.size == 0 {
		return
	}
	cell, shift := &w.cells[w.at/callsPerCell], uint(w.at%callsPerCell)*2
	if uint32(w.calls) == w.shape.size {
		old := *cell >> shift & 3
		f, s := old&1, old>>1
		w.calls -= 1 | f<<32
		w.slows -= s | (s&f)<<32
	}
	*cell = *cell&^(3<<shift) | mark<<shift
	w.calls += calls
	w.slows += slows
	if w.at++; w.at == int64(w.shape.size) {
		w.at = 0
	}
}

// Read returns the counts at the given instant, after expiring what is too old.
func (w *Window) Read(now patterns.Instant) Counts {
	if w.shape.bucket > 0 {
		w.expire(now)
	}
	return Counts{
		Total: int64(uint32(w.calls)), Failed: int64(w.calls >> 32),
		Slow: int64(uint32(w.slows)), SlowFailed: int64(w.slows >> 32),
	}
}

// Reset forgets every call. The clock and the place of the next call stay.
func (w *Window) Reset() {
	clear(w.cells)
	w.calls, w.slows = 0, 0
}

// expire makes the bucket of now the running one.
func (w *Window) expire(now patterns.Instant) {
	running := int64(now) / w.shape.bucket
	if running <= w.at {
		return
	}
	size := int64(w.shape.size)
	if running-w.at >= size {
		clear(w.cells)
		w.calls, w.slows, w.at = 0, 0, running
		return
	}
	for w.at < running {
		w.at++
		i := 2 * (w.at % size)
		w.calls -= w.cells[i]
		w.slows -= w.cells[i+1]
		w.cells[i], w.cells[i+1] = 0, 0
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
