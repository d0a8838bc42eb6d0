package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

// troubles are pipelines brought into a state in which the next call of 1 s ends
// badly, with what its caller must find in the error.
func troubles() map[string]trouble {
	open := func(_ *testing.T, p *Pipeline) { p.Breakers()[0].Force(breaker.Open) }
	busy := func(t *testing.T, p *Pipeline) {
		go func() { _, _ = Do(t.Context(), p, sleeps(time.Hour, nil), twos(p)...) }()
		synctest.Wait()
	}
	second := func(context.Context) (int, error) { time.Sleep(time.Second); return 0, errBoom }
	hangs := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
	// The first attempt fails and opens the breaker, which refuses the second.
	opens := []Policy{retryOf(3, 10), breakerOf(1, 1000)}
	return map[string]trouble{
		"breaker open":     {[]Policy{breakerOf(1, 1000)}, open, second, Error{Reason: patterns.BreakerOpen, RetryAfter: time.Second}, ErrBreakerOpen},
		"bulkhead full":    {[]Policy{bulkheadOf(1, 0)}, busy, second, Error{Reason: patterns.BulkheadFull}, ErrBulkheadFull},
		"bulkhead timeout": {[]Policy{bulkheadOf(1, 200)}, busy, second, Error{Reason: patterns.BulkheadTimeout}, ErrBulkheadTimeout},
		"timeout":          {[]Policy{timeoutOf(200)}, nil, hangs, Error{Reason: patterns.AttemptTimeout}, ErrTimeout},
		"refused after a retry": {opens, nil, second,
			Error{Reason: patterns.BreakerOpen, RetryAfter: 990 * time.Millisecond, Last: errBoom}, ErrBreakerOpen},
		"timed out after a retry": {[]Policy{retryOf(2, 10), timeoutOf(2000)}, nil, failsThenHangs(),
			Error{Reason: patterns.AttemptTimeout, Last: errBoom}, ErrTimeout},
		"failed after retries": {[]Policy{retryOf(3, 10)}, nil, second, Error{}, errBoom},
		"throttled further in": {nil, nil, throws(&Error{Reason: patterns.Throttled}),
			Error{Reason: patterns.Throttled, Last: &Error{Reason: patterns.Throttled}}, ErrThrottled},
		"shed further in": {nil, nil, throws(&Error{Reason: patterns.Shed, RetryAfter: time.Minute}),
			Error{Reason: patterns.Shed, RetryAfter: time.Minute, Last: &Error{Reason: patterns.Shed, RetryAfter: time.Minute}}, ErrShed},
	}
}

type trouble struct {
	policies []Policy
	prepare  func(*testing.T, *Pipeline)
	fn       func(context.Context) (int, error)
	want     Error // no reason: the function's own error
	is       error
}

func throws(err error) func(context.Context) (int, error) {
	return func(context.Context) (int, error) { return 0, err }
}

func failsThenHangs() func(context.Context) (int, error) {
	n := 0
	return func(ctx context.Context) (int, error) {
		if n++; n == 1 {
			return 0, errBoom
		}
		<-ctx.Done()
		return 0, ctx.Err()
	}
}

// judge compares what a caller or a ladder was told with what it must be told.
func (tr trouble) judge(t *testing.T, who string, got error) {
	t.Helper()
	var e *Error
	switch {
	case !errors.Is(got, tr.is):
		t.Errorf("%s: %v, want %v", who, got, tr.is)
	case tr.want.Reason == patterns.None:
		if got != tr.is {
			t.Errorf("%s: %v is wrapped", who, got)
		}
	case !errors.As(got, &e) || fmt.Sprint(*e) != fmt.Sprint(tr.want) || e.Reason != tr.want.Reason || e.RetryAfter != tr.want.RetryAfter:
		t.Errorf("%s: %+v, want %+v", who, got, tr.want)
	}
	if tr.want.Last != nil && !errors.Is(got, tr.want.Last) && got.(*Error).Last.Error() != tr.want.Last.Error() {
		t.Errorf("%s: last failure is lost: %v", who, got)
	}
}

