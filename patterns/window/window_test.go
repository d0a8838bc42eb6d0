package window

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// twin keeps every call that ever ended and counts by looking at all of them.
type twin struct {
	size   int
	bucket time.Duration // 0: count window
	seen   patterns.Instant
	calls  []call
}

type call struct {
	at           patterns.Instant
	failed, slow bool
}

func (w *twin) add(now patterns.Instant, failed, slow bool) {
	w.seen = max(w.seen, now)
	w.calls = append(w.calls, call{w.seen, failed, slow})
}

func (w *twin) read(now patterns.Instant) Counts {
	w.seen = max(w.seen, now)
	var c Counts
	for i, k := range w.calls {
		if w.bucket == 0 && i < len(w.calls)-w.size {
			continue
		}
		if w.bucket > 0 && int64(k.at)/int64(w.bucket) <= int64(w.seen)/int64(w.bucket)-int64(w.size) {
			continue
		}
		c.Total++
		if k.failed {
			c.Failed++
		}
		if k.slow {
			c.Slow++
		}
		if k.failed && k.slow {
			c.SlowFailed++
		}
	}
	return c
}

// FuzzWindowAgreesWithItsTwin plays adds, reads, resets and steps of the clock,
// backwards ones and long gaps among them, on a window and on its twin.
func FuzzWindowAgreesWithItsTwin(f *testing.F) {
	f.Add([]byte{0, 3, 1, 1, 1, 5, 9, 1, 13, 1, 1})
	f.Add([]byte{1, 4, 1, 5, 200, 2, 1, 13, 250, 3, 9, 60, 2, 1})
	f.Add([]byte{1, 0, 1, 255, 7, 1, 130, 2, 5, 255, 3, 13})
	f.Add([]byte{0, 39, 1, 5, 9, 13, 1, 5, 9, 13, 1, 5, 9, 13, 1, 5, 9, 13, 1, 5, 9, 13, 1, 5, 9, 13,
		1, 5, 9, 13, 1, 5, 9, 13, 1, 5, 9, 13, 1, 5, 9, 13, 1, 5, 9, 13, 1, 5, 9, 13})
	for seed := range byte(60) {
		tape := make([]byte, 300)
		rand.NewChaCha8([32]byte{seed}).Read(tape)
		f.Add(tape)
	}
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 2 {
			return
		}
		size := int(tape[1]) + 1
		w, naive := NewCount(size), twin{size: size}
		if tape[0]&1 == 1 {
			size = int(tape[1]%12) + 1
			w = NewTime(time.Duration(size)*time.Second, time.Second)
			naive = twin{size: size, bucket: time.Second}
		}
		var now patterns.Instant
		for i, op := range tape[2:] {
			switch op & 3 {
			case 0: // a step of up to 64 quarters of a second
				now = now.Add(time.Duration(op>>2) * 250 * time.Millisecond)
			case 1:
				w.Add(now, op&4 > 0, op&8 > 0)
				naive.add(now, op&4 > 0, op&8 > 0)
			case 2: // back, up to a minute: nothing before the start is meant
				now = max(0, now.Add(-time.Duration(op>>2)*time.Second))
			case 3:
				if op == 255 {
					w.Reset()
					naive.calls = nil
				} else {
					now = now.Add(time.Duration(op>>2) * time.Hour)
				}
			}
			if got, want := w.Read(now), naive.read(now); got != want {
				t.Fatalf("after op %d of %v: %+v, want %+v", i, tape, got, want)
			}
		}
	})
}

// TestH08_EvictionTakesOffEveryCounter: the slow failure that leaves the window
// takes its mark off all four counters, so that none is negative afterwards.
func TestH08_EvictionTakesOffEveryCounter(t *testing.T) {
	w := NewCount(2)
	w.Add(0, true, true)
	if got, want := w.Read(0), (Counts{1, 1, 1, 1}); got != want {
		t.Errorf("before: %+v, want %+v", got, want)
	}
	for range 3 {
		w.Add(0, false, false)
	}
	if got, want := w.Read(0), (Counts{Total: 2}); got != want {
		t.Errorf("after: %+v, want %+v", got, want)
	}
}

// TestM08_IdleHourEmptiesTheWindowOnReading reads without adding: what is older
// than the window is gone all the same.
func TestM08_IdleHourEmptiesTheWindowOnReading(t *testing.T) {
	w := NewTime(10*time.Second, time.Second)
	for range 5 {
		w.Add(0, true, false)
	}
	if got := w.Read(patterns.Instant(9 * time.Second)); got.Total != 5 {
		t.Errorf("after 9 s: %d calls, want 5", got.Total)
	}
	if got := w.Read(patterns.Instant(time.Hour)); got != (Counts{}) {
		t.Errorf("after an hour: %+v, want nothing", got)
	}
}

// TestWindowThatHoldsNothing: the zero window and windows of no size swallow
// calls without harm.
func TestWindowThatHoldsNothing(t *testing.T) {
	for _, w := range []Window{{}, NewCount(0), NewCount(-1), NewTime(0, time.Second), NewTime(time.Second, 0)} {
		w.Add(5, true, true)
		if got := w.Read(5); got != (Counts{}) {
			t.Errorf("%+v, want nothing", got)
		}
		w.Reset()
	}
}

// TestTimeWindowRoundsUpToWholeBuckets: 2.5 s in buckets of 1 s are three.
func TestTimeWindowRoundsUpToWholeBuckets(t *testing.T) {
	w := NewTime(2500*time.Millisecond, time.Second)
	w.Add(0, false, false)
	if got := w.Read(patterns.Instant(3*time.Second - 1)); got.Total != 1 {
		t.Errorf("just before 3 s: %d calls, want 1", got.Total)
	}
	if got := w.Read(patterns.Instant(3 * time.Second)); got.Total != 0 {
		t.Errorf("at 3 s: %d calls, want 0", got.Total)
	}
}

// TestFullTimeWindowStopsCounting puts a window one call short of its largest
// total, by hand, and adds two: lanes never carry into each other.
func TestFullTimeWindowStopsCounting(t *testing.T) {
	w := NewTime(time.Second, time.Second)
	almost := uint64(1<<32 - 2)
	w.calls, w.cells[0] = almost, almost
	w.Add(0, true, true)
	w.Add(0, true, true)
	if got, want := w.Read(0), (Counts{1<<32 - 1, 1, 1, 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestWindowsDoNotAllocate: after it is made a window never asks for memory.
func TestWindowsDoNotAllocate(t *testing.T) {
	count, timed := NewCount(100), NewTime(10*time.Second, time.Second)
	var now patterns.Instant
	if n := testing.AllocsPerRun(1000, func() {
		now = now.Add(300 * time.Millisecond)
		count.Add(now, true, false)
		timed.Add(now, true, false)
		if count.Read(now).Total < timed.Read(now).Failed {
			t.Error("more failed than there are")
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func BenchmarkCountAdd(b *testing.B) {
	b.ReportAllocs()
	w := NewCount(100)
	for i := range b.N {
		w.Add(patterns.Instant(i), i&7 == 0, i&3 == 0)
	}
}

func BenchmarkTimeAdd(b *testing.B) {
	b.ReportAllocs()
	w := NewTime(10*time.Second, time.Second)
	for i := range b.N {
		w.Add(patterns.Instant(i)*patterns.Instant(time.Millisecond), i&7 == 0, i&3 == 0)
	}
}
