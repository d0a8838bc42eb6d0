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
