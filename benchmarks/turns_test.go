package benchmarks

import (
	"sync"
	"testing"
	"time"
)

// pair is a call in two versions that do the same.
type pair struct{ ours, theirs func() }

// turn is how many calls one side makes before it is the other's turn: enough to make
// the clock reads and the start of two goroutines disappear, and few enough that
// a disturbance of some milliseconds meets both sides.
const turn = 4000

// run compares the pair with one goroutine and with two.
func (p pair) run(b *testing.B) {
	b.Run("alone", func(b *testing.B) { p.inTurns(b, 1) })
	b.Run("two", func(b *testing.B) { p.inTurns(b, 2) })
}

// inTurns makes b.N calls on each side, in turns, and reports what they cost.
func (p pair) inTurns(b *testing.B, goroutines int) {
	share(turn, goroutines, p.ours)
	share(turn, goroutines, p.theirs)
	var ours, theirs time.Duration
	b.ResetTimer()
	for left := b.N; left > 0; left -= turn {
		n := min(left, turn)
		ours += timed(func() { share(n, goroutines, p.ours) })
		theirs += timed(func() { share(n, goroutines, p.theirs) })
	}
	b.StopTimer()
	calls := float64(b.N)
	b.ReportMetric(0, "ns/op") // both together: says nothing
	b.ReportMetric(float64(ours)/calls, "ours_ns")
	b.ReportMetric(float64(theirs)/calls, "theirs_ns")
	b.ReportMetric(float64(ours)/float64(theirs), "x_of_theirs")
	if goroutines == 1 {
		b.ReportMetric(testing.AllocsPerRun(1000, p.ours), "ours_allocs")
		b.ReportMetric(testing.AllocsPerRun(1000, p.theirs), "theirs_allocs")
	}
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// share makes n calls, in so many goroutines at once.
func share(n, goroutines int, call func()) {
	if goroutines == 1 {
		for range n {
			call()
		}
		return
	}
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for range (n + g) / goroutines {
				call()
			}
		})
	}
	wg.Wait()
}

// TestShareMakesAllCalls: divided among goroutines, no call is lost or made twice.
func TestShareMakesAllCalls(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, turn} {
		for goroutines := range 4 {
			var mu sync.Mutex
			made := 0
			share(n, goroutines+1, func() { mu.Lock(); made++; mu.Unlock() })
			if made != n {
				t.Errorf("%d calls by %d goroutines: %d were made", n, goroutines+1, made)
			}
		}
	}
}

// must returns what could be made, or ends the benchmark.
func must[T any](b testing.TB) func(T, error) T {
	return func(v T, err error) T {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
		return v
	}
}
