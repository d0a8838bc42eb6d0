package codel

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Codel judges the requests of one queue. It is not safe for concurrent use: a
// driver with goroutines holds a lock around each method.
type Codel struct {
	settings *Settings
	seen     patterns.Instant
	served   int64
	dropped  int64
	standing standing // the rule for services
	spaced   spaced   // the rule of RFC 8289
}

// New returns a Codel that has seen no request.
func New(s *Settings) Codel { return Codel{settings: s, spaced: spaced{above: patterns.Never}} }

// Dequeue hears that a request was taken from the queue after it had waited so
// long, and reports whether to drop it. Ask once for each request, in the order
// in which they are taken. A wait below 0 counts as 0. O(1).
func (c *Codel) Dequeue(now patterns.Instant, waited time.Duration) (drop bool) {
	now, waited = c.clock(now), max(waited, 0)
	if c.settings.spaced {
		drop = c.spaced.dequeue(c.settings, now, waited)
	} else {
		drop = c.standing.dequeue(c.settings, now, waited)
	}
	if drop {
		c.dropped++
	} else {
		c.served++
	}
	return drop
}

// Empty hears that nothing waits any more: there is no standing queue now, and
// the running interval will not be found to have had one.
func (c *Codel) Empty(now patterns.Instant) {
	c.clock(now)
	c.standing.empty()
	c.spaced.empty()
}

// Snapshot is what a Codel shows.
type Snapshot struct {
	// Overloaded: requests that waited too long are dropped now. It is false
	// once the queue has been idle for an interval.
	Overloaded bool
	// Served and Dropped of all requests.
	Served, Dropped int64
}

// Snapshot returns the state at the given instant. It changes nothing.
func (c *Codel) Snapshot(now patterns.Instant) Snapshot {
	s := Snapshot{Overloaded: c.spaced.dropping, Served: c.served, Dropped: c.dropped}
	if !c.settings.spaced {
		s.Overloaded = c.standing.overloaded && max(now, c.seen) <= c.standing.stale
	}
	return s
}

func (c *Codel) clock(now patterns.Instant) patterns.Instant {
	c.seen = max(c.seen, now)
	return c.seen
}
