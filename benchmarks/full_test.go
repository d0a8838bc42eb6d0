package benchmarks

import (
	"context"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go"
	failsafebudget "github.com/failsafe-go/failsafe-go/budget"
	failsafebulkhead "github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	failsafefallback "github.com/failsafe-go/failsafe-go/fallback"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/retry"
)

// whole is fallback, retry with a budget, breaker and bulkhead, as ours.
func whole(b testing.TB) *pipeline.Pipeline {
	guard, again := breaker.Defaults(), retry.Defaults()
	limit := budget.DefaultsOf(budget.Concurrency)
	again.Budget = &limit
	return must[*pipeline.Pipeline](b)(pipeline.New([]pipeline.Policy{
		{Fallback: &fallback.Config{Steps: []string{"constant"}}},
		{Retry: &again},
		{CircuitBreaker: &guard},
		{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: slots}},
	}))
}

// theirWhole is the same of failsafe-go, with the budget that is like ours: by
// concurrency, 20 percent, at least three.
//
// It is told not to retry what its breaker refuses: ours does not (D18).
func theirWhole() (failsafe.Executor[int], circuitbreaker.CircuitBreaker[int]) {
	guard := circuitbreaker.NewBuilder[int]().WithFailureThresholdRatio(50, 100).WithDelay(time.Minute).Build()
	return failsafe.With[int](
		failsafefallback.NewWithResult(0),
		retrypolicy.NewBuilder[int]().WithMaxAttempts(3).WithDelay(500*time.Millisecond).
			WithBudget(failsafebudget.New()).AbortOnErrors(circuitbreaker.ErrOpen).Build(),
		guard,
		failsafebulkhead.New[int](slots),
	), guard
}

func constant(context.Context, error) (int, error) { return 0, nil }

// BenchmarkFull: an answered call through fallback, retry, budget, breaker and bulkhead,
// with a context that never ends.
func BenchmarkFull(b *testing.B) {
	p := whole(b)
	theirs, _ := theirWhole()
	ctx := context.Background()
	pair{
		ours: func() {
			if v, err := pipeline.Do(ctx, p, answer, constant); v != 42 || err != nil {
				b.Error(v, err)
			}
		},
		theirs: func() {
			if v, err := theirs.Get(func() (int, error) { return 42, nil }); v != 42 || err != nil {
				b.Error(v, err)
			}
		},
	}.run(b)
}

// BenchmarkFullRequest is the same with a context that may be cancelled, as that of
// every request is, and a function that is given it.
func BenchmarkFullRequest(b *testing.B) {
	p := whole(b)
	theirs, _ := theirWhole()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	pair{
		ours: func() {
			if v, err := pipeline.Do(ctx, p, answer, constant); v != 42 || err != nil {
				b.Error(v, err)
			}
		},
		theirs: func() {
			v, err := theirs.WithContext(ctx).GetWithExecution(func(e failsafe.Execution[int]) (int, error) {
				return answer(e.Context())
			})
			if v != 42 || err != nil {
				b.Error(v, err)
			}
		},
	}.run(b)
}

// BenchmarkFullRefusal: the breaker of the whole pipeline is open and the fallback answers.
func BenchmarkFullRefusal(b *testing.B) {
	p := whole(b)
	theirs, guard := theirWhole()
	p.Breakers()[0].Force(breaker.Open)
	guard.Open()
	pair{
		ours: func() {
			if v, err := pipeline.Do(context.Background(), p, answer, constant); v != 0 || err != nil {
				b.Error(v, err)
			}
		},
		theirs: func() {
			if v, err := theirs.Get(func() (int, error) { return 42, nil }); v != 0 || err != nil {
				b.Error(v, err)
			}
		},
	}.run(b)
}
