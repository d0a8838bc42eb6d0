package hedge_test

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns/hedge"
)

// The delay follows what the dependency needs.
func Example() {
	settings, err := hedge.Compile(hedge.Defaults())
	if err != nil {
		panic(err)
	}
	client := hedge.New(settings)
	fmt.Println("at first:", client.Delay())
	for i := range 100 {
		client.Observe(time.Duration(i+1) * time.Millisecond)
	}
	fmt.Println("later:", client.Delay())
	// Output:
	// at first: 2s
	// later: 95ms
}