// TestLadderIsToldWhatItsCallerWouldHaveBeenTold runs each trouble twice: without
// a fallback, and with one whose function must be given the same error.
func TestLadderIsToldWhatItsCallerWouldHaveBeenTold(t *testing.T) {
	for _, laddered := range []bool{false, true} {
		for name, tr := range troubles() {
			synctest.Test(t, func(t *testing.T) {
				ps := tr.policies
				if laddered {
					ps = append([]Policy{ladderOf("default")}, ps...)
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				p := mustNew(t, ps)
				if tr.prepare != nil {
					tr.prepare(t, p)
				}
				if !laddered {
					_, err := Do(ctx, p, tr.fn)
					tr.judge(t, name+": caller", err)
					return
				}
				told := errors.New("never called")
				v, info, err := DoInfo(ctx, p, tr.fn, func(_ context.Context, cause error) (int, error) { told = cause; return 7, nil })
				tr.judge(t, name+": ladder", told)
				if v != 7 || !info.Degraded || err != nil {
					t.Errorf("%s: %v %+v %v", name, v, info, err)
				}
			})
		}
	}
}

// TestLadderAndPolicyMustAgree: one function for each step, or Do says so at once
// and calls nothing.
func TestLadderAndPolicyMustAgree(t *testing.T) {
	rung := func(context.Context, error) (int, error) { t.Error("a step was called"); return 0, nil }
	rungs := []func(context.Context, error) (int, error){rung, rung, rung}
	for _, c := range []struct {
		policies []Policy
		given    int
		want     string
	}{
		{[]Policy{ladderOf("cache", "default")}, 1, "pipeline: fallback has 2 steps, 1 function given"},
		{[]Policy{ladderOf("default")}, 0, "pipeline: fallback has 1 step, 0 functions given"},
		{[]Policy{ladderOf("default")}, 3, "pipeline: fallback has 1 step, 3 functions given"},
		{[]Policy{retryOf(2, 0)}, 1, "pipeline: no fallback, 1 function given"},
		{nil, 2, "pipeline: no fallback, 2 functions given"},
	} {
		p := mustNew(t, c.policies)
		_, info, err := DoInfo(t.Context(), p, func(context.Context) (int, error) { t.Error("called"); return 0, errBoom }, rungs[:c.given]...)
		if !errors.Is(err, ErrLadder) || fmt.Sprint(err) != c.want || info != (Info{}) {
			t.Errorf("%v %+v, want %s", err, info, c.want)
		}
	}
}

// TestEachOfTwoFallbacksHasItsOwnSteps: the functions of the outer one come first.
// The inner ladder fails, so the outer one answers.
func TestEachOfTwoFallbacksHasItsOwnSteps(t *testing.T) {
	p := mustNew(t, []Policy{ladderOf("last"), ladderOf("first", "second")})
	var order []string
	rung := func(name string, err error) func(context.Context, error) (int, error) {
		return func(context.Context, error) (int, error) { order = append(order, name); return 1, err }
	}
	_, err := Do(t.Context(), p, throws(errBoom), rung("last", nil), rung("first", errBoom), rung("second", errBoom))
	if err != nil || fmt.Sprint(order) != "[first second last]" {
		t.Errorf("%v %v", order, err)
	}
}

// TestEverySentinelMatchesItsReasonAlone: one row for each; every refusal on the
// caller's side has one. Those that a pipeline gives by itself come out of Do.
func TestEverySentinelMatchesItsReasonAlone(t *testing.T) {
	sentinels := map[patterns.Reason]error{
		patterns.BreakerOpen: ErrBreakerOpen, patterns.BulkheadFull: ErrBulkheadFull, patterns.BulkheadTimeout: ErrBulkheadTimeout,
		patterns.AttemptTimeout: ErrTimeout, patterns.DeadlineExceeded: ErrDeadline, patterns.Cancelled: ErrCancelled,
		patterns.Throttled: ErrThrottled, patterns.Shed: ErrShed,
		patterns.RateLimited: ErrRateLimited, patterns.LimitReached: ErrLimitReached,
	}
	for i := range patterns.Reasons {
		why := patterns.Reason(i)
		if why.Refusal() && sentinels[why] == nil {
			t.Errorf("%v has no sentinel", why)
		}
		for of, s := range sentinels {
			if got := errors.Is(fmt.Errorf("wrapped: %w", &Error{Reason: why}), s); got != (of == why) {
				t.Errorf("an error of %v is %v: %v", why, s, got)
			}
		}
		timeout, cancel := errors.Is(&Error{Reason: why}, context.DeadlineExceeded), errors.Is(&Error{Reason: why}, context.Canceled)
		if timeout != (why == patterns.AttemptTimeout || why == patterns.DeadlineExceeded) || cancel != (why == patterns.Cancelled) {
			t.Errorf("%v is a passed deadline: %v, a cancelled context: %v", why, timeout, cancel)
		}
	}
}

// TestCallersOwnEndHasASentinel: a caller that gives up, and one whose time is over,
// before and during an attempt.
func TestCallersOwnEndHasASentinel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{retryOf(3, 10)})
		for _, at := range []time.Duration{0, time.Second} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(at, cancel)
			time.Sleep(at / 2)
			if at == 0 {
				cancel()
			}
			_, err := Do(ctx, p, sleeps(time.Hour, nil))
			if !errors.Is(err, ErrCancelled) || !errors.Is(err, context.Canceled) || errors.Is(err, ErrDeadline) {
				t.Errorf("cancelled after %v: %v", at, err)
			}
			ctx, cancel = context.WithTimeout(t.Context(), at)
			_, err = Do(ctx, p, sleeps(time.Hour, nil))
			if !errors.Is(err, ErrDeadline) || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrTimeout) {
				t.Errorf("deadline after %v: %v", at, err)
			}
			cancel()
		}
	})
}

