package pipeline

import (
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
)

// TestWorstCaseIsAttemptsTimesTimeoutPlusWaits follows calls to a dependency
// that never answers: the end is exact in virtual time.
func TestWorstCaseIsAttemptsTimesTimeoutPlusWaits(t *testing.T) {
	for _, c := range []struct{ attempts, limit, wait, want int64 }{
		{3, 200, 50, 700}, {2, 500, 100, 1100}, {2, 350, 200, 900}, {1, 1000, 50, 1000},
	} {
		b := newBench(t, []Policy{retryOf(int(c.attempts), c.wait), timeoutOf(c.limit)}, hangs)
		r := b.run(never)
		if b.e.Now != ms(c.want) || r.Reason != patterns.AttemptTimeout || len(b.starts) != int(c.attempts) {
			t.Errorf("%+v: ended at %d ms after %d attempts (%v)", c, b.e.Now/ms(1), len(b.starts), r.Reason)
		}
	}
}

// TestTimeoutAroundTheLoopIsUsedUpByOneHungAttempt: a timeout outside the retry
// leaves one hung attempt no successor; inside, each attempt has its own.
func TestTimeoutAroundTheLoopIsUsedUpByOneHungAttempt(t *testing.T) {
	outside := newBench(t, []Policy{timeoutOf(2000), retryOf(3, 0)}, hangs)
	outside.run(never)
	if len(outside.starts) != 1 || outside.e.Now != ms(2000) {
		t.Errorf("outside: %d attempts, ended at %d ms", len(outside.starts), outside.e.Now/ms(1))
	}
	both := newBench(t, []Policy{timeoutOf(2000), retryOf(3, 0), timeoutOf(600)}, hangs)
	both.run(never)
	if len(both.starts) != 3 || both.e.Now != ms(1800) {
		t.Errorf("both: %d attempts, ended at %d ms", len(both.starts), both.e.Now/ms(1))
	}
}

// TestOpenBreakerCallsNothingAndWaitsForNothing: a forced-open breaker inside a
// retry ends the call at once (D18).
func TestOpenBreakerCallsNothingAndWaitsForNothing(t *testing.T) {
	b := newBench(t, []Policy{retryOf(3, 100), breakerOf(10, 1000)}, always(1, success))
	b.f.Breakers(0)[0].Force(0, breaker.ForcedOpen, 0, nil)
	r := b.run(never)
	if len(b.starts) != 0 || b.e.Now != 0 || r.Reason != patterns.BreakerOpen || r.Outcome != patterns.NotMade {
		t.Errorf("%d attempts, at %d, %+v", len(b.starts), b.e.Now, r)
	}
}

// TestEveryFailedAttemptCountsInABreakerInsideTheRetry: three attempts a request
// trip a breaker of 10 calls at the 4th request, with 10 results recorded.
func TestEveryFailedAttemptCountsInABreakerInsideTheRetry(t *testing.T) {
	b := newBench(t, []Policy{retryOf(3, 0), breakerOf(10, 1000)}, always(1, failure))
	requests := 0
	for b.f.Breakers(0)[0].State(b.e.Now) == breaker.Closed {
		b.run(never)
		requests++
	}
	if requests != 4 || len(b.starts) != 10 {
		t.Errorf("tripped after %d requests and %d attempts, want 4 and 10", requests, len(b.starts))
	}
}

// TestHangingCallsAreSeenOnlyThroughATimeout: without a timeout inside it the
// breaker records nothing; with one, four timeouts open it.
func TestHangingCallsAreSeenOnlyThroughATimeout(t *testing.T) {
	bare := NewFleet(mustCompile(t, []Policy{breakerOf(4, 1000)}), 1)
	e := Env{Dice: fixedDice(0)}
	for range 4 {
		new(Call).Begin(&e, bare, 0, 1, never)
	}
	if s := bare.Breakers(0)[0].Snapshot(0); s.State != breaker.Closed || s.Buffered != 0 || s.InFlight != 4 {
		t.Errorf("without a timeout: %+v", s)
	}
	b := newBench(t, []Policy{breakerOf(4, 1000), timeoutOf(200)}, hangs)
	for range 4 {
		b.run(never)
	}
	if s := b.f.Breakers(0)[0].Snapshot(b.e.Now); s.State != breaker.Open {
		t.Errorf("with a timeout: %+v", s)
	}
}

