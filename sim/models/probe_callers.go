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
	// CameBack: a user who got no answer sends the request once more. RequestSent follows.
	CameBack(now time.Duration, fleet int)
	// CacheLooked: a handler of a service looked into a cache.
	CacheLooked(now time.Duration, service int, hit bool)
	// Duplicated: a handler did once more what must not be done twice for a request.
	Duplicated(now time.Duration, service int)
}

// ClassSent does nothing.
func (Silent) ClassSent(time.Duration, int, int) {}

// ClassEnded does nothing.
func (Silent) ClassEnded(time.Duration, int, int, Ending, Why, time.Duration) {}

// CameBack does nothing.
func (Silent) CameBack(time.Duration, int) {}

// Duplicated does nothing.
func (Silent) Duplicated(time.Duration, int) {}

// CacheLooked does nothing.
func (Silent) CacheLooked(time.Duration, int, bool) {}
