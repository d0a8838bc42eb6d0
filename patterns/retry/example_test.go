package retry_test

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/retry"
)

// A payment is posted. It must not be made twice, so that a timeout, after which it
// may have been carried out, is the end; a refused connection is not.
func Example() {
	config := retry.Defaults()
	config.MaxAttempts = 5
	config.EnableExponentialBackoff = true
	config.ExponentialBackoffMultiplier = 2
	config.NonIdempotent = true
	policy, err := retry.Compile(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	const noChance = 0 // without jitter
	var state retry.State
	for _, result := range []patterns.Result{
		{Outcome: patterns.Failure, Reason: patterns.Unreachable},
		{Outcome: patterns.Failure, Reason: patterns.Rejected, RetryAfter: 3 * time.Second},
		{Outcome: patterns.Failure, Reason: patterns.Unreachable},
		{Outcome: patterns.Failure, Reason: patterns.AttemptTimeout},
	} {
		wait, again := policy.Next(&state, result, noChance)
		fmt.Println(result.Reason, wait, again)
	}
	// Output:
	// unreachable 500ms true
	// rejected 3s true
	// unreachable 500ms true
	// timeout 0s false
}

// Full jitter is uniform from 0 to the wait, which grows to the cap and stays there.
func ExampleBackoff() {
	backoff, err := retry.NewBackoff(retry.Config{
		WaitDuration: patterns.Duration(100 * time.Millisecond), Jitter: retry.Full,
		EnableExponentialBackoff: true, ExponentialBackoffMultiplier: 2,
		ExponentialMaxWaitDuration: patterns.Duration(time.Second),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := 1; n <= 5; n++ {
		fmt.Println(backoff.Wait(n, 0, 0.25), backoff.Wait(n, 0, 0.75))
	}
	// Output:
	// 25ms 75ms
	// 50ms 150ms
	// 100ms 300ms
	// 200ms 600ms
	// 250ms 750ms
}
