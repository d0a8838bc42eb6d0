package codel

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// standing is folly's rule.
type standing struct {
	begun      bool
	overloaded bool
	least      time.Duration    // of the running interval
	due        patterns.Instant // the interval is judged after this instant
	stale      patterns.Instant // after this one it is too old to tell anything
}

func (s *standing) dequeue(set *Settings, now patterns.Instant, waited time.Duration) (drop bool) {
	switch {
	case !s.begun:
		// Judged by the next request, however soon it comes.
		s.begin(set, now, waited)
		s.begun, s.due = true, now
		return false
	case now > s.stale:
		s.overloaded = false
		s.begin(set, now, waited)
		return false
	case now > s.due:
		s.overloaded = s.least > set.target
		s.begin(set, now, waited)
		return false
	}
	s.least = min(s.least, waited)
	return s.overloaded && waited > 2*set.target
}

func (s *standing) begin(set *Settings, now patterns.Instant, waited time.Duration) {
	s.least = waited
	s.due = now.Add(set.interval)
	s.stale = s.due.Add(set.interval)
}

// empty: whoever came now would not wait at all.
func (s *standing) empty() { s.overloaded, s.least = false, 0 }
