package priority

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// twin keeps the level and interval of every call and sorts them when asked.
type twin struct {
	c       Config
	share   float64
	seen    int64
	history [][2]int64 // interval, level
}

func (w *twin) interval(now patterns.Instant) int64 {
	w.seen = max(w.seen, int64(now)/int64(w.c.CalibrationInterval))
	return w.seen
}

// of returns the sorted levels of a class in the last whole interval, and the
// calls of all classes in it.
func (w *twin) of(class int) (levels []int64, all int) {
	for _, h := range w.history {
		if h[0] != w.seen-1 {
			continue
		}
		all++
		if h[1]/int64(w.c.LevelsPerClass) == int64(class) {
			levels = append(levels, h[1])
		}
	}
	slices.Sort(levels)
	return levels, all
}

func (w *twin) guaranteed(class int) float64 {
	if class >= len(w.c.GuaranteedShares) {
		return 0
	}
	return w.c.GuaranteedShares[class].Float() / 100
}

// admits returns how many calls of a class are to be admitted, and whether there
// was room for more.
func (w *twin) admits(class int) (n float64, room bool) {
	_, all := w.of(0)
	total := (1 - w.share) * float64(all)
	left := total
	kept := make([]float64, w.c.Classes)
	for k := range kept {
		levels, _ := w.of(k)
		kept[k] = min(float64(len(levels)), w.guaranteed(k)*total)
		left -= kept[k]
	}
	for k := w.c.Classes - 1; ; k-- {
		levels, _ := w.of(k)
		more := max(0, min(float64(len(levels))-kept[k], left))
		left -= more
		if k == class {
			return kept[k] + more, left > 0 || w.guaranteed(k)*total > 0
		}
	}
}

// shedProbability is the chance of a call of this level to be shed: the place
// among its class's calls, in order, where the cut is.
func (w *twin) shedProbability(level int) float64 {
	class := level / w.c.LevelsPerClass
	levels, all := w.of(class)
	if w.share == 0 || all < w.c.MinimumNumberOfCalls {
		return 0
	}
	admitted, room := w.admits(class)
	shed := float64(len(levels)) - admitted
	switch {
	case len(levels) == 0 && room:
		return 0
	case admitted <= 0:
		return 1
	case shed <= 1e-9:
		return 0
	}
	below, at := 0, 0
	for _, l := range levels {
		if l < int64(level) {
			below++
		}
		if l == int64(level) {
			at++
		}
	}
	switch {
	case at > 0:
		return max(0, min(1, (shed-float64(below))/float64(at)))
	case float64(below) < shed-1e-9:
		return 1
	}
	return 0
}

func configOf(a, b byte) Config {
	c := Config{
		Classes: 1 + int(a&3), LevelsPerClass: []int{1, 2, 5, 20}[a>>2&3],
		CalibrationInterval: patterns.Duration(100 * time.Millisecond), MinimumNumberOfCalls: int(a>>4) / 3,
	}
	for i := range min(c.Classes, int(b&3)) {
		c.GuaranteedShares = append(c.GuaranteedShares, patterns.PercentOf(float64(b>>2&7)*float64(1+i)))
	}
	return c
}

// FuzzShedderAgreesWithItsTwin plays calls by class and by level, wishes, and a
// clock that goes back and jumps. A draw within rounding of the twin's chance may go
// either way; no other may.
func FuzzShedderAgreesWithItsTwin(f *testing.F) {
	for seed := range byte(80) {
		tape := make([]byte, 400)
		rand.NewChaCha8([32]byte{seed}).Read(tape)
		f.Add(tape)
	}
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 2 {
			return
		}
		c := configOf(tape[0], tape[1])
		settings, err := Compile(c)
		if err != nil {
			t.Fatal(err)
		}
		s, w := New(settings), twin{c: c}
		var now patterns.Instant
		admitted, shed := int64(0), int64(0)
		for i, op := range tape[2:min(len(tape), 1200)] {
			w.interval(now)
			switch op & 7 {
			case 0:
				w.share = []float64{0, 0.1, 0.25, 0.5, 0.75, 0.9, 1, 0.333}[op>>3&7]
				s.Want(now, w.share)
			case 1: // -10 ms to 145 ms
				now = max(0, now.Add(time.Duration(op>>3)*5*time.Millisecond-10*time.Millisecond))
			default:
				draw := (float64(op>>3) + 0.5) / 32
				want, level, part := 0.0, 0, draw
				var v Verdict
				if op&7 < 5 {
					class := int(op&7) - 2
					level, v = s.Acquire(now, class, draw)
					x := draw * float64(c.LevelsPerClass)
					if within := min(class, c.Classes-1)*c.LevelsPerClass + int(x); level != within {
						t.Fatalf("op %d of %v: level %d, want %d", i, tape, level, within)
					}
					part = x - float64(int(x))
				} else {
					level = int(op>>3) * i % (c.Classes * c.LevelsPerClass)
					v = s.AcquireLevel(now, level, draw)
				}
				want = w.shedProbability(level)
				w.history = append(w.history, [2]int64{w.seen, int64(level)})
				if near := part-want < 1e-6 && want-part < 1e-6; v.OK != (part >= want) && !near {
					t.Fatalf("op %d of %v: level %d admitted %v at draw %v, chance %v", i, tape, level, v.OK, part, want)
				}
				if v.OK {
					admitted++
				} else {
					shed++
				}
			}
			if snap := s.Snapshot(now); snap.Admitted != admitted || snap.Shed != shed || snap.Share != w.share {
				t.Fatalf("op %d of %v: %+v", i, tape, snap)
			}
		}
	})
}
