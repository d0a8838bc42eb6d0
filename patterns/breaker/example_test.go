package breaker_test

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

// A dependency fails for three seconds. A call is made every half second, takes
// no time, and the breaker is asked first.
func Example() {
	config := breaker.Defaults()
	config.SlidingWindowSize = 4
	config.WaitDurationInOpenState = patterns.Duration(time.Second)
	config.PermittedNumberOfCallsInHalfOpenState = 1
	settings, err := breaker.Compile(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := breaker.New(settings)
	var log []breaker.Event
	const noChance = 0 // the open wait is not randomised
	for now := patterns.Instant(0); now <= patterns.Instant(5*time.Second); now = now.Add(500 * time.Millisecond) {
		permit, verdict := b.Acquire(now, noChance, &log)
		if !verdict.OK {
			fmt.Printf("%4s refused, shut for another %s\n", now.Sub(0), verdict.RetryAfter)
			continue
		}
		outcome := patterns.Success
		if now < patterns.Instant(3*time.Second) {
			outcome = patterns.Failure
		}
		b.Report(now, permit, outcome, noChance, &log)
	}
	for _, e := range log {
		fmt.Printf("%4s %s to %s: %s\n", e.At.Sub(0), e.From, e.To, e.Why)
	}
	// Output:
	//   2s refused, shut for another 500ms
	//   3s refused, shut for another 500ms
	// 1.5s closed to open: failure_rate
	// 2.5s open to half_open: wait_over
	// 2.5s half_open to open: trials_failed
	// 3.5s open to half_open: wait_over
	// 3.5s half_open to closed: trials_passed
}

// Calls hang for ever. A driver whose timers report them makes the breaker open
// while not one call has ended.
func ExampleBreaker_Overdue() {
	config := breaker.Defaults()
	config.SlidingWindowSize = 4
	config.SlowCallDurationThreshold = patterns.Duration(2 * time.Second)
	config.CountRunningSlowCalls = true
	settings, err := breaker.Compile(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := breaker.New(settings)
	const noChance = 0
	var permits []breaker.Permit
	for range 4 {
		permit, _ := b.Acquire(0, noChance, nil)
		permits = append(permits, permit)
	}
	for i := range permits {
		now := b.OverdueAt(permits[i])
		b.Overdue(now, &permits[i], noChance, nil)
		fmt.Println(now.Sub(0), b.State(now))
	}
	// Output:
	// 2.000000001s closed
	// 2.000000001s closed
	// 2.000000001s closed
	// 2.000000001s open
}
