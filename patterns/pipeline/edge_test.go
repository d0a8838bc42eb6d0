package pipeline

import (
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

// TestNoAttemptIsBegunWithAFinishedDeadline: a caller whose time is up reaches
// nobody (D7).
func TestNoAttemptIsBegunWithAFinishedDeadline(t *testing.T) {
	b := newBench(t, []Policy{breakerOf(1, 1000)}, always(1, success))
	b.e.Now = ms(10)
	if r := b.run(ms(10)); r.Reason != patterns.DeadlineExceeded || len(b.starts) != 0 {
		t.Errorf("%+v after %d attempts", r, len(b.starts))
	}
}

// TestOuterTimeoutCutsALongerInnerOne: the earliest enclosing deadline counts,
// whatever the inner stage allows.
func TestOuterTimeoutCutsALongerInnerOne(t *testing.T) {
	b := newBench(t, []Policy{timeoutOf(100), timeoutOf(500)}, hangs)
	if r := b.run(never); b.e.Now != ms(100) || r.Reason != patterns.AttemptTimeout {
		t.Errorf("ended at %d ms: %+v", b.e.Now/ms(1), r)
	}
	d := newBench(t, []Policy{timeoutOf(500)}, hangs)
	if r := d.run(ms(70)); d.e.Now != ms(70) || r.Reason != patterns.DeadlineExceeded {
		t.Errorf("ended at %d ms: %+v", d.e.Now/ms(1), r)
	}
}

// TestCallThatTimesOutInAQueueWasNotMade: the breaker around a bulkhead hears
// "not made" when the whole call's timeout ends the wait for a slot, and failure
// when an attempt had begun.
func TestCallThatTimesOutInAQueueWasNotMade(t *testing.T) {
	f := NewFleet(mustCompile(t, []Policy{timeoutOf(50), breakerOf(1, 1000), bulkheadOf(1, 100)}), 1)
	var holder, waiter Call
	e := Env{Dice: fixedDice(0)}
	holder.Begin(&e, f, 0, 1, never)
	e.Now = ms(20)
	waiter.Begin(&e, f, 0, 2, never)
	holder.Ended(&e, 1, patterns.Result{Outcome: patterns.Ignored})
	// The slot has been granted; the grant has not been delivered.
	e.Now = ms(70)
	if a := waiter.Fire(&e); a.Kind != Done || a.Result.Reason != patterns.AttemptTimeout {
		t.Fatalf("waiter: %+v", a)
	}
	if s := f.Breakers(0)[0].Snapshot(e.Now); s.State != breaker.Closed || s.Buffered != 0 || s.InFlight != 0 {
		t.Errorf("breaker: %+v", s)
	}
	if s := f.Bulkheads(0)[0].Snapshot(); s.InUse != 0 {
		t.Errorf("the slot that was granted and not taken is lost: %+v", s)
	}
	var third Call
	third.Begin(&e, f, 0, 3, never)
	e.Now = ms(120)
	third.Fire(&e)
	if s := f.Breakers(0)[0].State(e.Now); s != breaker.Open {
		t.Errorf("an attempt that timed out was not counted: %v", s)
	}
}

// TestGrantedSlotBeatsTheEndOfPatience: the slot was given in the instant in
// which the wait ends; the call goes on.
func TestGrantedSlotBeatsTheEndOfPatience(t *testing.T) {
	f := NewFleet(mustCompile(t, []Policy{bulkheadOf(1, 100)}), 1)
	var holder, waiter Call
	e := Env{}
	holder.Begin(&e, f, 0, 1, never)
	waiter.Begin(&e, f, 0, 2, never)
	e.Now = ms(100)
	holder.Ended(&e, 1, success)
	if a := waiter.Fire(&e); a.Kind != Attempt {
		t.Errorf("waiter: %+v, want its attempt", a)
	}
	if a := waiter.Granted(&e, e.Grants[0]); a.Kind != Wait {
		t.Errorf("the grant was taken twice: %+v", a)
	}
}

// TestStaleGrantIsNotTaken: a grant for an earlier wait of the same call does
// not admit it a second time without a slot.
func TestStaleGrantIsNotTaken(t *testing.T) {
	f := NewFleet(mustCompile(t, []Policy{bulkheadOf(1, 100)}), 1)
	var holder, next, call Call
	e := Env{}
	holder.Begin(&e, f, 0, 1, never)
	call.Begin(&e, f, 0, 2, never)
	holder.Ended(&e, 1, success)
	stale := e.Grants[0]
	call.Cancel(&e)
	next.Begin(&e, f, 0, 3, never)
	call.Begin(&e, f, 0, 2, never)
	if a := call.Granted(&e, stale); a.Kind != Wait {
		t.Errorf("a stale grant was taken: %+v", a)
	}
}

// TestScriptedInputsAreTheMethods: Step with an Input does what the method of
// the same name does.
func TestScriptedInputsAreTheMethods(t *testing.T) {
	f := NewFleet(mustCompile(t, []Policy{ladderOf("default"), retryOf(2, 10), timeoutOf(50)}), 1)
	var c Call
	e := Env{Dice: fixedDice(0)}
	var kinds []ActionKind
	for _, s := range []struct {
		at int64
		in Input
	}{
		{0, Input{Kind: Begun, Deadline: never}}, {50, Input{Kind: TimerFired}}, {50, Input{Kind: AttemptReturned, Attempt: 1}},
		{60, Input{Kind: TimerFired}}, {61, Input{Kind: AttemptEnded, Attempt: 2, Result: failure}}, {61, Input{Kind: StepEnded, Run: 1, Result: success}},
	} {
		e.Now = ms(s.at)
		kinds = append(kinds, c.Step(&e, f, s.in).Kind)
	}
	want := []ActionKind{Attempt, Linger, Wait, Attempt, Step, Done}
	for i := range want {
		if kinds[i] != want[i] {
			t.Fatalf("actions %v, want %v", kinds, want)
		}
	}
}
