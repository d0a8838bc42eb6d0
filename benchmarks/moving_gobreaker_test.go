package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// A breaker of gobreaker.
func Example_gobreaker() {
	ctx, dependency := context.Background(), &prices{failures: 20}
	guard := gobreaker.NewCircuitBreaker[string](gobreaker.Settings{
		Name:         "prices",
		Interval:     10 * time.Second,
		BucketPeriod: time.Second,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.Requests >= 20 && c.TotalFailures*2 >= c.Requests
		},
		Timeout:     5 * time.Second,
		MaxRequests: 3,
		IsExcluded:  func(err error) bool { return errors.Is(err, errUnknown) },
		OnStateChange: func(name string, from, to gobreaker.State) {
			fmt.Println(name, "from", from, "to", to)
		},
	})
	for range 21 {
		_, err := guard.Execute(func() (string, error) { return dependency.fetch(ctx) })
		if errors.Is(err, gobreaker.ErrOpenState) {
			fmt.Println("refused")
		}
	}
	// Output:
	// prices from closed to open
	// refused
}

// The same breaker as a pipeline.
func Example_gobreakerMoved() {
	ctx, dependency := context.Background(), &prices{failures: 20}
	guard := breaker.Defaults()
	guard.SlidingWindowType = breaker.TimeBased
	guard.SlidingWindowSize = 10 // seconds
	guard.MinimumNumberOfCalls = 20
	guard.FailureRateThreshold = patterns.PercentOf(50)
	guard.WaitDurationInOpenState = patterns.Duration(5 * time.Second)
	guard.PermittedNumberOfCallsInHalfOpenState = 3
	guard.HalfOpenDecision = breaker.FirstFailure
	p, err := pipeline.New([]pipeline.Policy{{Name: "prices", CircuitBreaker: &guard}},
		pipeline.WithClassifier(func(ctx context.Context, err error) patterns.Result {
			if errors.Is(err, errUnknown) {
				return patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Failed}
			}
			return pipeline.Classify(ctx, err)
		}),
		pipeline.WithListener(func(e pipeline.Event) {
			if e.Kind == pipeline.BreakerChanged {
				fmt.Println(e.Name, "from", e.From, "to", e.To)
			}
		}))
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 21 {
		_, err := pipeline.Do(ctx, p, dependency.fetch)
		if errors.Is(err, pipeline.ErrBreakerOpen) {
			fmt.Println("refused")
		}
	}
	// Output:
	// prices from closed to open
	// refused
}
