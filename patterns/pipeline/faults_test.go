package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/throttle"
	"github.com/resilsim/resilsim/patterns/timeout"
)

// faulty has each pattern with settings that are none, and a policy of two patterns and one
// of no pattern.
func faulty() ([]Policy, []string) {
	bad := &budget.Config{Ratio: -1}
	retried, hedged := retryOf(2, 0), hedgeOf(1, 10)
	retried.Retry.Budget, hedged.Hedge.Budget = bad, bad
	two := timeoutOf(10)
	two.Retry = retryOf(1, 0).Retry
	return []Policy{
			{Fallback: &fallback.Config{}}, {Retry: &retry.Config{}}, retried, {CircuitBreaker: &breaker.Config{}}, {Bulkhead: &bulkhead.Config{}},
			{QueuedBulkhead: &bulkhead.QueueConfig{}}, {ThreadPoolBulkhead: &bulkhead.PoolConfig{}}, {Timeout: &timeout.Config{TimeoutDuration: -1}},
			{RateLimiter: &ratelimit.Config{}}, {AdaptiveLimit: &adaptive.Config{}}, {Throttle: &throttle.Config{}}, {Hedge: &hedge.Config{}}, hedged,
			two, {Name: "empty"},
		}, []string{
			"fallback: ", "retry: ", "retry: retry: budget.ratio: ", "circuitBreaker: ", "bulkhead: ", "bulkhead: ", "bulkhead: ", "timeout: ",
			"rateLimiter: ", "adaptiveLimit: ", "throttle: ", "hedge: ", "hedge: budget.ratio: ",
			"a policy is exactly one pattern, found 2", "a policy is exactly one pattern, found 0",
		}
}

// TestEveryFaultyPolicyIsToldAtOnce: one error names each by its position and kind, for
// every way to make something of policies.
func TestEveryFaultyPolicyIsToldAtOnce(t *testing.T) {
	policies, kinds := faulty()
	_, compiled := Compile(policies)
	_, made := New(policies)
	replayed := Replay(policies, nil)
	for _, err := range []error{compiled, made, replayed} {
		if err == nil {
			t.Fatal("no error")
		}
		for i, kind := range kinds {
			if want := fmt.Sprintf("pipeline: policy %d: %s", i, kind); !strings.Contains("\n"+err.Error(), "\n"+want) {
				t.Errorf("missing: %s\nin: %v", want, err)
			}
		}
	}
}

// TestThereIsAMostOfPolicies: sixteen are a pipeline, seventeen are not.
func TestThereIsAMostOfPolicies(t *testing.T) {
	ps := make([]Policy, StagesMax+1)
	for i := range ps {
		ps[i] = timeoutOf(int64(i + 1))
	}
	mustCompile(t, ps[:StagesMax])
	if _, err := Compile(ps); err == nil || err.Error() != "pipeline: 17 policies, at most 16" {
		t.Errorf("%v", err)
	}
}

// TestOrdinalCountsWithinAKind: the second retry is the second of the retries, wherever it
// stands; and a fleet's states of a kind come in that order.
func TestOrdinalCountsWithinAKind(t *testing.T) {
	plan := mustCompile(t, []Policy{retryOf(1, 0), rateOf(1, 100, 0), breakerOf(1, 100), retryOf(2, 0), rateOf(7, 100, 0), retryOf(3, 0)})
	for stage, want := range []int{0, 0, 0, 1, 1, 2} {
		if got := plan.Ordinal(stage); got != want {
			t.Errorf("stage %d is number %d of its kind, want %d", stage, got, want)
		}
	}
	f := NewFleet(plan, 3)
	if rates := f.RateLimiters(2); f.Plan() != plan || len(rates) != 2 || rates[1].Snapshot(0).Permits != 7 {
		t.Errorf("%+v", rates)
	}
}

// TestMisuseIsNotBorne: a call that is under way is not begun again, and an input that is
// none is not fed. Both are mistakes of a driver.
func TestMisuseIsNotBorne(t *testing.T) {
	e, f := &Env{Dice: fixedDice(0)}, NewFleet(mustCompile(t, []Policy{timeoutOf(50)}), 1)
	var c Call
	c.Begin(e, f, 0, 7, never)
	if c.Owner() != 7 || c.Outstanding() != 1 {
		t.Errorf("owner %d, %d functions", c.Owner(), c.Outstanding())
	}
	for name, misuse := range map[string]func(){
		"pipeline: a call was begun twice": func() { c.Begin(e, f, 0, 8, never) },
		"pipeline: unknown input":          func() { c.Step(e, f, Input{}) },
	} {
		func() {
			defer func() {
				if v := recover(); v != name {
					t.Errorf("%v, want %s", v, name)
				}
			}()
			misuse()
		}()
	}
	if a := c.Ended(e, 1, success); a.Kind != Done || c.Owner() != 7 {
		t.Errorf("afterwards: %+v", a)
	}
}

