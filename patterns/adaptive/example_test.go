package adaptive_test

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
)

// A dependency answers up to ten calls at a time within 20 ms and refuses the
// rest. Every 20 ms as many calls are made as the limit lets pass.
func Example() {
	config := adaptive.Defaults(adaptive.AIMD)
	config.MinLimit, config.InitialLimit = 1, 8
	settings, err := adaptive.Compile(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	limiter := adaptive.New(settings)
	const noChance = 0 // aimd draws nothing
	var now patterns.Instant
	for range 5 {
		var permits []adaptive.Permit
		for {
			permit, verdict := limiter.Acquire(now)
			if !verdict.OK {
				fmt.Printf("%4s %d calls pass\n", now.Sub(0), verdict.Limit)
				break
			}
			permits = append(permits, permit)
		}
		now = now.Add(20 * time.Millisecond)
		for i, permit := range permits {
			signal := adaptive.NoSample
			if i == len(permits)-1 {
				result := patterns.Result{Outcome: patterns.Success}
				if len(permits) > 10 {
					result = patterns.Result{Outcome: patterns.Failure, Reason: patterns.Rejected}
				}
				signal = adaptive.SignalOf(result)
			}
			limiter.Report(now, permit, signal, noChance)
		}
	}
	fmt.Printf("%+v\n", limiter.Snapshot(now).Dropped)
	// Output:
	//   0s 8 calls pass
	// 20ms 9 calls pass
	// 40ms 10 calls pass
	// 60ms 11 calls pass
	// 80ms 9 calls pass
	// 1
}
