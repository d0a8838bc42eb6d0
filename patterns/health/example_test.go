package health_test

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/health"
)

func at(d time.Duration) patterns.Instant { return patterns.Instant(d) }

// Three instances need a database for one request in ten. It is down from the first
// minute to the second. A deep check would have asked it; readiness looks at the
// pool through which all requests go, and nine of ten are answered.
func Example() {
	settings, err := health.Compile(health.Defaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	var fleet [3]*health.Readiness
	for i := range fleet {
		fleet[i] = health.NewReadiness(settings, 1)
		fleet[i].Start(0, nil)
	}
	databaseAnswers := func(now patterns.Instant) bool { return now < at(time.Minute) || now >= at(2*time.Minute) }
	for _, now := range []patterns.Instant{at(50 * time.Second), at(90 * time.Second), at(130 * time.Second)} {
		deep, own := 0, 0
		for _, instance := range fleet {
			instance.Pool(now, 0, health.Load{InUse: 6, Slots: 20}, nil)
			if databaseAnswers(now) {
				deep++
			}
			if instance.Ready(now, nil) {
				own++
			}
		}
		fmt.Printf("%6s a deep check leaves %d of 3, this one %d\n", now.Sub(0), deep, own)
	}
	// Output:
	//    50s a deep check leaves 3 of 3, this one 3
	//  1m30s a deep check leaves 0 of 3, this one 3
	//  2m10s a deep check leaves 3 of 3, this one 3
}

// A burst fills the pool of one instance for 25 seconds. It leaves, gets no
// more requests, works off what it has, and comes back when it has been calm for a while.
func ExampleReadiness() {
	settings, err := health.Compile(health.Defaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	var log []health.Event
	r := health.NewReadiness(settings, 1)
	r.Start(0, &log)
	r.Pool(at(60*time.Second), 0, health.Load{InUse: 20, Slots: 20, Waiting: 3, Places: 50}, &log)
	r.Pool(at(85*time.Second), 0, health.Load{InUse: 4, Slots: 20}, &log)
	r.Ready(at(2*time.Minute), &log)
	for _, e := range log {
		fmt.Printf("%6s %s to %s: %s\n", e.At.Sub(0), e.From, e.To, e.Why)
	}
	// Output:
	//     0s starting to ready: started
	//  1m10s ready to unready: saturated
	//  1m35s unready to ready: calm
}

// One of two loops does not come back from its turn. A probe asks every ten
// seconds.
func ExampleLiveness() {
	settings, err := health.CompileLiveness(health.LivenessDefaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	l := health.NewLiveness(settings, 2)
	l.Beat(0, 1) // and never again
	for now := at(0); now <= at(time.Minute); now = now.Add(10 * time.Second) {
		l.Beat(now, 0)
		if !l.Check(now) {
			i, _ := l.Stuck()
			age, _ := l.Age(now, i)
			fmt.Printf("loop %d has not come round for %s: restart\n", i, age)
			break
		}
	}
	// Output:
	// loop 1 has not come round for 50s: restart
}
