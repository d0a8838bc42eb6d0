package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
)

func (e Event) line() string {
	s := fmt.Sprintf("%v %s call %d attempts %d: %v", time.Duration(e.At), e.Name, e.Call, e.Attempts, e.Kind)
	switch e.Kind {
	case BreakerChanged:
		return fmt.Sprintf("%s to %v", s, e.To)
	case RetryScheduled:
		return fmt.Sprintf("%s in %v after %v", s, e.Wait, e.Reason)
	case FallbackUsed:
		return fmt.Sprintf("%s, step %d, for %v", s, e.Step, e.Reason)
	}
	return fmt.Sprintf("%s, %v", s, e.Reason)
}

// everyKind is a plan whose calls can have events of every kind.
func everyKind() []Policy {
	ps := []Policy{ladderOf("cache", "default"), retryOf(2, 100), breakerOf(2, 1000), timeoutOf(200), bulkheadOf(1, 0)}
	for i, name := range []string{"answers", "retry", "breaker", "limit", "slots"} {
		ps[i].Name = name
	}
	return ps
}

// TestListenerHearsEveryKindOfEvent: a call whose two attempts time out opens the
// breaker and is answered by the ladder's second step; the next one is refused; a
// second later one takes the only slot and another is turned away; then an operator
// lends a hand.
func TestListenerHearsEveryKindOfEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []string
		p := mustNew(t, everyKind(), WithListener(func(e Event) { heard = append(heard, e.line()) }))
		empty := func(context.Context, error) (int, error) { return 0, errBoom }
		call := func(d time.Duration) { _, _ = Do(t.Context(), p, sleeps(d, nil), empty, twos(p)[0]) }
		call(time.Hour)
		call(time.Hour)
		time.Sleep(1500 * time.Millisecond)
		go call(100 * time.Millisecond)
		synctest.Wait()
		p.Breakers()[0].Force(breaker.Closed) // the only trial is out
		call(0)
		time.Sleep(time.Second)
		p.Breakers()[0].Force(breaker.ForcedOpen)
		want := []string{
			"200ms limit call 1 attempts 1: timed out, timeout",
			"200ms retry call 1 attempts 1: retry scheduled in 100ms after timeout",
			"500ms limit call 1 attempts 2: timed out, timeout",
			"500ms breaker call 1 attempts 2: breaker changed to open",
			"500ms answers call 1 attempts 2: fallback used, step 1, for timeout",
			"500ms breaker call 2 attempts 0: refused, breaker_open",
			"500ms answers call 2 attempts 0: fallback used, step 1, for breaker_open",
			"2s breaker call 3 attempts 0: breaker changed to half_open",
			"2s breaker call 0 attempts 0: breaker changed to closed",
			"2s slots call 4 attempts 0: refused, bulkhead_full",
			"2s answers call 4 attempts 0: fallback used, step 1, for bulkhead_full",
			"3s breaker call 0 attempts 0: breaker changed to forced_open",
		}
		if !slices.Equal(heard, want) {
			t.Errorf("heard:")
			for _, h := range heard {
				t.Error(h)
			}
		}
	})
}

// TestListenerMayDoAnythingInAnyEvent: on each kind of event it calls through the
// pipeline, looks at everything and forces the breaker; nothing hangs, and events
// that it causes come after the one that it is told.
func TestListenerMayDoAnythingInAnyEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *Pipeline
		depth, kinds := 0, map[EventKind]int{}
		p = mustNew(t, everyKind(), WithListener(func(e Event) {
			if depth++; depth != 1 {
				t.Errorf("%v told in the middle of another event", e.Kind)
			}
			defer func() { depth-- }()
			kinds[e.Kind]++
			p.Bulkheads()
			p.Budgets()
			p.Breakers()[0].Snapshot()
			if kinds[e.Kind] <= 3 {
				_, _ = Do(t.Context(), p, sleeps(time.Hour, nil), twos(p)...)
				p.Breakers()[0].Force(breaker.Open)
				p.Breakers()[0].Reset()
			}
		}))
		_, _ = Do(t.Context(), p, sleeps(time.Hour, nil), twos(p)...)
		// The timer's goroutine may still be at the listener when Do returns.
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(kinds) < 4 {
			t.Errorf("heard only %v", kinds)
		}
	})
}

// TestEventsOfABreakerComeInOrder: eight clients make one breaker open and close all
// the time. Each of its events begins where the one before ended, no two are told at
// once, none is left over, and a call's retries are counted upwards.
func TestEventsOfABreakerComeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state, changes, inside := breaker.Closed, 0, atomic.Int32{}
		attempts := map[uint64]uint32{}
		p := mustNew(t, []Policy{retryOf(4, 1), breakerOf(3, 1)}, WithListener(func(e Event) {
			if inside.Add(1) != 1 {
				t.Error("two events at once")
			}
			defer inside.Add(-1)
			switch e.Kind {
			case BreakerChanged:
				if e.From != state {
					t.Errorf("from %v, but it was %v", e.From, state)
				}
				state, changes = e.To, changes+1
			case RetryScheduled:
				if e.Attempts != attempts[e.Call]+1 {
					t.Errorf("call %d: attempt %d after %d", e.Call, e.Attempts, attempts[e.Call])
				}
				attempts[e.Call] = e.Attempts
			}
		}))
		var wg sync.WaitGroup
		for client := range 8 {
			wg.Go(func() {
				for n := range 100 {
					err := errBoom
					if (client+n)%3 == 0 {
						err = nil
					}
					_, _ = Do(t.Context(), p, func(context.Context) (int, error) { return 0, err })
					time.Sleep(time.Millisecond)
				}
			})
		}
		wg.Wait()
		if changes < 20 || state != p.Breakers()[0].Snapshot().State || len(p.out.events) != 0 {
			t.Errorf("%d changes, last to %v, %d left over; %+v", changes, state, len(p.out.events), p.Breakers()[0].Snapshot())
		}
	})
}

