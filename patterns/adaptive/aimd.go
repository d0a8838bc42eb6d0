package adaptive

import "math"

// aimd raises by one after an answer, lowers by a factor after a drop.
func (s *Settings) aimd(limit float64, x sample) float64 {
	switch {
	case x.dropped || (s.timeout > 0 && x.rtt > s.timeout):
		return math.Trunc(limit * s.backoff)
	case float64(2*x.inFlight) >= limit:
		return limit + 1
	}
	return limit
}
