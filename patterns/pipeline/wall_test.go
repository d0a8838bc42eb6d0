package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

var errBoom = errors.New("boom")

func mustNew(t *testing.T, ps []Policy, opts ...Option) *Pipeline {
	t.Helper()
	p, err := New(ps, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// sleeps is a function that keeps to its context and otherwise returns err after d.
func sleeps(d time.Duration, err error) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		select {
		case <-time.After(d):
			return 42, err
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// TestDoAnswers: a plain call returns the function's value, and its own error
// when it fails for good.
func TestDoAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{retryOf(3, 100), breakerOf(10, 1000), bulkheadOf(2, 0), timeoutOf(500)})
		v, info, err := DoInfo(t.Context(), p, sleeps(10*time.Millisecond, nil))
		if v != 42 || err != nil || info.Attempts != 1 {
			t.Errorf("%v %+v %v", v, info, err)
		}
		start := time.Now()
		_, info, err = DoInfo(t.Context(), p, sleeps(10*time.Millisecond, errBoom))
		if err != errBoom || info.Attempts != 3 || time.Since(start) != 230*time.Millisecond {
			t.Errorf("%+v %v after %v", info, err, time.Since(start))
		}
	})
}

// TestTimeoutOnTheWallClockIsExact: three hung attempts of 200 ms with waits of
// 50 ms end at 700 ms, each context cancelled with the timeout as its cause.
func TestTimeoutOnTheWallClockIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{retryOf(3, 50), timeoutOf(200)})
		start := time.Now()
		_, err := Do(t.Context(), p, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			if !errors.Is(context.Cause(ctx), ErrTimeout) {
				t.Errorf("cause %v", context.Cause(ctx))
			}
			return 0, ctx.Err()
		})
		if time.Since(start) != 700*time.Millisecond || !errors.Is(err, ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// TestCooperativeCallReturnsWhenItsFunctionDoes: a function that ignores its
// context holds Do back, but the breaker heard the timeout at its instant.
func TestCooperativeCallReturnsWhenItsFunctionDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var opened atomic.Int64
		start := time.Now()
		p := mustNew(t, []Policy{timeoutOf(200), breakerOf(1, 1000), bulkheadOf(1, 0)}, WithListener(func(e Event) {
			opened.Store(int64(time.Since(start)))
		}))
		_, err := Do(t.Context(), p, func(context.Context) (int, error) {
			time.Sleep(time.Second)
			return 1, nil
		})
		if !errors.Is(err, ErrTimeout) || time.Since(start) != time.Second || opened.Load() != int64(200*time.Millisecond) {
			t.Errorf("%v after %v, breaker opened at %v", err, time.Since(start), time.Duration(opened.Load()))
		}
		if s := p.Bulkheads()[0]; s.InUse != 0 {
			t.Errorf("slot not given back: %+v", s)
		}
	})
}

// TestDetachedCallLeavesItsFunctionBehind: Do returns at the timeout, the slot
// is free when the function returns.
func TestDetachedCallLeavesItsFunctionBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := timeoutOf(200)
		d.Timeout.Detached = true
		p := mustNew(t, []Policy{d, bulkheadOf(1, 0)})
		slow := func(context.Context) (int, error) { time.Sleep(time.Second); return 1, nil }
		start := time.Now()
		if _, err := Do(t.Context(), p, slow); !errors.Is(err, ErrTimeout) || time.Since(start) != 200*time.Millisecond {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if _, err := Do(t.Context(), p, slow); !errors.Is(err, ErrBulkheadFull) {
			t.Errorf("second call: %v, want a full bulkhead", err)
		}
		time.Sleep(time.Second)
		if s := p.Bulkheads()[0]; s.InUse != 0 {
			t.Errorf("slot not given back: %+v", s)
		}
	})
}

// TestM01_PanicGivesEverythingBack: a panic goes on through Do, is counted as a
// failure, and neither slot nor trial permit is lost; detached as well.
func TestM01_PanicGivesEverythingBack(t *testing.T) {
	for _, detached := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			limit := timeoutOf(1000)
			limit.Timeout.Detached = detached
			p := mustNew(t, []Policy{retryOf(3, 10), breakerOf(1, 1000), bulkheadOf(1, 0), limit})
			for range 3 {
				time.Sleep(time.Second)
				func() {
					defer func() {
						if v := recover(); fmt.Sprint(v) != "oops" {
							t.Errorf("detached %v: recovered %v", detached, v)
						}
					}()
					Do(t.Context(), p, func(context.Context) (int, error) { panic("oops") })
				}()
				if s := p.Breakers()[0].Snapshot(); s.State != breaker.Open || p.Bulkheads()[0].InUse != 0 {
					t.Errorf("detached %v: %+v %+v", detached, s, p.Bulkheads()[0])
				}
			}
			time.Sleep(24 * time.Hour)
			if _, err := Do(t.Context(), p, sleeps(0, nil)); err != nil {
				t.Errorf("detached %v: a day later: %v", detached, err)
			}
		})
	}
}