// TestListenerThatPanicsDoesNotSilenceThePipeline: the panic goes on through Do,
// and the next event is told.
func TestListenerThatPanicsDoesNotSilenceThePipeline(t *testing.T) {
	heard := 0
	p := mustNew(t, []Policy{bulkheadOf(1, 0), breakerOf(1, 1000)}, WithListener(func(Event) {
		if heard++; heard == 1 {
			panic("listener")
		}
	}))
	func() {
		defer func() {
			if v := recover(); v != "listener" {
				t.Errorf("recovered %v", v)
			}
		}()
		_, _ = Do(t.Context(), p, throws(errBoom))
	}()
	_, _ = Do(t.Context(), p, throws(errBoom))
	if heard != 2 {
		t.Errorf("heard %d events, want the opening and a refusal", heard)
	}
}

// TestNobodyListensNothingIsWritten: without a listener and a tape a call that opens
// a breaker makes no room for events.
func TestNobodyListensNothingIsWritten(t *testing.T) {
	p := mustNew(t, []Policy{retryOf(2, 0), breakerOf(1, 1000)})
	w := newWallCall(p)
	defer w.close()
	a := w.step(nil, Input{Kind: Begun, Owner: w.owner, Deadline: patterns.Never})
	a = w.ended(a, failure, func() {})
	if a.Kind != Done || p.Breakers()[0].Snapshot().State != breaker.Open {
		t.Errorf("%+v %+v", a, p.Breakers()[0].Snapshot())
	}
	if cap(w.env.Events) != 0 || cap(w.env.log) != 0 {
		t.Errorf("room for %d events and %d of breakers", cap(w.env.Events), cap(w.env.log))
	}
}

// TestPartsAreFoundByName: and not under the name of another kind, nor without one.
func TestPartsAreFoundByName(t *testing.T) {
	ps := everyKind()
	ps[1].Retry.Budget = &budget.Config{Ratio: 0.1, Capacity: 10, Deposit: budget.PerCall}
	p := mustNew(t, append(ps, breakerOf(1, 1000)))
	if b, ok := p.Breaker("breaker"); !ok || b.Name() != "breaker" || b != p.Breakers()[0] {
		t.Errorf("breaker %+v %v", b, ok)
	}
	if b, ok := p.Bulkhead("slots"); !ok || b != p.Bulkheads()[0] || b.Name != "slots" {
		t.Errorf("bulkhead %+v %v", b, ok)
	}
	if b, ok := p.Budget("retry"); !ok || b != p.Budgets()[0] || b.Name != "retry" {
		t.Errorf("budget %+v %v", b, ok)
	}
	for _, name := range []string{"", "nobody", "limit"} {
		_, one := p.Breaker(name)
		_, two := p.Bulkhead(name)
		_, three := p.Budget(name)
		if one || two || three {
			t.Errorf("%q is found", name)
		}
	}
	if all := mustNew(t, everyKind()).Budgets(); all != nil {
		t.Errorf("budgets of retries without one: %v", all)
	}
}

// TestBudgetOfAPipelineIsSeen: two retries cost two tokens.
func TestBudgetOfAPipelineIsSeen(t *testing.T) {
	r := retryOf(3, 0)
	r.Retry.Budget = &budget.Config{Ratio: 0.1, Capacity: 10, Deposit: budget.PerSuccess}
	p := mustNew(t, []Policy{r})
	before := p.Budgets()[0].Balance
	_, _ = Do(t.Context(), p, throws(errBoom))
	if after := p.Budgets()[0].Balance; before-after != 2 {
		t.Errorf("balance %v, was %v", after, before)
	}
}

// TestOperatorSwitchesRetries: off, a call has one attempt, and on again three. Calls
// go on meanwhile; the race detector is the judge of that.
func TestOperatorSwitchesRetries(t *testing.T) {
	p := mustNew(t, []Policy{retryOf(3, 0)})
	var wg sync.WaitGroup
	for _, on := range []bool{false, true} {
		wg.Go(func() { _, _ = Do(t.Context(), p, throws(errBoom)) })
		p.SwitchRetries(on)
		_, info, _ := DoInfo(t.Context(), p, throws(errBoom))
		if want := map[bool]int{false: 1, true: 3}[on]; info.Attempts != want {
			t.Errorf("retries %v: %d attempts, want %d", on, info.Attempts, want)
		}
	}
	wg.Wait()
}
