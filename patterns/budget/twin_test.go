package budget

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// twin keeps every movement as the number of the slice it happened in and adds
// them all up when asked, in millionths of a retry.
type twin struct {
	c           Config
	seen        int64
	deposits    []int64
	withdrawals []int64
}

func (w *twin) slice(now patterns.Instant) int64 {
	w.seen = max(w.seen, int64(now)/(int64(w.c.Window)/10))
	return w.seen
}

func (w *twin) window(now patterns.Instant) int64 {
	first := w.slice(now) - 9
	sum := int64(math.Round(w.c.MinPerSecond * w.c.Window.Std().Seconds() * 1e6))
	for _, d := range w.deposits {
		if d >= first {
			sum += int64(math.Round(w.c.Ratio * 1e6))
		}
	}
	for _, d := range w.withdrawals {
		if d >= first {
			sum -= 1e6
		}
	}
	return sum
}

func (w *twin) cancelOldest(now patterns.Instant) {
	first := w.slice(now) - 9
	for i, d := range w.withdrawals {
		if d >= first {
			w.withdrawals = append(w.withdrawals[:i], w.withdrawals[i+1:]...)
			return
		}
	}
}

// FuzzWindowBudgetAgreesWithItsTwin plays deposits, withdrawals, returns and
// steps of the clock, backwards ones and long gaps among them.
func FuzzWindowBudgetAgreesWithItsTwin(f *testing.F) {
	f.Add([]byte{100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1})
	f.Add([]byte{200, 2, 1, 1, 1, 0, 5, 1, 0, 3, 60, 1, 1, 250, 1, 0, 0, 0, 0, 2, 1})
	f.Add([]byte{0, 5, 1, 1, 19, 1, 2, 35, 1, 2, 2, 51, 1, 7, 1, 1})
	for seed := range byte(60) {
		tape := make([]byte, 300)
		rand.NewChaCha8([32]byte{seed}).Read(tape)
		f.Add(tape)
	}
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 2 {
			return
		}
		c := Config{
			Ratio: float64(tape[0]) / 100, Window: patterns.Duration(2 * time.Second), MinPerSecond: float64(tape[1] % 6),
		}
		b, naive := New(compile(t, c)), twin{c: c}
		var now patterns.Instant
		for i, op := range tape[2:] {
			switch op & 3 {
			case 0:
				b.Deposit(now, Call)
				b.Deposit(now, Success) // earns nothing: the settings name calls
				naive.deposits = append(naive.deposits, naive.slice(now))
			case 1:
				want := naive.window(now) >= 1e6
				if want {
					naive.withdrawals = append(naive.withdrawals, naive.slice(now))
				}
				if got := b.Withdraw(now); got != want {
					t.Fatalf("op %d of %v: granted %v, want %v", i, tape, got, want)
				}
			case 2:
				b.Return(now)
				naive.cancelOldest(now)
			case 3: // -200 ms to 3 s
				now = max(0, now.Add(time.Duration(op>>2)*50*time.Millisecond-200*time.Millisecond))
			}
			if got, want := b.Balance(now), float64(naive.window(now))/1e6; got != want {
				t.Fatalf("after op %d of %v: balance %v, want %v", i, tape, got, want)
			}
		}
	})
}