// TestNoAttemptBeginsWithAFinishedContext (D7): neither the first one nor a retry,
// nor a step of the ladder. The caller gives up before the call, or in an attempt that
// fails, and the machine has not been told yet.
func TestNoAttemptBeginsWithAFinishedContext(t *testing.T) {
	p := mustNew(t, []Policy{ladderOf("default"), retryOf(3, 0)})
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		fn := func(context.Context) (int, error) { calls++; cancel(); return 0, errBoom }
		rung := func(context.Context, error) (int, error) { t.Error("a step began"); return 0, nil }
		_, _, err := DoInfo(ctx, p, fn, rung)
		if calls != 1 || !errors.Is(err, ErrCancelled) || !errors.Is(err, context.Canceled) {
			t.Fatalf("%d calls, %v", calls, err)
		}
		_, info, err := DoInfo(ctx, p, fn, rung)
		if calls != 1 || info != (Info{Reason: patterns.Cancelled}) || !errors.Is(err, ErrCancelled) || !errors.Is(err, context.Canceled) {
			t.Fatalf("already cancelled: %d calls, %+v %v", calls, info, err)
		}
		past, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
		_, info, err = DoInfo(past, p, fn, rung)
		stop()
		if calls != 1 || info != (Info{Reason: patterns.DeadlineExceeded}) || !errors.Is(err, ErrDeadline) || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("deadline in the past: %d calls, %+v %v", calls, info, err)
		}
	}
}

// patient is an error that asks to be left alone for so long.
type patient time.Duration

func (p patient) Error() string             { return "patient" }
func (p patient) RetryAfter() time.Duration { return time.Duration(p) }

// TestEndlessWaitIsNobodysDeadline: a wait that never ends is not begun. Without a
// deadline the caller is told the function's own error at once; with one, that it
// would have passed.
func TestEndlessWaitIsNobodysDeadline(t *testing.T) {
	configured := retryOf(3, 0)
	configured.Retry.WaitDuration = patterns.Duration(math.MaxInt64)
	for name, c := range map[string]struct {
		policy Policy
		fails  error
	}{
		"hint":          {retryOf(3, 0), patient(math.MaxInt64)},
		"wait duration": {configured, errBoom},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := mustNew(t, []Policy{c.policy})
			time.Sleep(time.Second)
			start := time.Now()
			_, info, err := DoInfo(t.Context(), p, throws(c.fails))
			if err != c.fails || errors.Is(err, context.DeadlineExceeded) || info.Attempts != 1 || time.Since(start) != 0 {
				t.Errorf("%s: %v %+v after %v", name, err, info, time.Since(start))
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			if _, err = Do(ctx, p, throws(c.fails)); !errors.Is(err, c.fails) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s, with a deadline: %v", name, err)
			}
		})
	}
}
