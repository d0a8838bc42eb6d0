package bulkhead_test

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
)

// Two slots, room for one to wait: the third call waits, the fourth is rejected,
// and the slot of the first goes to the third.
func Example() {
	settings, err := bulkhead.Compile(bulkhead.Config{
		MaxConcurrentCalls: 2, MaxWaitDuration: patterns.Duration(time.Second), QueueCapacity: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := bulkhead.New(settings)
	var tickets []bulkhead.Ticket
	for owner := range uint64(4) {
		ticket, decision := b.Enter(0, owner)
		tickets = append(tickets, ticket)
		fmt.Println(owner, decision)
	}
	var grants []bulkhead.Grant
	b.Leave(patterns.Instant(30*time.Millisecond), tickets[0], &grants)
	for _, g := range grants {
		fmt.Println(g.Owner, "has its slot after", g.Waited)
	}
	// Output:
	// 0 granted
	// 1 granted
	// 2 queued
	// 3 rejected
	// 2 has its slot after 30ms
}

// A priority queue of one: a call of a higher level takes the place of the one
// that waits, which is dropped.
func Example_priority() {
	config := bulkhead.QueueDefaults()
	config.Order, config.Levels = bulkhead.Priority, 3
	config.MaxConcurrentCalls, config.QueueCapacity = 1, 1
	settings, err := bulkhead.CompileQueue(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	b := bulkhead.New(settings)
	for owner, level := range []int{0, 0, 2, 1} {
		a := b.Ask(0, bulkhead.Request{Owner: uint64(owner), Level: level})
		fmt.Println(owner, "of level", level, a.Decision)
		for _, d := range b.Dropped(nil) {
			fmt.Println(d.Owner, "dropped:", d.Reason)
		}
	}
	// Output:
	// 0 of level 0 granted
	// 1 of level 0 queued
	// 2 of level 2 queued
	// 1 dropped: shed
	// 3 of level 1 rejected
}
