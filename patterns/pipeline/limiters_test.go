package pipeline

import (
	"testing"

	"github.com/resilsim/resilsim/patterns"
)

// TestARateLimiterMakesCallsWaitTheirTurn: one call in each 100 ms and a patience of
// 250 ms. Of five calls at once the first goes on, two wait for the next periods,
// two are told when to come back.
func TestARateLimiterMakesCallsWaitTheirTurn(t *testing.T) {
	e, f := &Env{Dice: fixedDice(0.5)}, NewFleet(mustCompile(t, []Policy{rateOf(1, 100, 250)}), 1)
	var calls [5]Call
	var answers [5]Action
	for i := range calls {
		answers[i] = calls[i].Begin(e, f, 0, uint64(i+1), never)
	}
	if answers[0].Kind != Attempt || calls[1].Timer() != ms(100) || calls[2].Timer() != ms(200) {
		t.Fatalf("%+v, timers %d and %d", answers[0], calls[1].Timer(), calls[2].Timer())
	}
	for _, a := range answers[3:] {
		if a.Kind != Done || a.Result.Reason != patterns.RateLimited || a.Result.RetryAfter <= 0 {
			t.Errorf("%+v", a)
		}
	}
	e.Now = ms(100)
	if a := calls[1].Fire(e); a.Kind != Attempt {
		t.Errorf("after its wait: %+v", a)
	}
}

// TestAWaitForAPermitThatIsGivenUpLeavesItToOthers: the last to reserve is cancelled,
// and the next one gets its period.
func TestAWaitForAPermitThatIsGivenUpLeavesItToOthers(t *testing.T) {
	e, f := &Env{Dice: fixedDice(0.5)}, NewFleet(mustCompile(t, []Policy{rateOf(1, 100, 1000)}), 1)
	var first, second, third Call
	first.Begin(e, f, 0, 1, never)
	second.Begin(e, f, 0, 2, never)
	if a := second.Cancel(e); a.Kind != Done || a.Result.Reason != patterns.Cancelled {
		t.Fatalf("%+v", a)
	}
	if third.Begin(e, f, 0, 3, never); third.Timer() != ms(100) {
		t.Errorf("the next waits until %d, want 100 ms", third.Timer())
	}
}

// TestNoCallWaitsForAPermitBeyondItsDeadline: the permit would come at 100 ms, the
// deadline is at 50 ms, so the call is refused at once and takes no permit.
func TestNoCallWaitsForAPermitBeyondItsDeadline(t *testing.T) {
	e, f := &Env{Dice: fixedDice(0.5)}, NewFleet(mustCompile(t, []Policy{rateOf(1, 100, 1000)}), 1)
	var first, second, third Call
	first.Begin(e, f, 0, 1, never)
	a := second.Begin(e, f, 0, 2, ms(50))
	if a.Kind != Done || a.Result.Reason != patterns.RateLimited || a.Result.RetryAfter != ms(100).Sub(0) {
		t.Errorf("%+v", a)
	}
	if third.Begin(e, f, 0, 3, never); third.Timer() != ms(100) {
		t.Errorf("the permit of the refused call is lost: the next waits until %d", third.Timer())
	}
}

// TestAnAdaptiveLimitBacksOffOnTimeouts: a call that times out is a drop, which takes
// the limit of ten to nine; errors that come fast leave it alone.
func TestAnAdaptiveLimitBacksOffOnTimeouts(t *testing.T) {
	b := newBench(t, []Policy{limitOf(10), timeoutOf(100)}, hangs)
	b.run(never)
	l := &b.f.AdaptiveLimits(0)[0]
	if l.Limit() != 9 || l.InFlight() != 0 {
		t.Errorf("limit %d with %d inside, want 9 and none", l.Limit(), l.InFlight())
	}
	b.do = always(1, failure)
	b.run(never)
	if l.Limit() != 9 {
		t.Errorf("limit %d after an error, want 9", l.Limit())
	}
}

// TestAnAdaptiveLimitRefusesWhatIsTooMuch: the second call inside a limit of one.
func TestAnAdaptiveLimitRefusesWhatIsTooMuch(t *testing.T) {
	e, f := &Env{Dice: fixedDice(0.5)}, NewFleet(mustCompile(t, []Policy{limitOf(1)}), 1)
	var first, second Call
	first.Begin(e, f, 0, 1, never)
	if a := second.Begin(e, f, 0, 2, never); a.Kind != Done || a.Result.Reason != patterns.LimitReached || a.Result.Outcome != patterns.NotMade {
		t.Errorf("%+v", a)
	}
}

// TestAThrottleRefusesMoreTheMoreFails: with K = 2 and nothing but failures the nth
// call is refused with probability (n-1)/n; a draw of a half lets the first two
// pass and none after them, local refusals counted.
func TestAThrottleRefusesMoreTheMoreFails(t *testing.T) {
	b := newBench(t, []Policy{throttleOf(2)}, always(1, failure))
	for i := range 5 {
		r := b.run(never)
		if refused := r.Reason == patterns.Throttled; refused != (i >= 2) {
			t.Errorf("call %d: %+v", i+1, r)
		}
	}
	if s := b.f.Throttles(0)[0].Snapshot(b.e.Now); s.InFlight != 0 {
		t.Errorf("%+v", s)
	}
}

// TestLimitersAllocateNothing drives calls through all three, answered and refused.
func TestLimitersAllocateNothing(t *testing.T) {
	e, f := &Env{Dice: fixedDice(0.9)}, NewFleet(mustCompile(t, []Policy{throttleOf(2), rateOf(1, 1, 0), limitOf(2), timeoutOf(100)}), 1)
	var c, d Call
	n := testing.AllocsPerRun(1000, func() {
		e.Now += ms(1)
		c.Begin(e, f, 0, 1, never)
		d.Begin(e, f, 0, 2, never)
		c.Ended(e, 1, success)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
