package models

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

// Probe hears what happens, at the moment it happens. Models call it; they
// never ask it anything, so a run with and without it is the same run. FleetID
// and ServiceID are the indexes of the scenario's lists.
type Probe interface {
	// RequestSent: a request arrived at the fleet's door.
	RequestSent(now time.Duration, fleet int)
	// RequestEnded: it ended. How and why say which account it goes to; took is
	// the time since it was sent, as its user saw it.
	RequestEnded(now time.Duration, fleet int, how Ending, why Why, took time.Duration)
	// AttemptSent: a fleet's pipeline began an attempt; again is true for retries.
	AttemptSent(now time.Duration, fleet int, again bool)
	// AttemptEnded: the pipeline was told how it ended, or gave it up (timeout).
	AttemptEnded(now time.Duration, fleet int, why patterns.Reason, took time.Duration)
	// BreakerChanged: one breaker of a fleet changed its state. instance is the
	// caller's number in the fleet.
	BreakerChanged(now time.Duration, fleet, instance int, e breaker.Event)

	// OnwardSent, OnwardEnded and OnwardBreaker are the same for the pipelines through
	// which a service's handlers call other services.
	OnwardSent(now time.Duration, service int, again bool)
	OnwardEnded(now time.Duration, service int, why patterns.Reason, took time.Duration)
	OnwardBreaker(now time.Duration, service, instance int, e breaker.Event)

	// CallSent: somebody's pipeline (or a bare step) sent an attempt towards the service.
	CallSent(now time.Duration, service int)
	// CallEnded: that attempt was settled, seen from its caller: the law of
	// accounts at the service's boundary.
	CallEnded(now time.Duration, service int, how Ending, why Why)
	// Arrived: an attempt reached the service's door.
	Arrived(now time.Duration, service int)
	// Started: it reached a worker after waiting this long.
	Started(now time.Duration, service int, waited time.Duration)
	// Served: its handler ended after holding a worker for held. wanted is false
	// when its caller had gone; failed when it ended in an error.
	Served(now time.Duration, service int, held time.Duration, wanted, failed bool)
	// TurnedAway: it was refused at the door.
	TurnedAway(now time.Duration, service int, why Why)
	// Level: queue, busy or available workers, or speed of a service changed
	// (summed over its instances; capacity in requests per second).
	Level(now time.Duration, service int, l Level)
	// Happened: a line for the timeline.
	Happened(now time.Duration, h Happening)

	CallerProbe
}

// Level is the state of a service at an instant, over all its instances.
type Level struct {
	Queue, Busy, Workers int
	CapacityPerSecond    float64
	// CoresBusy of the Cores that are there, where work shares them; else 0.
	CoresBusy, Cores int
}

// Ending says to which account a request or attempt goes.
type Ending uint8

// The accounts: sent = the sum of these + in flight.
const (
	Answered Ending = iota + 1
	Degraded
	Failed
	Refused
	Abandoned
)

// Why is the reason within an account, a label in the result.
type Why uint8

// The reasons.
const (
	WhyNone Why = iota
	WhyError
	WhyTimeout
	WhyDeadline
	WhyCancelled
	WhyBreakerOpen
	WhyBulkheadFull
	WhyBulkheadTimeout
	WhyQueueFull
	WhyShed
	WhyUnreachable
	WhyCrashed
	WhyThrottled
	WhyRateLimited
	WhyLimitReached
	WhyQueueTimeout
	Whys int = iota
)

// String returns the reason in snake_case.
func (w Why) String() string {
	names := [...]string{"none", "error", "timeout", "deadline", "cancelled", "breaker_open", "bulkhead_full",
		"bulkhead_timeout", "queue_full", "shed", "unreachable", "crashed",
		"throttled", "rate_limited", "limit_reached", "queue_timeout"}
	if int(w) < len(names) {
		return names[w]
	}
	return "unknown"
}

// Happening is a line for the timeline, as result.Event has it.
type Happening struct {
	Source  string // fault, operator, service, pattern
	Subject string
	What    string
	Detail  string
	Marker  bool
	// Crash: an instance went down under load. Crashes are counted.
	Crash bool
}
