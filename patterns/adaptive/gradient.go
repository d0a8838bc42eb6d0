package adaptive

import "math"

// gradient follows the ratio of the least round trip to the present one.
//
// Source: Netflix' GradientLimit. Only steps down are smoothed.
func (l *Limiter) gradient(x sample, draw float64) float64 {
	s, m := l.settings, &l.learnt
	queue := s.queueAt(l.limit)
	if x.measured {
		if l.probes(draw) {
			m.base = 0
			return queue
		}
		if m.base == 0 || x.rtt < m.base {
			m.base = x.rtt
		}
	}
	var next float64
	switch {
	case x.dropped:
		next = l.limit * s.backoff
	case float64(x.inFlight) < l.limit/2:
		return l.limit
	default:
		next = float64(l.limit*s.slope(m.base, x.rtt)) + queue
	}
	if next < l.limit {
		next = max(s.min, float64((1-s.smoothing)*l.limit)+float64(s.smoothing*next))
	}
	return max(queue, next)
}

// probes counts a sample and reports whether the base is to be forgotten: so
// many samples after the last time as the draw said, from n to 2n - 1.
func (l *Limiter) probes(draw float64) bool {
	s, m := l.settings, &l.learnt
	if s.probeInterval == 0 {
		return false
	}
	if !m.drawn {
		m.drawn, m.chance = true, l.draw(draw)
	}
	m.samples++
	if m.samples <= s.probeInterval+int64(m.chance*float64(s.probeInterval)) {
		return false
	}
	m.samples, m.chance = 0, l.draw(draw)
	l.counts.probes++
	return true
}

// queueAt returns the queue that a limit allows for.
func (s *Settings) queueAt(limit float64) float64 {
	if s.queue > 0 {
		return s.queue
	}
	return max(4, math.Trunc(math.Sqrt(math.Trunc(limit))))
}

// slope returns by how much the round trip asks to lower the limit: from 0.5 to 1.
func (s *Settings) slope(base, rtt float64) float64 {
	return max(0.5, min(1, s.tolerance*base/rtt))
}

// gradient2 follows the ratio of a long average of round trips to the present
// one.
//
// Source: Netflix' Gradient2Limit. It does not look at drops unless it has a
// backoffRatio; then the time after which one came is heard only if it is longer
// than the average, which it can but bound from below.
func (s *Settings) gradient2(m *learnt, limit float64, x sample) float64 {
	if x.dropped && s.backoff > 0 {
		return limit * s.backoff
	}
	if !x.measured && x.rtt <= m.base {
		return limit
	}
	s.average(m, x.rtt)
	long := m.base
	if long/x.rtt > 2 {
		m.base *= 0.95
	}
	if float64(x.inFlight) < limit/2 {
		return limit
	}
	next := float64(limit*s.slope(long, x.rtt)) + s.queue
	return float64((1-s.smoothing)*limit) + float64(s.smoothing*next)
}

// average adds a round trip to the long average: the mean of the first ones,
// then exponential.
func (s *Settings) average(m *learnt, rtt float64) {
	if m.samples < s.warmup {
		m.samples++
		m.sum += rtt
		m.base = m.sum / float64(m.samples)
		return
	}
	m.base = float64(m.base*(1-s.weight)) + float64(rtt*s.weight)
}