// TestM03_GoexitIsAFailure: a trial that leaves by Goexit is accounted for, and
// the next one is admitted.
func TestM03_GoexitIsAFailure(t *testing.T) {
	for _, detached := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			limit := timeoutOf(1000)
			limit.Timeout.Detached = detached
			p := mustNew(t, []Policy{breakerOf(1, 1000), bulkheadOf(1, 0), limit})
			for range 2 {
				time.Sleep(time.Second)
				var wg sync.WaitGroup
				wg.Go(func() {
					Do(t.Context(), p, func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
					t.Error("Do returned after Goexit")
				})
				wg.Wait()
				if s := p.Breakers()[0].Snapshot(); s.State != breaker.Open || p.Bulkheads()[0].InUse != 0 {
					t.Errorf("detached %v: %+v", detached, s)
				}
			}
		})
	}
}

// TestH14_NoSleepPastTheDeadline: with 5 s to go and a wait of 10 s the call
// returns at once, with the last failure and the deadline as its cause.
func TestH14_NoSleepPastTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{retryOf(5, 10000)})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		_, err := Do(ctx, p, sleeps(0, errBoom))
		if !errors.Is(err, errBoom) || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// TestCancelDuringAWaitReturnsAtOnce: another attempt is not made, and the
// error names the cause and the last failure.
func TestCancelDuringAWaitReturnsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{retryOf(5, 1000)})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(300*time.Millisecond, cancel)
		start := time.Now()
		_, info, err := DoInfo(ctx, p, sleeps(0, errBoom))
		if !errors.Is(err, context.Canceled) || !errors.Is(err, errBoom) || info.Attempts != 1 || time.Since(start) != 300*time.Millisecond {
			t.Errorf("%v %+v after %v", err, info, time.Since(start))
		}
		if _, info, err := DoInfo(ctx, p, sleeps(time.Hour, nil)); !errors.Is(err, context.Canceled) {
			t.Errorf("already cancelled: %+v %v", info, err)
		}
	})
}

// TestCallerThatCancelsSaysNothingAboutTheDependency: a breaker of one call
// stays closed when the caller gives up (D11), and opens when its deadline passes.
func TestCallerThatCancelsSaysNothingAboutTheDependency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{breakerOf(1, 1000)})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		Do(ctx, p, sleeps(time.Hour, nil))
		if s := p.Breakers()[0].Snapshot(); s.State != breaker.Closed || s.InFlight != 0 {
			t.Errorf("after a cancel: %+v", s)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := Do(ctx, p, sleeps(time.Hour, nil))
		if s := p.Breakers()[0].Snapshot(); s.State != breaker.Open || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after a deadline: %+v, %v", s, err)
		}
	})
}

// TestWaitersAreServedInOrder: four calls share one slot for 100 ms each and end one after the other.
func TestWaitersAreServedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{bulkheadOf(1, 1000)})
		start := time.Now()
		ends := make([]time.Duration, 4)
		var wg sync.WaitGroup
		for i := range ends {
			time.Sleep(time.Millisecond)
			wg.Go(func() {
				if _, err := Do(t.Context(), p, sleeps(100*time.Millisecond, nil)); err != nil {
					t.Error(err)
				}
				ends[i] = time.Since(start)
			})
		}
		wg.Wait()
		for i, end := range ends {
			if want := time.Duration(i+1)*100*time.Millisecond + time.Millisecond; end != want {
				t.Errorf("call %d ended at %v, want %v", i, end, want)
			}
		}
	})
}

// TestLadderAnswersAndIsCounted: the ladder's second step answers, is told the
// cause, and the answer is marked.
func TestLadderAnswersAndIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{ladderOf("cache", "default"), retryOf(2, 0)})
		v, info, err := DoInfo(t.Context(), p, sleeps(0, errBoom),
			func(context.Context, error) (int, error) { return 0, errors.New("cache is empty") },
			func(_ context.Context, cause error) (int, error) {
				if cause != errBoom {
					t.Errorf("cause %v", cause)
				}
				return 7, nil
			})
		if v != 7 || err != nil || !info.Degraded || info.Attempts != 2 {
			t.Errorf("%v %+v %v", v, info, err)
		}
	})
}