// TestErrorsSayAllTheyKnow: the reason, when to come back, why the context ended, and what
// the last attempt failed with; each only if there is one.
func TestErrorsSayAllTheyKnow(t *testing.T) {
	for want, e := range map[string]*Error{
		"pipeline: breaker open":                                        {Reason: patterns.BreakerOpen},
		"pipeline: rate limited, retry after 2s":                        {Reason: patterns.RateLimited, RetryAfter: 2 * time.Second},
		"pipeline: cancelled: gone":                                     {Reason: patterns.Cancelled, Cause: errors.New("gone")},
		"pipeline: timeout: last failure: boom":                         {Reason: patterns.AttemptTimeout, Last: errBoom},
		"pipeline: throttled, retry after 1s: gone: last failure: boom": {Reason: patterns.Throttled, RetryAfter: time.Second, Cause: errors.New("gone"), Last: errBoom},
	} {
		if e.Error() != want {
			t.Errorf("%q, want %q", e.Error(), want)
		}
	}
	if got := ErrBreakerOpen.Error() + "; " + ErrTimeout.Error(); got != "pipeline: breaker_open; pipeline: timeout" {
		t.Error(got)
	}
	if got := EventKind(99).String() + BreakerChanged.String(); got != "unknownbreaker changed" {
		t.Error(got)
	}
}

// TestReplayComparesEverything: each forged entry is told with what differs.
func TestReplayComparesEverything(t *testing.T) {
	policies := []Policy{hedgeOf(1, 10), bulkheadOf(1, 100)}
	for want, forge := range map[string]func(*Entry){
		"action": func(e *Entry) { e.Action.Attempt++ }, "timer": func(e *Entry) { e.Timer++ },
		"events":   func(e *Entry) { e.Events = append(e.Events, Event{Kind: Refused}) },
		"given up": func(e *Entry) { e.GivenUp = append(e.GivenUp, 3) },
		"grants":   func(e *Entry) { e.Grants = append(e.Grants, Grant{Owner: 9}) },
		"draws":    func(e *Entry) { e.Draws = append(e.Draws, Draw{Purpose: DrawWait}) },
	} {
		e, f := Env{Loud: true}, NewFleet(mustCompile(t, policies), 1)
		var c Call
		entry := Entry{Input: Input{Kind: Begun, Owner: 1, Deadline: never}}
		entry.Action = c.Step(&e, f, entry.Input)
		entry.Timer = c.Timer()
		entry.Owner = 1
		if err := Replay(policies, []Entry{entry}); err != nil {
			t.Fatal(err)
		}
		forge(&entry)
		if err := Replay(policies, []Entry{entry}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestAnErrorMayBeASuccess: a rule of the caller's own takes "not found" for an answer. Its
// value is returned without the error, also where nothing but the rule stands around it.
func TestAnErrorMayBeASuccess(t *testing.T) {
	missing := errors.New("not found")
	rule := WithClassifier(func(ctx context.Context, err error) patterns.Result {
		if errors.Is(err, missing) {
			err = nil
		}
		return Classify(ctx, err)
	})
	slow := breakerOf(1, 1000)
	slow.CircuitBreaker.CountRunningSlowCalls = true
	for name, policies := range map[string][]Policy{
		"nothing": nil, "retry": {retryOf(3, 0)}, "breaker": {breakerOf(1, 1000)}, "running calls": {slow}, "timeout": {timeoutOf(1000)}, "bulkhead": {bulkheadOf(1, 0)},
	} {
		p := mustNew(t, policies, rule)
		v, info, err := DoInfo(context.Background(), p, func(context.Context) (int, error) { return 7, missing })
		if v != 7 || err != nil || info.Attempts != 1 || info.Reason != patterns.None {
			t.Errorf("%s: %d, %+v, %v", name, v, info, err)
		}
		if _, err := Do(context.Background(), p, func(context.Context) (int, error) { return 0, errBoom }); err != errBoom {
			t.Errorf("%s: %v", name, err)
		}
	}
}
