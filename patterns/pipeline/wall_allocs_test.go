//go:build !race

package pipeline

import (
	"context"
	"errors"
	"testing"

	"github.com/resilsim/resilsim/patterns/breaker"
)

// TestAnAnsweredCallAllocatesNothing: a call through every stage but a timeout, with
// a context that cannot end, uses memory of calls before it. The race detector throws
// some of that away on purpose, so this law is not held under it.
func TestAnAnsweredCallAllocatesNothing(t *testing.T) {
	ps := append([]Policy{ladderOf("default")}, guarded()[:3]...)
	ps = append(ps, throttleOf(2), limitOf(5))
	p := mustNew(t, ps)
	ctx := context.Background()
	answer := func(context.Context) (int, error) { return 1, nil }
	instead := func(context.Context, error) (int, error) { return 2, nil }
	n := testing.AllocsPerRun(1000, func() {
		if v, err := Do(ctx, p, answer, instead); v != 1 || err != nil {
			t.Fatal(v, err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestARefusalAllocatesNothing: what an open breaker refuses, and what a full bulkhead
// does, shares its error with others of the same millisecond. Of the breaker's a few
// are new, one for each millisecond that goes by.
func TestARefusalAllocatesNothing(t *testing.T) {
	open := mustNew(t, []Policy{retryOf(3, 10), breakerOf(10, 3_600_000)})
	open.Breakers()[0].Force(breaker.Open)
	full := mustNew(t, []Policy{retryOf(3, 10), bulkheadOf(1, 0)})
	inside, out := make(chan int), make(chan int)
	go Do(context.Background(), full, func(context.Context) (int, error) { inside <- 1; return <-out, nil })
	<-inside
	for want, p := range map[error]*Pipeline{ErrBreakerOpen: open, ErrBulkheadFull: full} {
		n := testing.AllocsPerRun(10_000, func() {
			if _, err := Do(context.Background(), p, func(context.Context) (int, error) { return 1, nil }); !errors.Is(err, want) {
				t.Fatal(err)
			}
		})
		if n != 0 {
			t.Errorf("%v: %v allocations", want, n)
		}
	}
	close(out)
}

// TestCallsThatFollowEachOtherShareNoFate: memory of a call that was refused, that
// failed or that timed out is used again, and the next call knows nothing of it.
func TestCallsThatFollowEachOtherShareNoFate(t *testing.T) {
	p := mustNew(t, []Policy{retryOf(2, 0)})
	for range 100 {
		if _, err := Do(t.Context(), p, throws(errBoom)); err != errBoom {
			t.Fatalf("%v", err)
		}
		v, info, err := DoInfo(t.Context(), p, func(context.Context) (int, error) { return 7, nil })
		if v != 7 || err != nil || info != (Info{Attempts: 1}) {
			t.Fatalf("%v %+v %v", v, info, err)
		}
	}
}
