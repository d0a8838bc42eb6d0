package pipeline

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestAWriteThatTimedOutIsNotRepeated: the same pipeline repeats a read that timed out
// and not a write, which may have been carried out; a write that was refused it
// repeats too. The call after a write is a read again.
func TestAWriteThatTimedOutIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{retryOf(3, 10), timeoutOf(100)})
		attempts := func(ctx context.Context, fn func(context.Context) (int, error)) int {
			_, info, _ := DoInfo(ctx, p, fn)
			return info.Attempts
		}
		hang := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
		write := NonIdempotent(t.Context())
		if n := attempts(t.Context(), hang); n != 3 {
			t.Errorf("a read was tried %d times, want 3", n)
		}
		if n := attempts(write, hang); n != 1 {
			t.Errorf("a write was tried %d times, want once", n)
		}
		if n := attempts(write, throws(errors.New("refused"))); n != 3 {
			t.Errorf("a write that failed at once was tried %d times, want 3", n)
		}
		if n := attempts(t.Context(), hang); n != 3 {
			t.Errorf("a read after a write was tried %d times, want 3", n)
		}
		time.Sleep(time.Second)
	})
}
