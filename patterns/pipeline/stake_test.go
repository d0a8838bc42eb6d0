package pipeline

import (
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
)

// callers begins n calls of one pipeline, one after the other, and returns them
// with the environment that they share.
func callers(t *testing.T, n int, ps ...Policy) ([]*Call, *Env, *Fleet) {
	t.Helper()
	e, f := &Env{Dice: fixedDice(0.5)}, NewFleet(mustCompile(t, ps), 1)
	var all []*Call
	for i := range n {
		c := &Call{}
		if a := c.Begin(e, f, 0, uint64(i+1), never); a.Kind != Attempt {
			t.Fatalf("call %d: %+v", i, a)
		}
		all = append(all, c)
	}
	return all, e, f
}

func budgeted(attempts int, wait int64, b budget.Config) Policy {
	p := retryOf(attempts, wait)
	p.Retry.Budget = &b
	return p
}

// waitingNow counts the calls that wait for a retry.
func waitingNow(all []*Call) (n int) {
	for _, c := range all {
		if c.state == waiting {
			n++
		}
	}
	return n
}

// TestRetriesInFlightAreLimitedByTheCallsInFlight fails 100 calls at once under
// Envoy's rule of 20 %: 20 retries are scheduled, the others are told at once.
// When those 20 are over, the budget has forgotten all of them.
func TestRetriesInFlightAreLimitedByTheCallsInFlight(t *testing.T) {
	all, e, f := callers(t, 100, budgeted(2, 10, budget.Config{Kind: budget.Concurrency, Ratio: 0.2, MinConcurrency: 3}))
	for _, c := range all {
		c.Ended(e, 1, failure)
	}
	// 20 are granted while 100 are in flight; each refused call is over, so that the
	// share that is allowed falls, and none follows.
	if n := waitingNow(all); n != 20 {
		t.Errorf("%d retries scheduled, want 20", n)
	}
	e.Now = ms(10)
	for _, c := range all {
		if c.state == waiting {
			c.Fire(e)
			c.Ended(e, 2, success)
		}
	}
	if got := f.Budgets(0)[0].Balance(e.Now); got != 3 {
		t.Errorf("with nothing in flight the balance is %v, want the least of 3", got)
	}
}

// TestEachFailedAttemptCostsATokenOfGRPC: with 10 tokens retries stop when no more
// than half are left, whoever failed.
func TestEachFailedAttemptCostsATokenOfGRPC(t *testing.T) {
	all, e, f := callers(t, 8, budgeted(2, 10, budget.Config{Kind: budget.Tokens, Capacity: 10, Ratio: 0.1}))
	for _, c := range all {
		c.Ended(e, 1, failure)
	}
	// After 1, 2, 3 and 4 failures 9, 8, 7 and 6 tokens are left, above 5.
	if n := waitingNow(all); n != 4 {
		t.Errorf("%d retries scheduled, want 4", n)
	}
	if got := f.Budgets(0)[0].Balance(0); got != 2 {
		t.Errorf("%v tokens left, want 2", got)
	}
}

// TestAnAbandonedRetryLeavesTheBudgetAsItIs gives up calls while they wait and
// while their retry is under way: a scheduled one costs nothing, one under way
// stays paid, and neither is in flight any more.
func TestAnAbandonedRetryLeavesTheBudgetAsItIs(t *testing.T) {
	all, e, f := callers(t, 2, budgeted(3, 10, budget.Config{Kind: budget.Bucket, Capacity: 10, Ratio: 0}))
	for _, c := range all {
		c.Ended(e, 1, failure)
	}
	balance := func(want float64) {
		t.Helper()
		if got := f.Budgets(0)[0].Balance(e.Now); got != want {
			t.Errorf("balance %v, want %v", got, want)
		}
	}
	balance(8)
	all[0].Cancel(e)
	balance(9)
	e.Now = ms(10)
	all[1].Fire(e)
	all[1].Cancel(e)
	all[1].Returned(e, 2)
	balance(9)
}

// TestARefusedRetryIsPaidBack: the retry finds the breaker open, is never made, and
// the budget has its token again.
func TestARefusedRetryIsPaidBack(t *testing.T) {
	all, e, f := callers(t, 1, budgeted(2, 10, budget.Config{Kind: budget.Bucket, Capacity: 10, Ratio: 0}), breakerOf(10, 1000))
	all[0].Ended(e, 1, failure)
	f.Breakers(0)[0].Force(0, breaker.ForcedOpen, 0, nil)
	e.Now = ms(10)
	if a := all[0].Fire(e); a.Kind != Done || a.Result.Reason != patterns.BreakerOpen {
		t.Fatalf("%+v", a)
	}
	if got := f.Budgets(0)[0].Balance(e.Now); got != 10 {
		t.Errorf("balance %v, want 10", got)
	}
}

// TestHungCallsOpenTheBreakerBeforeTheyEnd: four hundred threads hang behind a
// breaker that counts running calls. Nothing has ended, yet it opens one
// nanosecond after the first ten are slow.
func TestHungCallsOpenTheBreakerBeforeTheyEnd(t *testing.T) {
	b := breakerOf(10, 1000)
	b.CircuitBreaker.SlowCallDurationThreshold = msd(500)
	b.CircuitBreaker.SlowCallRateThreshold = patterns.PercentOf(50)
	b.CircuitBreaker.CountRunningSlowCalls = true
	all, e, f := callers(t, 400, b)
	if at := all[0].Timer(); at != ms(500)+1 {
		t.Fatalf("the timer is at %d, want one nanosecond after 500 ms", at)
	}
	e.Now = ms(500) + 1
	for i, c := range all {
		c.Fire(e)
		if open := f.Breakers(0)[0].State(e.Now) == breaker.Open; open != (i >= 9) {
			t.Fatalf("after %d hung calls: open is %v", i+1, open)
		}
	}
	for _, c := range all {
		if c.Timer() != never {
			t.Fatalf("a call waits for %d", c.Timer())
		}
	}
	for _, c := range all {
		if a := c.Ended(e, 1, success); a.Kind != Done || a.Result.Outcome != patterns.Success {
			t.Fatalf("%+v", a)
		}
	}
}
