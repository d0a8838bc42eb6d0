package priority_test

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/priority"
)

// Half of the calls are batch (class 0), half are live (class 1). A quarter has to
// be shed: the lower half of batch.
func Example() {
	config := priority.Defaults()
	config.Classes, config.LevelsPerClass = 2, 100
	settings, err := priority.Compile(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := priority.New(settings)
	for i := range 200 {
		s.Acquire(0, i%2, float64(i)/200) // the first second: calls are counted
	}
	now := patterns.Instant(time.Second)
	s.Want(now, 0.25)
	for class, name := range []string{"batch", "live"} {
		for _, draw := range []float64{0.2, 0.8} {
			level, v := s.Acquire(now, class, draw)
			fmt.Println(name, "at level", level, v.OK, v.Reason)
		}
	}
	// Output:
	// batch at level 20 false shed
	// batch at level 80 true none
	// live at level 120 true none
	// live at level 180 true none
}
