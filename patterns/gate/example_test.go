package gate_test

import (
	"context"
	"fmt"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/gate"
)

// A worker takes one job at a time; a second one that comes meanwhile is refused.
func Example() {
	settings, err := bulkhead.Compile(bulkhead.Config{MaxConcurrentCalls: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	door := gate.New(gate.NewSlots(settings, nil))
	ctx := context.Background()
	err = door.Run(ctx, gate.Request{}, func(ctx context.Context) error {
		_, err := door.Enter(ctx, gate.Request{})
		fmt.Println("meanwhile:", err)
		return nil
	})
	fmt.Println("the job:", err)

	pass, err := door.Enter(ctx, gate.Request{})
	fmt.Println("afterwards:", err)
	pass.Leave(patterns.Result{Outcome: patterns.Success})
	// Output:
	// meanwhile: pipeline: bulkhead full
	// the job: <nil>
	// afterwards: <nil>
}
