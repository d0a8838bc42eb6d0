package bulkhead

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// TestWhoHoldsASlotIsKnown: a ticket holds from its grant until it leaves, and neither
// while it waits nor when its place is another's.
func TestWhoHoldsASlotIsKnown(t *testing.T) {
	b := New(compile(t, Config{MaxConcurrentCalls: 1, MaxWaitDuration: patterns.Duration(time.Second)}))
	first, _ := b.Enter(0, 1)
	second, d := b.Enter(0, 2)
	if !b.Holds(first) || b.Holds(second) || d != Queued {
		t.Errorf("at first: %v %v, %s", b.Holds(first), b.Holds(second), d)
	}
	b.Leave(0, first, nil)
	if b.Holds(first) || !b.Holds(second) {
		t.Errorf("after the first: %v %v", b.Holds(first), b.Holds(second))
	}
	third, _ := b.Enter(0, 3)
	if b.Cancel(0, third, nil); b.Holds(third) || b.Holds(Ticket(0)) || b.Holds(Ticket(1<<40)) {
		t.Error("one that has gone, or that never was, holds a slot")
	}
	if got := Granted.String() + Decision(99).String(); got != "grantedunknown" {
		t.Error(got)
	}
}
