package outlier_test

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/outlier"
)

// Five hosts are called in turn, ten times a second each. Host 2 fails for the
// first 20 seconds. A balancer passes over hosts that are not usable.
func Example() {
	config := outlier.Defaults()
	config.BaseEjectionTime = patterns.Duration(10 * time.Second)
	settings, err := outlier.Compile(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	set := outlier.New(settings, 5)
	var log []outlier.Event
	const noChance = 0 // there is no jitter, and rules are in force always or never
	failed := 0
	for now := patterns.Instant(0); now < patterns.Instant(time.Minute); now = now.Add(100 * time.Millisecond) {
		set.Tick(now, noChance, &log)
		for host := range 5 {
			if !set.Usable(now, host) {
				continue
			}
			outcome := patterns.Success
			if host == 2 && now < patterns.Instant(20*time.Second) {
				outcome = patterns.Failure
				failed++
			}
			set.Report(now, host, outcome, noChance, &log)
		}
	}
	for _, e := range log {
		fmt.Println(e.At.Sub(0), "host", e.Host, e.Kind, e.Why, "times", e.Times)
	}
	fmt.Println(failed, "calls failed")
	// Output:
	// 400ms host 2 host_ejected consecutive times 1
	// 20s host 2 host_returned none times 0
	// 5 calls failed
}
