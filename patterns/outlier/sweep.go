package outlier

import (
	"math"

	"github.com/resilsim/resilsim/patterns"
)

// advance moves the clock, which never goes back, and makes the sweeps that have
// passed. It returns the instant of the step.
func (s *Set) advance(now patterns.Instant, draw float64, log *[]Event) patterns.Instant {
	s.seen = max(s.seen, now)
	s.drawn = 0
	for s.due <= s.seen && s.due != patterns.Never {
		s.sweep(s.due, draw, log)
		s.due = s.due.Add(s.settings.config.Interval.Std())
		s.leap()
	}
	return s.seen
}

// sweep brings hosts back, judges those in use, and begins a new interval.
func (s *Set) sweep(at patterns.Instant, draw float64, log *[]Event) {
	for i := range s.hosts {
		if h := &s.hosts[i]; h.ejected && h.back <= at {
			h.ejected, h.total, h.failed = false, 0, 0
			s.ejected--
			if !h.down {
				s.out--
			}
			note(log, Event{At: at, Kind: HostReturned, Host: i})
		}
	}
	s.mean, s.threshold = -1, -1
	s.bySuccessRate(at, draw, log)
	s.byFailurePercentage(at, draw, log)
	for i := range s.hosts {
		h := &s.hosts[i]
		h.rate = -1
		if h.total > 0 {
			h.rate = successRate(h)
		}
		h.total, h.failed = 0, 0
		// Not for the interval that the host has just come back from.
		if !h.ejected && h.times > 0 && h.back < at {
			h.times--
		}
	}
	s.judgePanic(at, log)
}

// hair keeps hosts that are equal but for rounding from being outliers, in percent.
const hair = 1e-9

func (s *Set) bySuccessRate(at patterns.Instant, draw float64, log *[]Event) {
	c := &s.settings.config
	if c.SuccessRateStdevFactor == 0 {
		return
	}
	volume := int64(c.SuccessRateRequestVolume)
	n, sum := 0, 0.0
	for i := range s.hosts {
		if h := &s.hosts[i]; h.judged(volume) {
			n++
			sum += successRate(h)
		}
	}
	if n < c.SuccessRateMinimumHosts {
		return
	}
	s.mean = sum / float64(n)
	squares := 0.0
	for i := range s.hosts {
		if h := &s.hosts[i]; h.judged(volume) {
			d := successRate(h) - s.mean
			squares += float64(d * d)
		}
	}
	s.threshold = s.mean - float64(c.SuccessRateStdevFactor*math.Sqrt(squares/float64(n)))
	for i := range s.hosts {
		if h := &s.hosts[i]; h.judged(volume) && successRate(h) < s.threshold-hair {
			s.detect(at, i, SuccessRate, draw, log)
		}
	}
}

func (s *Set) byFailurePercentage(at patterns.Instant, draw float64, log *[]Event) {
	c := &s.settings.config
	if c.FailurePercentageThreshold == 0 {
		return
	}
	volume, n := int64(c.FailurePercentageRequestVolume), 0
	for i := range s.hosts {
		h := &s.hosts[i]
		now := h.ejected && h.ejectedAt == at // by its success rate
		if h.judged(volume) || now && h.total >= volume {
			n++
		}
	}
	if n < c.FailurePercentageMinimumHosts {
		return
	}
	for i := range s.hosts {
		if h := &s.hosts[i]; h.judged(volume) && c.FailurePercentageThreshold.Reached(h.failed, h.total) {
			s.detect(at, i, FailurePercentage, draw, log)
		}
	}
}

// judged reports whether a host has enough calls in this interval, and is there.
func (h *host) judged(volume int64) bool { return h.present && !h.ejected && h.total >= volume }

func successRate(h *host) float64 { return 100 * float64(h.total-h.failed) / float64(h.total) }

// leap passes over sweeps that have passed and at which nothing but times
// changes: there are no calls to judge after the first. So a long idle time costs
// no more than a sweep for each host that comes back.
func (s *Set) leap() {
	target := s.seen
	for i := range s.hosts {
		if h := &s.hosts[i]; h.ejected {
			target = min(target, h.back-1)
		}
	}
	interval := patterns.Instant(s.settings.config.Interval)
	if target < s.due || s.due == patterns.Never {
		return
	}
	n := (target-s.due)/interval + 1
	s.due = s.due.Add((n * interval).Sub(0))
	s.mean, s.threshold = -1, -1
	for i := range s.hosts {
		h := &s.hosts[i]
		h.rate = -1
		if !h.ejected {
			h.times -= uint32(min(int64(h.times), int64(n)))
		}
	}
}
