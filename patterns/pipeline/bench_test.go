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

// TestTroubledCallAllocatesNothing: nor does one that times out, is retried, opens
// the breaker or is refused, and ends on the ladder, whether somebody listens or not.
func TestTroubledCallAllocatesNothing(t *testing.T) {
	for _, loud := range []bool{false, true} {
		f := NewFleet(mustCompile(t, append([]Policy{ladderOf("default")}, guarded()...)), 1)
		var c Call
		e := Env{Dice: fixedDice(0.5), Loud: loud}
		events := 0
		got := testing.AllocsPerRun(1000, func() {
			a := c.Begin(&e, f, 0, 1, never)
			for a.Kind != Done {
				switch a.Kind {
				case Step:
					a = c.StepEnded(&e, a.Run, success)
				case Linger:
					a = c.Returned(&e, a.Abandoned)
				default:
					e.Now = max(e.Now, min(c.Timer(), e.Now+ms(1000)))
					a = c.Fire(&e)
				}
			}
			events += len(e.Events)
			e.Events = e.Events[:0]
		})
		if got != 0 || events == 0 || loud && events < 1000 {
			t.Errorf("loud %v: %v allocations per call, want 0; %d events", loud, got, events)
		}
	}
}
