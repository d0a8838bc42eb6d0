package pipeline

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
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
