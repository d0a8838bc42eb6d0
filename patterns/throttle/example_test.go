package throttle_test

import (
	"fmt"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/throttle"
)

// A server accepts one call in five. The first hundred calls are all sent; the
// account then has the client refuse three of five itself.
func Example() {
	settings, err := throttle.Compile(throttle.Defaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	t := throttle.New(settings)
	now := patterns.Instant(0)
	for i := range 100 {
		t.Acquire(now, 0.9999) // a draw that passes all but certainty
		outcome := patterns.Failure
		if i%5 == 0 {
			outcome = patterns.Success
		}
		t.Report(now, outcome)
	}
	s := t.Snapshot(now)
	fmt.Printf("%d requests, %d accepted: refuse with %.3f\n", s.Requests, s.Accepts, s.Probability)
	for _, draw := range []float64{0.2, 0.7} {
		v := t.Acquire(now, draw)
		fmt.Println(draw, v.OK, v.Reason)
	}
	// Output:
	// 100 requests, 20 accepted: refuse with 0.594
	// 0.2 false throttled
	// 0.7 true none
}