// TestFallbackInsideHidesTheFailureOutsideDoesNot: outermost, the fallback
// answers and the breaker opens; inside, breaker and retry hear a success.
func TestFallbackInsideHidesTheFailureOutsideDoesNot(t *testing.T) {
	outer := newBench(t, []Policy{ladderOf("default"), retryOf(3, 0), breakerOf(4, 1000)}, always(1, failure))
	inner := newBench(t, []Policy{retryOf(3, 0), breakerOf(4, 1000), ladderOf("default")}, always(1, failure))
	for range 4 {
		for _, b := range []*bench{outer, inner} {
			if r := b.run(never); r.Outcome != patterns.Success || !r.Degraded {
				t.Fatalf("not answered by the fallback: %+v", r)
			}
		}
	}
	if s := outer.f.Breakers(0)[0].State(outer.e.Now); s != breaker.Open {
		t.Errorf("outermost fallback: breaker %v, want open", s)
	}
	if s := inner.f.Breakers(0)[0].State(inner.e.Now); s != breaker.Closed || len(inner.starts) != 4 {
		t.Errorf("inner fallback: breaker %v, %d attempts", s, len(inner.starts))
	}
}

// TestLadderStepsDownUntilOneAnswers: a step that fails hands over to the next;
// when none answers, the caller hears the original failure.
func TestLadderStepsDownUntilOneAnswers(t *testing.T) {
	for good := 0; good <= 3; good++ {
		f := NewFleet(mustCompile(t, []Policy{ladderOf("cache", "default", "message")}), 1)
		var c Call
		e := Env{}
		a := c.Begin(&e, f, 0, 1, never)
		a = c.Ended(&e, a.Attempt, failure)
		steps := 0
		for a.Kind == Step {
			steps++
			r := failure
			if a.Step == good {
				r = success
			}
			a = c.StepEnded(&e, a.Run, r)
		}
		if want := min(good+1, 3); steps != want || a.Result.Degraded != (good < 3) || a.Kind != Done {
			t.Errorf("step %d good: %d steps, %+v", good, steps, a)
		}
		if good == 3 && a.Result != failure {
			t.Errorf("no step good: %+v, want the original failure", a.Result)
		}
	}
}

// TestH07_TrialBlockedFurtherInGivesItsPermitBack: a half-open breaker admits a
// trial that the bulkhead behind it refuses; the permit is back, the next trial
// is admitted.
func TestH07_TrialBlockedFurtherInGivesItsPermitBack(t *testing.T) {
	f := NewFleet(mustCompile(t, []Policy{breakerOf(4, 1000), bulkheadOf(1, 0)}), 1)
	var holder, second, third Call
	e := Env{Dice: fixedDice(0)}
	a := holder.Begin(&e, f, 0, 1, never)
	f.Breakers(0)[0].Force(0, breaker.Open, 0, nil)
	f.Breakers(0)[0].Force(0, breaker.HalfOpen, 0, nil)
	if got := second.Begin(&e, f, 0, 2, never); got.Result.Reason != patterns.BulkheadFull {
		t.Fatalf("second: %+v", got)
	}
	holder.Ended(&e, a.Attempt, success)
	if got := third.Begin(&e, f, 0, 3, never); got.Kind != Attempt {
		t.Errorf("third: %+v, want its attempt", got)
	}
}

// TestH11_CancelAfterAResultGivesTheSlotBackOnce: a late cancel of a finished
// call changes nothing.
func TestH11_CancelAfterAResultGivesTheSlotBackOnce(t *testing.T) {
	f := NewFleet(mustCompile(t, []Policy{bulkheadOf(1, 0)}), 1)
	var a, b, c Call
	e := Env{}
	act := a.Begin(&e, f, 0, 1, never)
	a.Ended(&e, act.Attempt, success)
	a.Cancel(&e)
	if got := b.Begin(&e, f, 0, 2, never); got.Kind != Attempt {
		t.Errorf("b: %+v", got)
	}
	if got := c.Begin(&e, f, 0, 3, never); got.Result.Reason != patterns.BulkheadFull {
		t.Errorf("c: %+v, want a refusal", got)
	}
}

