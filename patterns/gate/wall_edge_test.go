package gate

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// TestADecisionAdmits: a stage of one's own that says yes is passed, with the request it was
// asked about; what it says no to is told with its reason.
func TestADecisionAdmits(t *testing.T) {
	g := New(Decide(patterns.Throttled, func(_ patterns.Instant, q Request) (bool, time.Duration) { return q.Key == "known", ms(3) }))
	p, err := g.Enter(t.Context(), Request{Key: "known"})
	if err != nil || !p.Leave(success) {
		t.Error(err)
	}
	var refused *pipeline.Error
	if _, err := g.Enter(t.Context(), Request{Key: "other"}); !errors.As(err, &refused) || refused.Reason != patterns.Throttled || refused.RetryAfter != ms(3) {
		t.Error(err)
	}
}

// TestARequestWithoutTimeIsRefusedAtTheDoor: it needs 100 ms and has 50, so it does not even
// wait, and is told that its deadline is why.
func TestARequestWithoutTimeIsRefusedAtTheDoor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := bulkhead.QueueConfig{Config: bulkhead.Config{MaxConcurrentCalls: 1, MaxWaitDuration: msd(1000), Order: bulkhead.FIFO}, MinRemainingDuration: msd(100)}
		g := New(NewSlots(must[*bulkhead.Settings](t)(bulkhead.CompileQueue(c)), nil))
		p := enter(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), ms(50))
		defer cancel()
		start := time.Now()
		if _, err := g.Enter(ctx, Request{}); !errors.Is(err, pipeline.ErrDeadline) || time.Since(start) != 0 {
			t.Errorf("%v after %s", err, time.Since(start))
		}
		p.Leave(success)
	})
}
