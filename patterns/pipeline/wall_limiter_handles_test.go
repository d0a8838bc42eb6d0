package pipeline

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns/ratelimit"
)

// withName gives a policy its name.
func withName(name string, p Policy) Policy {
	p.Name = name
	return p
}

// TestLimitersAreFoundByNameAndInOrder: each list holds its own kind only, outermost
// first, and a name finds one of its kind only.
func TestLimitersAreFoundByNameAndInOrder(t *testing.T) {
	p := mustNew(t, []Policy{
		withName("outer rate", rateOf(5, 1000, 0)), withName("throttle", throttleOf(2)), withName("limit", limitOf(3)),
		withName("inner rate", rateOf(1, 1000, 0)), bulkheadOf(1, 0),
	})
	rates := p.RateLimiters()
	if len(rates) != 2 || rates[0].Name() != "outer rate" || rates[1].Name() != "inner rate" || rates[0].Snapshot().Permits != 5 {
		t.Errorf("%+v", rates)
	}
	if l, ok := p.RateLimiter("inner rate"); !ok || l != rates[1] || l.Snapshot().Name != "inner rate" {
		t.Errorf("%+v %v", l, ok)
	}
	if all := p.AdaptiveLimits(); len(all) != 1 || all[0].Name != "limit" || all[0].Limit != 3 {
		t.Errorf("%+v", all)
	}
	if l, ok := p.AdaptiveLimit("limit"); !ok || l.Limit != 3 {
		t.Errorf("%+v %v", l, ok)
	}
	if all := p.Throttles(); len(all) != 1 || all[0].Name != "throttle" {
		t.Errorf("%+v", all)
	}
	if _, ok := p.Throttle("throttle"); !ok {
		t.Error("the throttle is not found")
	}
	_, rate := p.RateLimiter("limit")
	_, limit := p.AdaptiveLimit("throttle")
	_, throttle := p.Throttle("nobody")
	if rate || limit || throttle {
		t.Errorf("found under another's name: %v %v %v", rate, limit, throttle)
	}
}

// TestLimiterSnapshotsCountCalls: eight calls one after the other, the fourth of them
// fails, two are beyond the rate; then each limiter shows what it let through.
func TestLimiterSnapshotsCountCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{
			withName("throttle", throttleOf(1000)), withName("rate", rateOf(6, 1000, 0)), withName("limit", limitOf(3)),
		})
		for i := range 8 {
			var err error
			if i == 3 {
				err = errBoom
			}
			Do(t.Context(), p, sleeps(10*time.Millisecond, err))
		}
		l, _ := p.RateLimiter("rate")
		if s := l.Snapshot(); s.Permits != 0 || s.FreeIn != 940*time.Millisecond || s.Granted != 6 || s.Rejected != 2 || s.Waited != 0 {
			t.Errorf("%+v", s)
		}
		if s, _ := p.AdaptiveLimit("limit"); s.Granted != 6 || s.InFlight != 0 || s.Answered != 5 || s.Refused != 0 {
			t.Errorf("%+v", s)
		}
		// What the rate limiter refuses was not made, and the throttle does not count it.
		if s, _ := p.Throttle("throttle"); s.Admitted != 8 || s.Rejected != 0 || s.Requests != 6 || s.Accepts != 5 || s.InFlight != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestARateIsChangedInUse: one call a second and a second's patience. While one call
// waits, the rate becomes a hundred a second without patience: who waits keeps the
// instant and has that period alone, nobody overtakes, and then a hundred go through at once.
func TestARateIsChangedInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{withName("rate", rateOf(1, 1000, 1000))})
		l, _ := p.RateLimiter("rate")
		quick := func() error { _, err := Do(t.Context(), p, sleeps(0, nil)); return err }
		if err := quick(); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		var waiting sync.WaitGroup
		waiting.Go(func() {
			if err := quick(); err != nil || time.Since(start) != time.Second {
				t.Errorf("the call that waits: %v after %v", err, time.Since(start))
			}
		})
		synctest.Wait()
		if err := l.Change(ratelimit.Config{LimitForPeriod: 100, LimitRefreshPeriod: msd(1000)}); err != nil {
			t.Fatal(err)
		}
		var refused *Error
		if err := quick(); !errors.As(err, &refused) || refused.RetryAfter != 2*time.Second {
			t.Errorf("while one waits, without patience: %v", err)
		}
		waiting.Wait()
		time.Sleep(time.Second)
		for range 100 {
			if err := quick(); err != nil {
				t.Fatal(err)
			}
		}
		if err := quick(); !errors.Is(err, ErrRateLimited) {
			t.Errorf("the hundred and first: %v", err)
		}
	})
}

// TestAFaultyRateChangesNothing: the error says what is wrong, and the old rate holds.
func TestAFaultyRateChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{withName("rate", rateOf(3, 1000, 0))})
		l, _ := p.RateLimiter("rate")
		err := l.Change(ratelimit.Config{LimitForPeriod: 0, LimitRefreshPeriod: msd(1000)})
		if err == nil || !strings.Contains(err.Error(), "limitForPeriod: 0 is not from 1") {
			t.Errorf("%v", err)
		}
		if s := l.Snapshot(); s.Permits != 3 {
			t.Errorf("%+v", s)
		}
	})
}

// TestDrainedPermitsAreGoneUntilTheNextPeriod: the dependency says that the limit is
// reached; the next call is refused, and the one in the next period is not.
func TestDrainedPermitsAreGoneUntilTheNextPeriod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := mustNew(t, []Policy{withName("rate", rateOf(5, 1000, 0))})
		l, _ := p.RateLimiter("rate")
		fn := func(context.Context) (int, error) { return 1, nil }
		Do(t.Context(), p, fn)
		if n := l.Drain(); n != 4 || l.Snapshot().Drained != 4 {
			t.Errorf("drained %d: %+v", n, l.Snapshot())
		}
		if _, err := Do(t.Context(), p, fn); !errors.Is(err, ErrRateLimited) {
			t.Errorf("after the drain: %v", err)
		}
		time.Sleep(time.Second)
		if _, err := Do(t.Context(), p, fn); err != nil {
			t.Errorf("in the next period: %v", err)
		}
	})
}

// TestHandlesDoNotHinderCalls changes and reads the limiters while calls are made:
// for the race detector.
func TestHandlesDoNotHinderCalls(t *testing.T) {
	p := mustNew(t, []Policy{throttleOf(2), withName("rate", rateOf(1000, 1, 1000)), limitOf(3)})
	l, _ := p.RateLimiter("rate")
	var callers sync.WaitGroup
	for range 2 {
		callers.Go(func() {
			for range 300 {
				Do(t.Context(), p, func(context.Context) (int, error) { return 1, nil })
			}
		})
	}
	for i := range 200 {
		if err := l.Change(ratelimit.Config{LimitForPeriod: 1000 + i, LimitRefreshPeriod: msd(1), TimeoutDuration: msd(1000)}); err != nil {
			t.Fatal(err)
		}
		_, _, _ = l.Snapshot(), p.AdaptiveLimits(), p.Throttles()
	}
	callers.Wait()
	if s := l.Snapshot(); s.Granted+s.Rejected == 0 {
		t.Errorf("%+v", s)
	}
}
