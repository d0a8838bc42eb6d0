package pipeline

import (
	"testing"

	"github.com/resilsim/resilsim/patterns"
)

// TestACallerWhoHasGoneEndsTheRace: one attempt has failed, and the other one notices that
// the caller has gone before the call does. What it says is the end, not the failure; also
// when it is the first to say anything, while the other still runs.
func TestACallerWhoHasGoneEndsTheRace(t *testing.T) {
	for _, failed := range []bool{true, false} {
		e, f := &Env{Dice: fixedDice(0.5)}, NewFleet(mustCompile(t, []Policy{hedgeOf(1, 100), bulkheadOf(2, 0)}), 1)
		var c Call
		c.Begin(e, f, 0, 1, never)
		e.Now = ms(100)
		if a := c.Fire(e); a.Kind != Attempt || a.Attempt != 2 {
			t.Fatalf("%+v", a)
		}
		if failed {
			if a := c.Ended(e, 1, failure); a.Kind != Wait {
				t.Fatalf("%+v", a)
			}
		}
		if a := c.Ended(e, 2, cancelResult); a.Kind != Done || a.Result.Reason != patterns.Cancelled {
			t.Errorf("one has failed %v: %+v", failed, a)
		}
		c.Returned(e, 1)
		if n, s := c.Outstanding(), f.Bulkheads(0)[0].Snapshot(); n != 0 || s.InUse != 0 {
			t.Errorf("%d functions, %+v", n, s)
		}
	}
}

// TestAGrantForNoLegIsNotTaken: two attempts wait for slots, and what comes is for a ticket that
// neither has. They wait on.
func TestAGrantForNoLegIsNotTaken(t *testing.T) {
	e, f := &Env{Dice: fixedDice(0.5)}, NewFleet(mustCompile(t, []Policy{hedgeOf(1, 100), bulkheadOf(1, 1000)}), 1)
	var holder, c Call
	holder.Begin(e, f, 0, 1, never)
	c.Begin(e, f, 0, 2, never)
	e.Now = ms(100)
	c.Fire(e)
	if s := f.Bulkheads(0)[0].Snapshot(); s.Waiting != 2 {
		t.Fatalf("%+v", s)
	}
	if a := c.Granted(e, Grant{Owner: 2, Stage: 1, Ticket: 1 << 40}); a.Kind != Wait || f.Bulkheads(0)[0].Snapshot().Waiting != 2 {
		t.Errorf("%+v", a)
	}
}
