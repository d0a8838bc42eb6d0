package models

import "time"

// CallerProbe hears what concerns the callers themselves: the part of Probe for
// what only some fleets do.
type CallerProbe interface {
	// ClassSent: a request that was sent is of a class, by its place in the list of the
	// fleet. It follows RequestSent, and is heard for fleets with classes only.
	ClassSent(now time.Duration, fleet, class int)
	// ClassEnded follows RequestEnded for such a request.
	ClassEnded(now time.Duration, fleet, class int, how Ending, why Why, took time.Duration)
}

// ClassSent does nothing.
func (Silent) ClassSent(time.Duration, int, int) {}

// ClassEnded does nothing.
func (Silent) ClassEnded(time.Duration, int, int, Ending, Why, time.Duration) {}