// TestRefusalOfAnInnerPipelineIsNotMade: an outer breaker does not count what an
// inner one refused (D12).
func TestRefusalOfAnInnerPipelineIsNotMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer, inner := mustNew(t, []Policy{breakerOf(1, 1000)}), mustNew(t, []Policy{breakerOf(1, 1000)})
		inner.Breakers()[0].Force(breaker.ForcedOpen)
		_, err := Do(t.Context(), outer, func(ctx context.Context) (int, error) { return Do(ctx, inner, sleeps(0, nil)) })
		if s := outer.Breakers()[0].Snapshot(); s.State != breaker.Closed || s.Buffered != 0 || !errors.Is(err, ErrBreakerOpen) {
			t.Errorf("%+v %v", s, err)
		}
	})
}

// TestListenerMayCallThePipeline: events are delivered after the locks are released (D14).
func TestListenerMayCallThePipeline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *Pipeline
		var seen []breaker.State
		p = mustNew(t, []Policy{breakerOf(1, 1000)}, WithListener(func(e Event) {
			seen = append(seen, p.Breakers()[0].Snapshot().State)
		}))
		Do(t.Context(), p, sleeps(0, errBoom))
		if len(seen) != 1 || seen[0] != breaker.Open {
			t.Errorf("seen %v", seen)
		}
	})
}

// TestClassifierDecides: a caller's own rule keeps validation errors from being
// counted or retried.
func TestClassifierDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{retryOf(3, 0), breakerOf(1, 1000)}, WithClassifier(func(ctx context.Context, err error) patterns.Result {
			if errors.Is(err, errBoom) {
				return patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Failed}
			}
			return Classify(ctx, err)
		}))
		_, info, err := DoInfo(t.Context(), p, sleeps(0, errBoom))
		if s := p.Breakers()[0].Snapshot(); err != errBoom || info.Attempts != 1 || s.State != breaker.Closed {
			t.Errorf("%+v %v %+v", info, err, s)
		}
	})
}

// TestPanicIsNotAnsweredByTheLadder: a panic goes on through a fallback and a
// retry; neither acts on it.
func TestPanicIsNotAnsweredByTheLadder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{ladderOf("default"), retryOf(3, 0)})
		calls, steps := 0, 0
		defer func() {
			if recover() == nil || calls != 1 || steps != 0 {
				t.Errorf("%d calls, %d steps of the ladder", calls, steps)
			}
		}()
		Do(t.Context(), p, func(context.Context) (int, error) { calls++; panic("oops") },
			func(context.Context, error) (int, error) { steps++; return 0, nil })
	})
}

// TestAttemptGivenUpBeforeItStartsIsNotStarted: an action that is overtaken by a
// cancel is known as unwanted, and reporting it ends the call.
func TestAttemptGivenUpBeforeItStartsIsNotStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{bulkheadOf(1, 0), timeoutOf(100)})
		w := newWallCall(p)
		defer w.close()
		a := w.step(nil, Input{Kind: Begun, Owner: w.owner, Deadline: patterns.Never})
		if w.unwanted(t.Context(), a) {
			t.Error("unwanted before the cancel")
		}
		w.poke(Input{Kind: Cancelled})
		if !w.unwanted(t.Context(), a) {
			t.Error("still wanted after the cancel")
		}
		if end := w.ended(a, cancelResult, func() { t.Error("heard") }); end.Kind != Done || p.Bulkheads()[0].InUse != 0 {
			t.Errorf("%+v %+v", end, p.Bulkheads()[0])
		}
	})
}

// TestPanicIsAFailureToABreakerOutsideRetryAndLadder: what is further out hears
// a failure at once, not an ignored call after a wait.
func TestPanicIsAFailureToABreakerOutsideRetryAndLadder(t *testing.T) {
	for _, inner := range []Policy{retryOf(3, 10), ladderOf("default")} {
		synctest.Test(t, func(t *testing.T) {
			p := mustNew(t, []Policy{breakerOf(1, 1000), inner})
			defer func() {
				if s := p.Breakers()[0].Snapshot(); recover() == nil || s.State != breaker.Open {
					t.Errorf("%+v", s)
				}
			}()
			Do(t.Context(), p, func(context.Context) (int, error) { panic("oops") }, twos(p)...)
		})
	}
}

// TestSpreadOpenWaitsDoNotRace: a draw for an opening is numbered by the breaker's
// openings, which other calls are changing. The race detector is the judge.
func TestSpreadOpenWaitsDoNotRace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spread := breakerOf(2, 1)
		spread.CircuitBreaker.EnableRandomizedWait, spread.CircuitBreaker.RandomizedWaitFactor = true, 0.5
		p := mustNew(t, []Policy{spread})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 200 {
					if _, err := Do(t.Context(), p, throws(errBoom)); err == nil {
						t.Error("no error")
					}
					time.Sleep(time.Millisecond)
				}
			})
		}
		wg.Wait()
		if s := p.Breakers()[0].Snapshot(); s.InFlight != 0 || s.Openings < 50 {
			t.Errorf("%+v", s)
		}
	})
}
