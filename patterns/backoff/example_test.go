package backoff_test

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns/backoff"
)

// Waits double to a cap of ten seconds. Spread by a quarter they stay below it.
func Example() {
	s := backoff.Series{Base: time.Second, Multiplier: 2, Max: 10 * time.Second}
	for n := 1; n <= 5; n++ {
		fmt.Println(s.Nth(n), s.Spread(n, 0.25, 0), s.Spread(n, 0.25, 0.5))
	}
	// Output:
	// 1s 750ms 1s
	// 2s 1.5s 2s
	// 4s 3s 4s
	// 8s 6s 8s
	// 10s 6s 8s
}
