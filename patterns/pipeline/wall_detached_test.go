package pipeline

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns/breaker"
)

// blocks is a function that is deaf to its context for d.
func blocks(d time.Duration) func(context.Context) (int, error) {
	return func(context.Context) (int, error) { time.Sleep(d); return 1, nil }
}

// TestDetachedIsKeptWhenTheCallIsGivenUpFromOutside: the function blocks for 2 s
// inside a detached timeout of 50 ms. Whoever gives the call up, and however
// early, Do is back at 50 ms; and the slot is free when the function returns.
func TestDetachedIsKeptWhenTheCallIsGivenUpFromOutside(t *testing.T) {
	for name, c := range map[string]struct {
		outer []Policy
		ctx   func(context.Context) (context.Context, context.CancelFunc)
		want  error
	}{
		"nobody": {nil, context.WithCancel, ErrTimeout},
		"cancel": {nil, func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(10*time.Millisecond, cancel)
			return ctx, cancel
		}, ErrCancelled},
		"deadline": {nil, func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 10*time.Millisecond)
		}, ErrDeadline},
		"outer timeout": {[]Policy{timeoutOf(30)}, context.WithCancel, ErrTimeout},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := mustNew(t, append(c.outer, detachedOf(50), bulkheadOf(1, 0)))
			ctx, cancel := c.ctx(t.Context())
			defer cancel()
			start := time.Now()
			_, err := Do(ctx, p, blocks(2*time.Second))
			if !errors.Is(err, c.want) || time.Since(start) != 50*time.Millisecond {
				t.Errorf("%s: %v after %v", name, err, time.Since(start))
			}
			if s := p.Bulkheads()[0]; s.InUse != 1 {
				t.Errorf("%s: the slot of a running function is free: %+v", name, s)
			}
			time.Sleep(2 * time.Second)
			if s := p.Bulkheads()[0]; s.InUse != 0 {
				t.Errorf("%s: slot not given back: %+v", name, s)
			}
		})
	}
}

// TestFunctionThatKeepsToItsContextIsNotLeftBehind: given up at 10 ms it returns at
// 10 ms, and so does Do; the detached timeout of 50 ms is not waited for.
func TestFunctionThatKeepsToItsContextIsNotLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{detachedOf(50)})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := Do(ctx, p, sleeps(time.Hour, nil))
		if !errors.Is(err, ErrDeadline) || time.Since(start) != 10*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// TestBlockingStepDoesNotDefeatADetachedTimeout: each step of the ladder sleeps for
// 80 ms. Inside a detached timeout of 50 ms it is left behind twice, so that Do is back
// with a timeout at 100 ms. With steps of 80 and 20 ms the second one answers, at 70 ms,
// and what the first one answers at 80 ms is nobody's.
func TestBlockingStepDoesNotDefeatADetachedTimeout(t *testing.T) {
	for _, c := range []struct {
		takes []time.Duration
		ends  time.Duration
		value int
		err   error
	}{
		{[]time.Duration{80, 80}, 100, 0, ErrTimeout},
		{[]time.Duration{80, 20}, 70, 2, nil},
		{[]time.Duration{80, 40}, 90, 2, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := mustNew(t, []Policy{retryOf(2, 0), detachedOf(50), ladderOf("a"), breakerOf(1, 1000)})
			p.Breakers()[0].Force(breaker.ForcedOpen)
			var runs atomic.Int32
			start := time.Now()
			v, err := Do(t.Context(), p, blocks(0), func(context.Context, error) (int, error) {
				run := int(runs.Add(1))
				time.Sleep(c.takes[run-1] * time.Millisecond)
				return run, nil
			})
			if v != c.value || !errors.Is(err, c.err) || time.Since(start) != c.ends*time.Millisecond {
				t.Errorf("%v: %d %v after %v", c.takes, v, err, time.Since(start))
			}
			time.Sleep(time.Second)
		})
	}
}

// TestStepOutsideADetachedTimeoutRunsWithItsCaller: only what the timeout can leave
// behind has a goroutine of its own.
func TestStepOutsideADetachedTimeoutRunsWithItsCaller(t *testing.T) {
	p := mustNew(t, []Policy{ladderOf("a"), detachedOf(50), ladderOf("b")})
	for stage, want := range map[int]bool{0: false, 2: true} {
		if got := p.detaches(Action{Kind: Step, Stage: stage}); got != want {
			t.Errorf("a step at stage %d has a goroutine of its own: %v", stage, got)
		}
	}
	if !p.detaches(Action{Kind: Attempt}) || mustNew(t, guardedBy(false)).detaches(Action{Kind: Attempt}) {
		t.Error("an attempt has one exactly inside a detached timeout")
	}
}