// TestH10_WaitersThatTimedOutLeaveTheQueue: eight waiters give up, the eight
// holders finish, and eight slots are free.
func TestH10_WaitersThatTimedOutLeaveTheQueue(t *testing.T) {
	f := NewFleet(mustCompile(t, []Policy{bulkheadOf(8, 100)}), 1)
	e := Env{}
	holders, waiters := make([]Call, 8), make([]Call, 8)
	for i := range holders {
		holders[i].Begin(&e, f, 0, uint64(i), never)
	}
	for i := range waiters {
		waiters[i].Begin(&e, f, 0, uint64(100+i), never)
	}
	e.Now = ms(100)
	for i := range waiters {
		if a := waiters[i].Fire(&e); a.Result.Reason != patterns.BulkheadTimeout {
			t.Fatalf("waiter %d: %+v", i, a)
		}
	}
	for i := range holders {
		holders[i].Ended(&e, 1, success)
	}
	if s := f.Bulkheads(0)[0].Snapshot(); s.InUse != 0 || s.Waiting != 0 || len(e.Grants) != 0 {
		t.Errorf("%+v, grants %v", s, e.Grants)
	}
}

// TestH15_RetriesAreChargedWhenScheduled: a thousand calls fail at the same
// instant; a bucket that holds 200 lets 200 retries wait, not more.
func TestH15_RetriesAreChargedWhenScheduled(t *testing.T) {
	p := retryOf(2, 1000)
	p.Retry.Budget = &budget.Config{Ratio: 0.2, Capacity: 200, Initial: new(float64), Deposit: budget.PerCall}
	f := NewFleet(mustCompile(t, []Policy{p}), 1)
	e := Env{}
	calls := make([]Call, 1000)
	for i := range calls {
		calls[i].Begin(&e, f, 0, uint64(i), never)
	}
	waits, fails := 0, 0
	for i := range calls {
		if a := calls[i].Ended(&e, 1, failure); a.Kind == Wait {
			waits++
		} else {
			fails++
		}
	}
	if waits != 200 || fails != 800 {
		t.Errorf("%d retries scheduled, %d failed at once; want 200 and 800", waits, fails)
	}
}

// TestScheduledRetryThatIsNotMadeIsRefunded: a caller that gives up during the
// wait returns what the retry cost (D15).
func TestScheduledRetryThatIsNotMadeIsRefunded(t *testing.T) {
	p := retryOf(2, 1000)
	one := 1.0
	p.Retry.Budget = &budget.Config{Ratio: 0, Capacity: 1, Initial: &one, Deposit: budget.PerCall}
	b := newBench(t, []Policy{p}, always(10, failure))
	b.cancelAt = ms(300)
	if r := b.run(never); r.Outcome != patterns.Ignored || b.e.Now != ms(300) {
		t.Fatalf("%+v at %d", r, b.e.Now)
	}
	if !b.f.Budgets(0)[0].Withdraw(b.e.Now) {
		t.Error("the withdrawn retry was not given back")
	}
}

// TestAnswerBeatsTimeoutInTheSameInstant: told in the order of the tie rule, the
// call is answered; one nanosecond later it has timed out.
func TestAnswerBeatsTimeoutInTheSameInstant(t *testing.T) {
	tie := newBench(t, []Policy{timeoutOf(100)}, always(100, success))
	if r := tie.run(never); r.Outcome != patterns.Success {
		t.Errorf("tie: %+v", r)
	}
	late := newBench(t, []Policy{timeoutOf(100)}, func(uint32) (patterns.Instant, patterns.Result) { return ms(100) + 1, success })
	if r := late.run(never); r.Reason != patterns.AttemptTimeout || late.e.Now != ms(100) {
		t.Errorf("late: %+v at %d", r, late.e.Now)
	}
}
