package pipeline

import "testing"

// BenchmarkCall measures one answered call through budget, retry, breaker and
// timeout on the core alone.
func BenchmarkCall(b *testing.B) {
	f := NewFleet(mustCompile(b, guarded()), 1000)
	var c Call
	e := Env{Dice: fixedDice(0.5)}
	b.ReportAllocs()
	for i := range b.N {
		e.Now += 1000
		a := c.Begin(&e, f, i%1000, 1, never)
		e.Now += 500
		if a = c.Ended(&e, a.Attempt, success); a.Kind != Done {
			b.Fatal("not done")
		}
	}
}

// TestAnsweredCallAllocatesNothing: after the first call has made its frames, a
// call through every kind of policy allocates nothing.
func TestAnsweredCallAllocatesNothing(t *testing.T) {
	f := NewFleet(mustCompile(t, guarded()), 1)
	var c Call
	e := Env{Dice: fixedDice(0.5)}
	got := testing.AllocsPerRun(1000, func() {
		e.Now += 1000
		a := c.Begin(&e, f, 0, 1, never)
		e.Now += 500
		c.Ended(&e, a.Attempt, success)
	})
	if got != 0 {
		t.Fatalf("%v allocations per call, want 0", got)
	}
}
