package codel

import (
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// spaced is RFC 8289's rule, section 5, for one request at a time. The RFC's
// names are in parentheses.
type spaced struct {
	above    patterns.Instant // waits long enough above target from here on (first_above_time)
	next     patterns.Instant // drop_next
	count    uint32           // drops of this spell
	last     uint32           // count at which the spell began (lastcount)
	dropping bool
	// owed: the distance to the next drop is set by the request after a drop,
	// and only if it could be dropped too, as in the RFC's loop.
	owed bool
}

// again is how many intervals after the last spell a new one still counts as its
// continuation.
const again = 16

func (s *spaced) dequeue(set *Settings, now patterns.Instant, waited time.Duration) (drop bool) {
	may := s.may(set, now, waited)
	if s.dropping && may {
		if s.owed {
			s.owed, s.next = false, s.law(set, s.next)
		}
		if now < s.next {
			return false
		}
		if s.count < math.MaxUint32 {
			s.count++
		}
		s.owed = true
		return true
	}
	s.dropping, s.owed = false, false
	if !may {
		return false
	}
	s.start(set, now)
	return true
}

// may reports whether waits have been above target for an interval (ok_to_drop).
func (s *spaced) may(set *Settings, now patterns.Instant, waited time.Duration) bool {
	switch {
	case waited < set.target:
		s.above = patterns.Never
	case s.above == patterns.Never:
		s.above = now.Add(set.interval)
	default:
		return now >= s.above
	}
	return false
}

// start begins a spell of dropping, where the last one left off if that was not
// long ago.
func (s *spaced) start(set *Settings, now patterns.Instant) {
	more := s.count - s.last
	s.count = 1
	if more > 1 && now.Sub(s.next) < again*set.interval {
		s.count = more
	}
	s.last = s.count
	s.dropping = true
	s.next = s.law(set, now)
}

func (s *spaced) law(set *Settings, from patterns.Instant) patterns.Instant {
	return from.Add(time.Duration(float64(set.interval) / math.Sqrt(float64(s.count))))
}

func (s *spaced) empty() { s.above, s.dropping, s.owed = patterns.Never, false, false }
