package benchmarks

import (
	"context"
	"fmt"
	"time"

	"github.com/failsafe-go/failsafe-go"
	failsafebudget "github.com/failsafe-go/failsafe-go/budget"
	failsafebulkhead "github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	failsafefallback "github.com/failsafe-go/failsafe-go/fallback"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	failsafetimeout "github.com/failsafe-go/failsafe-go/timeout"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/timeout"
)

// Five policies of failsafe-go.
func Example_failsafe() {
	ctx, dependency := context.Background(), &prices{failures: 2}
	executor := failsafe.With[string](
		failsafefallback.NewWithResult("last known"),
		retrypolicy.NewBuilder[string]().
			WithMaxAttempts(3).
			WithBackoff(time.Millisecond, 100*time.Millisecond).
			WithJitterFactor(.25).
			WithBudget(failsafebudget.New()).
			AbortOnErrors(circuitbreaker.ErrOpen).
			Build(),
		circuitbreaker.NewBuilder[string]().
			WithFailureRateThreshold(.5, 20, 10*time.Second).
			WithDelay(5*time.Second).
			WithSuccessThresholdRatio(2, 3).
			Build(),
		failsafebulkhead.NewBuilder[string](10).WithMaxWaitTime(100*time.Millisecond).Build(),
		failsafetimeout.New[string](time.Minute),
	)
	for range 2 {
		price, err := executor.WithContext(ctx).GetWithExecution(func(e failsafe.Execution[string]) (string, error) {
			return dependency.fetch(e.Context())
		})
		fmt.Println(price, err)
		dependency.failures = 3
	}
	// Output:
	// 42 <nil>
	// last known <nil>
}

// The same five as a pipeline.
func Example_failsafeMoved() {
	ctx, dependency := context.Background(), &prices{failures: 2}
	again := retry.Defaults()
	again.MaxAttempts = 3
	again.WaitDuration = patterns.Duration(time.Millisecond)
	again.EnableExponentialBackoff = true
	again.ExponentialBackoffMultiplier = 2
	again.ExponentialMaxWaitDuration = patterns.Duration(100 * time.Millisecond)
	again.Jitter, again.RandomizedWaitFactor = retry.Factor, 0.25
	spare := budget.DefaultsOf(budget.Concurrency)
	again.Budget = &spare

	guard := breaker.Defaults()
	guard.FailureRateThreshold = patterns.PercentOf(50)
	guard.MinimumNumberOfCalls = 20
	guard.SlidingWindowType = breaker.TimeBased
	guard.SlidingWindowSize = 10 // seconds
	guard.WaitDurationInOpenState = patterns.Duration(5 * time.Second)
	guard.PermittedNumberOfCallsInHalfOpenState = 3
	guard.HalfOpenDecision = breaker.Early
	guard.HalfOpenSuccesses = 2

	p, err := pipeline.New([]pipeline.Policy{
		{Fallback: &fallback.Config{Steps: []string{"last known"}}},
		{Retry: &again},
		{CircuitBreaker: &guard},
		{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: 10, MaxWaitDuration: patterns.Duration(100 * time.Millisecond)}},
		{Timeout: &timeout.Config{TimeoutDuration: patterns.Duration(time.Minute)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	lastKnown := func(context.Context, error) (string, error) { return "last known", nil }
	for range 2 {
		price, err := pipeline.Do(ctx, p, dependency.fetch, lastKnown)
		fmt.Println(price, err)
		dependency.failures = 3
	}
	// Output:
	// 42 <nil>
	// last known <nil>
}
