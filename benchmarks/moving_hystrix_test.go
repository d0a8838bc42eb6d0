package benchmarks

import (
	"context"
	"fmt"
	"time"

	"github.com/afex/hystrix-go/hystrix"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/timeout"
)

// A command of hystrix-go.
func Example_hystrix() {
	ctx, dependency := context.Background(), &prices{failures: 1}
	hystrix.ConfigureCommand("prices", hystrix.CommandConfig{
		Timeout:                60000,
		MaxConcurrentRequests:  10,
		RequestVolumeThreshold: 20,
		ErrorPercentThreshold:  50,
		SleepWindow:            5000,
	})
	for range 2 {
		var price string
		err := hystrix.DoC(ctx, "prices", func(ctx context.Context) (err error) {
			price, err = dependency.fetch(ctx)
			return err
		}, func(context.Context, error) error {
			price = "last known"
			return nil
		})
		fmt.Println(price, err)
	}
	// Output:
	// last known <nil>
	// 42 <nil>
}

// The same command as a pipeline.
func Example_hystrixMoved() {
	ctx, dependency := context.Background(), &prices{failures: 1}
	guard := breaker.Defaults()
	guard.SlidingWindowType = breaker.TimeBased
	guard.SlidingWindowSize = 10 // seconds, as always in hystrix-go
	guard.MinimumNumberOfCalls = 20
	guard.FailureRateThreshold = patterns.PercentOf(50)
	guard.WaitDurationInOpenState = patterns.Duration(5 * time.Second)
	guard.PermittedNumberOfCallsInHalfOpenState = 1

	p, err := pipeline.New([]pipeline.Policy{
		{Fallback: &fallback.Config{Steps: []string{"last known"}}},
		{Name: "prices", CircuitBreaker: &guard},
		{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: 10}},
		{Timeout: &timeout.Config{TimeoutDuration: patterns.Duration(time.Minute), Detached: true}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	lastKnown := func(context.Context, error) (string, error) { return "last known", nil }
	for range 2 {
		price, err := pipeline.Do(ctx, p, dependency.fetch, lastKnown)
		fmt.Println(price, err)
	}
	// Output:
	// last known <nil>
	// 42 <nil>
}
