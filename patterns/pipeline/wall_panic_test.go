package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

// badHint is an error whose hint panics when it is asked for.
type badHint struct{}

func (badHint) Error() string             { return "bad" }
func (badHint) RetryAfter() time.Duration { panic("oops") }

// recovered runs f and returns what it panicked with.
func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// guardedBy are the plans whose every stage hands out something, with a timeout that
// is detached or not.
func guardedBy(detached bool) []Policy {
	limit := timeoutOf(1000)
	limit.Timeout.Detached = detached
	return []Policy{retryOf(3, 10), breakerOf(1, 1000), bulkheadOf(1, 0), limitOf(1), limit}
}

func empty(t *testing.T, name string, p *Pipeline) {
	t.Helper()
	for _, b := range p.Breakers() {
		if s := b.Snapshot(); s.InFlight != 0 {
			t.Errorf("%s: breaker %+v", name, s)
		}
	}
	for _, s := range p.Bulkheads() {
		if s.InUse != 0 || s.Waiting != 0 {
			t.Errorf("%s: bulkhead %+v", name, s)
		}
	}
	for i := range p.fleet.limits {
		if n := p.fleet.limits[i].InFlight(); n != 0 {
			t.Errorf("%s: %d in the adaptive limit", name, n)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.calls) != 0 {
		t.Errorf("%s: %d calls are remembered", name, len(p.calls))
	}
}

// TestPanicAfterTheFunctionGivesEverythingBack: the function has returned, and the
// code that judges its error panics or leaves. The panic goes on through Do, the
// breaker has counted a failure, and nothing is held.
func TestPanicAfterTheFunctionGivesEverythingBack(t *testing.T) {
	judge := WithClassifier(func(context.Context, error) patterns.Result { panic("oops") })
	leave := WithClassifier(func(context.Context, error) patterns.Result { runtime.Goexit(); return success })
	for _, detached := range []bool{false, true} {
		for name, c := range map[string]struct {
			opts  []Option
			fails error
			want  any
		}{
			"classifier":       {[]Option{judge}, nil, "oops"},
			"hint":             {nil, badHint{}, "oops"},
			"goexit":           {[]Option{leave}, nil, nil},
			"and the listener": {[]Option{judge, WithListener(func(Event) { panic("too") })}, nil, "too"},
		} {
			name = fmt.Sprintf("%s, detached %v", name, detached)
			synctest.Test(t, func(t *testing.T) {
				p := mustNew(t, guardedBy(detached), c.opts...)
				returned, got := false, any(nil)
				go func() {
					got = recovered(func() {
						_, _ = Do(t.Context(), p, throws(c.fails))
						returned = true
					})
				}()
				synctest.Wait()
				if returned || got != c.want {
					t.Errorf("%s: returned %v, recovered %v, want %v", name, returned, got, c.want)
				}
				if s := p.Breakers()[0].Snapshot(); s.State != breaker.Open {
					t.Errorf("%s: not counted as a failure: %+v", name, s)
				}
				empty(t, name, p)
			})
		}
	}
}

// TestPanicOfALadderStepGivesEverythingBack: in the step itself or where its error is
// judged. It goes on, no further step covers it, and the breaker around the ladder
// counts a failure.
func TestPanicOfALadderStepGivesEverythingBack(t *testing.T) {
	for name, step := range map[string]func(context.Context, error) (int, error){
		"step": func(context.Context, error) (int, error) { panic("oops") },
		"hint": func(context.Context, error) (int, error) { return 0, badHint{} },
	} {
		for _, detached := range []bool{false, true} {
			name := fmt.Sprintf("%s, detached %v", name, detached)
			limit := timeoutOf(1000)
			limit.Timeout.Detached = detached
			for _, ps := range [][]Policy{
				{retryOf(3, 10), breakerOf(1, 1000), bulkheadOf(1, 0), ladderOf("a", "b"), limit},
				{retryOf(3, 10), breakerOf(1, 1000), bulkheadOf(1, 0), limit, ladderOf("a", "b")},
			} {
				synctest.Test(t, func(t *testing.T) {
					p := mustNew(t, ps)
					second := func(context.Context, error) (int, error) { t.Errorf("%s: a second step", name); return 2, nil }
					got := recovered(func() { _, _ = Do(t.Context(), p, throws(errBoom), step, second) })
					if s := p.Breakers()[0].Snapshot(); got != "oops" || s.State != breaker.Open {
						t.Errorf("%s: recovered %v, %+v", name, got, s)
					}
					empty(t, name, p)
				})
			}
		}
	}
}

// TestPanickingListenerTakesNothingWithIt: it panics in each event that a call has in
// its own goroutine or in that of its function. Wherever that is, the call is over
// and holds nothing, and the function was not begun again.
func TestPanickingListenerTakesNothingWithIt(t *testing.T) {
	for _, detached := range []bool{false, true} {
		for nth := 1; nth <= 4; nth++ {
			name := fmt.Sprintf("event %d, detached %v", nth, detached)
			synctest.Test(t, func(t *testing.T) {
				heard := 0
				limit := timeoutOf(1000)
				limit.Timeout.Detached = detached
				b := breakerOf(2, 1000)
				ps := []Policy{ladderOf("a"), bulkheadOf(1, 0), retryOf(3, 0), limit, b}
				p := mustNew(t, ps, WithListener(func(Event) {
					if heard++; heard == nth {
						panic("listener")
					}
				}))
				// Retry scheduled, breaker opens, retry scheduled, refused and answered.
				got := recovered(func() { _, _ = Do(t.Context(), p, throws(errBoom), twos(p)...) })
				if got != "listener" {
					t.Errorf("%s: recovered %v after %d events", name, got, heard)
				}
				time.Sleep(time.Hour)
				empty(t, name, p)
			})
		}
	}
}

// TestPanickingListenerDoesNotCostAnotherCallItsSlot: two calls wait for the slot of a
// third, whose end the listener does not survive. Both are served; which of the two
// goroutines notes it first is left to the scheduler.
func TestPanickingListenerDoesNotCostAnotherCallItsSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bang := true
		p := mustNew(t, []Policy{bulkheadOf(1, 10000), breakerOf(1, 1)}, WithListener(func(e Event) {
			if e.Kind == BreakerChanged && bang {
				bang = false
				panic("listener")
			}
		}))
		var got any
		go func() {
			got = recovered(func() { _, _ = Do(t.Context(), p, sleeps(time.Second, errBoom)) })
		}()
		var mu sync.Mutex
		var order []int
		for i := range 2 {
			synctest.Wait()
			go func() {
				if _, err := Do(t.Context(), p, sleeps(time.Second, nil)); err != nil && !errors.Is(err, ErrBreakerOpen) {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
			}()
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		slices.Sort(order)
		if got != "listener" || fmt.Sprint(order) != "[0 1]" {
			t.Errorf("recovered %v, served %v", got, order)
		}
		empty(t, "after all", p)
	})
}
