package pipeline

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns/budget"
)

// TestAHedgeShowsItsDelayAndItsBudget: a call whose first attempt hangs is answered by
// the hedge. It was started after the delay, it won, and it was paid for.
func TestAHedgeShowsItsDelayAndItsBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hedged := withName("hedge", hedgeOf(1, 100))
		hedged.Hedge.Budget = &budget.Config{Ratio: 0.1, Capacity: 10, Deposit: budget.PerCall}
		p := mustNew(t, []Policy{withName("retry", retryOf(1, 0)), hedged})
		before, ok := p.Hedge("hedge")
		if !ok || !before.Budgeted || before.Delay != 100*time.Millisecond || before.Name != "hedge" {
			t.Fatalf("%+v %v", before, ok)
		}
		var attempts atomic.Int32
		if _, err := Do(t.Context(), p, func(ctx context.Context) (int, error) {
			if attempts.Add(1) == 1 {
				<-ctx.Done()
				return 0, ctx.Err()
			}
			return 1, nil
		}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		after := p.Hedges()[0]
		if after.Started != 1 || after.Won != 1 || after.Balance >= before.Balance {
			t.Errorf("%+v, then %+v", before, after)
		}
		if _, ok := p.Hedge("retry"); ok {
			t.Error("a retry was found as a hedge")
		}
		if h := mustNew(t, []Policy{hedgeOf(1, 100)}).Hedges()[0]; h.Budgeted || h.Balance != 0 {
			t.Errorf("without a budget: %+v", h)
		}
	})
}
