package codel_test

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/codel"
)

// A server takes a request from its queue every 40 ms. They have waited longer
// and longer; the first of an interval is served, whatever its wait.
func Example() {
	settings, err := codel.Compile(codel.Defaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	queue := codel.New(settings)
	now := patterns.Instant(0)
	for _, ms := range []int{1, 8, 12, 20, 30, 30, 30, 2} {
		waited := time.Duration(ms) * time.Millisecond
		word := "serve"
		if queue.Dequeue(now, waited) {
			word = "drop"
		}
		fmt.Printf("%5s waited %4s: %s\n", now.Sub(0), waited, word)
		now = now.Add(40 * time.Millisecond)
	}
	// Output:
	//    0s waited  1ms: serve
	//  40ms waited  8ms: serve
	//  80ms waited 12ms: serve
	// 120ms waited 20ms: serve
	// 160ms waited 30ms: serve
	// 200ms waited 30ms: drop
	// 240ms waited 30ms: drop
	// 280ms waited  2ms: serve
}
