package budget_test

import (
	"fmt"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
)

// Ten calls are in flight when their dependency fails. Envoy's rule grants a fifth
// of them a retry, from the instant when it is scheduled.
func Example() {
	config := budget.DefaultsOf(budget.Concurrency)
	config.MinConcurrency = 0
	settings, err := budget.Compile(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := budget.New(settings)
	const now = patterns.Instant(0)
	failed := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
	calls := make([]budget.Stake, 10)
	for i := range calls {
		b.Begin(now, &calls[i])
	}
	granted := 0
	for i := range calls {
		b.Ended(now, &calls[i], failed)
		if b.Schedule(now, &calls[i], failed) {
			granted++
		}
	}
	fmt.Println(granted, "of 10 are retried")
	for i := range calls {
		b.End(now, &calls[i])
	}
	// Output: 2 of 10 are retried
}

// A token bucket needs no stake: calls earn a tenth, a retry costs one.
func ExampleBudget_Withdraw() {
	settings, err := budget.Compile(budget.Config{Ratio: 0.1, Capacity: 5, Initial: new(float64)})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := budget.New(settings)
	const now = patterns.Instant(0)
	for range 10 {
		b.Deposit(now, budget.Call)
	}
	fmt.Println(b.Withdraw(now), b.Withdraw(now))
	// Output: true false
}
