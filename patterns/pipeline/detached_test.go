package pipeline

import (
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

func detachedOf(n int64) Policy {
	p := timeoutOf(n)
	p.Timeout.Detached = true
	return p
}

// deaf follows one call whose functions never return, and neither hear that they
// are given up: only timers and a cancel at some instant (never: none) move it. It
// returns the end, the instant, and how often the call lingered.
func deaf(t *testing.T, cancelAt, deadline patterns.Instant, ps ...Policy) (r patterns.Result, at patterns.Instant, lingered int) {
	t.Helper()
	var c Call
	e := Env{Dice: fixedDice(0.5)}
	a := c.Begin(&e, NewFleet(mustCompile(t, ps), 1), 0, 1, deadline)
	for a.Kind != Done {
		if a.Kind == Linger {
			lingered++
		}
		now := min(c.Timer(), cancelAt)
		if now == never || now < e.Now {
			t.Fatalf("hangs at %d in state %d: next %d", e.Now, c.state, now)
		}
		if e.Now = now; now == cancelAt {
			cancelAt, a = never, c.Cancel(&e)
			continue
		}
		a = c.Fire(&e)
	}
	if c.Outstanding() != int(c.Attempts()) {
		t.Errorf("%d functions outstanding of %d", c.Outstanding(), c.Attempts())
	}
	return a.Result, e.Now, lingered
}

// TestGivenUpFromOutsideADetachedTimeoutIsBorneNoLonger: whoever ends a call whose
// function never returns, and however early, it is over when the detached timeout
// inside would have fired: at 50 ms, worked out by hand for each row.
func TestGivenUpFromOutsideADetachedTimeoutIsBorneNoLonger(t *testing.T) {
	for name, c := range map[string]struct {
		cancelAt, deadline int64 // ms, 0: none
		policies           []Policy
		end                int64
		why                patterns.Reason
		lingered           int
	}{
		"by itself":               {0, 0, []Policy{detachedOf(50)}, 50, patterns.AttemptTimeout, 0},
		"caller cancels":          {10, 0, []Policy{detachedOf(50)}, 50, patterns.Cancelled, 1},
		"caller's deadline":       {0, 10, []Policy{detachedOf(50)}, 50, patterns.DeadlineExceeded, 1},
		"deadline at the instant": {0, 50, []Policy{detachedOf(50)}, 50, patterns.DeadlineExceeded, 0},
		"outer timeout":           {0, 0, []Policy{timeoutOf(30), detachedOf(50)}, 50, patterns.AttemptTimeout, 1},
		"outer at the instant":    {0, 0, []Policy{timeoutOf(50), detachedOf(50)}, 50, patterns.AttemptTimeout, 0},
		"cancel after a timeout":  {40, 0, []Policy{timeoutOf(30), detachedOf(50)}, 50, patterns.Cancelled, 1},
		"inner gave up before":    {20, 0, []Policy{detachedOf(50), timeoutOf(10)}, 50, patterns.Cancelled, 1},
		"two detached":            {10, 0, []Policy{detachedOf(50), detachedOf(80)}, 50, patterns.Cancelled, 1},
		"two detached, inner one": {10, 0, []Policy{detachedOf(80), detachedOf(50)}, 50, patterns.Cancelled, 1},
		"through everything":      {10, 0, append([]Policy{ladderOf("a"), detachedOf(50)}, guarded()...), 50, patterns.Cancelled, 1},
	} {
		cancelAt, deadline := never, never
		if c.cancelAt > 0 {
			cancelAt = ms(c.cancelAt)
		}
		if c.deadline > 0 {
			deadline = ms(c.deadline)
		}
		r, at, lingered := deaf(t, cancelAt, deadline, c.policies...)
		if at != ms(c.end) || r.Reason != c.why || lingered != c.lingered {
			t.Errorf("%s: %v at %d µs after lingering %d times, want %v at %d ms and %d", name, r.Reason, at/1000, lingered, c.why, c.end, c.lingered)
		}
	}
}

// TestLeftBehindFromOutsideTheRetryGoesOn: an outer timeout of 30 ms inside a retry
// gives up twice; each attempt is borne to its own 50 ms, then the next begins with a
// fresh one.
func TestLeftBehindFromOutsideTheRetryGoesOn(t *testing.T) {
	r, at, lingered := deaf(t, never, never, retryOf(3, 10), timeoutOf(30), detachedOf(50))
	if at != ms(3*50+2*10) || r.Reason != patterns.AttemptTimeout || lingered != 3 {
		t.Errorf("%v at %d ms, lingered %d times", r.Reason, at/ms(1), lingered)
	}
}

// TestReturnWhileLingeringForgetsWhenItWouldHaveBeenLeft: the function returns at 20
// ms; the retry's attempt at once after it has no timer at 50 ms but its own.
func TestReturnWhileLingeringForgetsWhenItWouldHaveBeenLeft(t *testing.T) {
	f := NewFleet(mustCompile(t, []Policy{retryOf(2, 0), timeoutOf(10), detachedOf(50)}), 1)
	var c Call
	e := Env{Dice: fixedDice(0)}
	c.Begin(&e, f, 0, 1, never)
	e.Now = ms(10)
	if a := c.Fire(&e); a.Kind != Linger || c.Timer() != ms(50) {
		t.Fatalf("%+v, timer at %d", a, c.Timer())
	}
	e.Now = ms(20)
	if a := c.Returned(&e, 1); a.Kind != Attempt || c.Timer() != ms(30) {
		t.Fatalf("%+v, timer at %d", a, c.Timer())
	}
	if a := c.Ended(&e, 2, success); a.Kind != Done || c.Timer() != never {
		t.Errorf("%+v, timer at %d", a, c.Timer())
	}
}

// TestSlotOfAFunctionLeftBehindIsHeld: as with any detached timeout, the bulkhead
// inside counts the function until it returns.
func TestSlotOfAFunctionLeftBehindIsHeld(t *testing.T) {
	f := NewFleet(mustCompile(t, []Policy{detachedOf(50), bulkheadOf(1, 0)}), 1)
	var c Call
	e := Env{Dice: fixedDice(0)}
	c.Begin(&e, f, 0, 1, never)
	c.Cancel(&e)
	e.Now = ms(50)
	if a := c.Fire(&e); a.Kind != Done || f.Bulkheads(0)[0].Snapshot().InUse != 1 {
		t.Errorf("%+v %+v", a, f.Bulkheads(0)[0].Snapshot())
	}
	if c.Returned(&e, 1); f.Bulkheads(0)[0].Snapshot().InUse != 0 {
		t.Errorf("%+v", f.Bulkheads(0)[0].Snapshot())
	}
}

// TestAnswerOfAnAbandonedStepIsNotTheNextOnes: the detached timeout gives up the first
// step of a ladder, the retry comes to it a second time. What the first run answers is
// not heard, in whatever order the two end, nor when the memory is used again.
func TestAnswerOfAnAbandonedStepIsNotTheNextOnes(t *testing.T) {
	f := NewFleet(mustCompile(t, []Policy{retryOf(2, 0), detachedOf(50), ladderOf("a"), breakerOf(1, 1000)}), 1)
	f.Breakers(0)[0].Force(0, breaker.ForcedOpen, 0, nil)
	var c Call
	e := Env{Dice: fixedDice(0)}
	first := c.Begin(&e, f, 0, 1, never)
	e.Now = ms(50)
	second := c.Fire(&e)
	if first.Kind != Step || second.Kind != Step || !second.StepAbandoned || first.Run == second.Run {
		t.Fatalf("%+v, then %+v", first, second)
	}
	if a := c.StepEnded(&e, first.Run, success); a != (Action{}) {
		t.Fatalf("the abandoned step was heard: %+v", a)
	}
	if a := c.StepEnded(&e, second.Run, success); a.Kind != Done || !a.Result.Degraded {
		t.Fatalf("%+v", a)
	}
	third := c.Begin(&e, f, 0, 1, never)
	for _, late := range []Action{first, second} {
		if a := c.StepEnded(&e, late.Run, success); third.Kind != Step || a != (Action{}) {
			t.Fatalf("a step of an earlier use was heard: %+v, %+v", third, a)
		}
	}
}

// TestStepThatBlocksIsLeftBehind: a step inside a detached timeout never ends, the
// caller cancels at 10 ms, the call is over at 50 ms; and one outside of it is waited for.
func TestStepThatBlocksIsLeftBehind(t *testing.T) {
	for _, c := range []struct {
		policies []Policy
		timer    patterns.Instant
	}{
		{[]Policy{detachedOf(50), ladderOf("a"), breakerOf(1, 1000)}, ms(50)},
		{[]Policy{ladderOf("a"), breakerOf(1, 1000), detachedOf(50)}, never},
	} {
		f := NewFleet(mustCompile(t, c.policies), 1)
		f.Breakers(0)[0].Force(0, breaker.ForcedOpen, 0, nil)
		var call Call
		e := Env{Dice: fixedDice(0)}
		step := call.Begin(&e, f, 0, 1, never)
		e.Now = ms(10)
		if a := call.Cancel(&e); a.Kind != Linger || !a.StepAbandoned || call.Timer() != c.timer {
			t.Fatalf("%+v, timer at %d, want %d", a, call.Timer(), c.timer)
		}
		end := func() Action { return call.StepEnded(&e, step.Run, success) }
		if c.timer != never {
			e.Now = c.timer
			end = func() Action { return call.Fire(&e) }
		}
		if a := end(); a.Kind != Done || a.Result.Reason != patterns.Cancelled {
			t.Errorf("%+v", a)
		}
	}
}
