package adaptive

import "math"

// vegas keeps the estimated queue at the dependency between alpha and beta.
//
// Source: Brakmo, O'Malley, Peterson, "TCP Vegas" (1994); the steps are those of
// Netflix' VegasLimit. A drop is heard before anything else, and never becomes
// the base: a refusal is too quick to be one.
func (l *Limiter) vegas(x sample, draw float64) float64 {
	s, m := l.settings, &l.learnt
	if !m.drawn {
		m.drawn, m.chance = true, l.draw(draw)
	}
	if !x.measured {
		return s.smooth(l.limit, s.down(l.limit))
	}
	m.samples++
	if (0.5+m.chance/2)*s.probeMultiplier*l.limit <= float64(m.samples) {
		m.samples, m.base = 0, x.rtt
		m.chance = l.draw(draw)
		l.counts.probes++
		return l.limit
	}
	if m.base == 0 || x.rtt < m.base {
		m.base = x.rtt
		if !x.dropped {
			return l.limit
		}
	}
	return s.smooth(l.limit, s.vegasStep(l.limit, m.base, x))
}

// vegasStep returns the next limit before smoothing.
func (s *Settings) vegasStep(limit, base float64, x sample) float64 {
	step := log10(limit)
	alpha, beta := 3*step, 6*step
	if s.alpha > 0 {
		alpha = float64(s.alpha)
	}
	if s.beta > 0 {
		beta = float64(s.beta)
	}
	queue := math.Ceil(limit * (1 - base/x.rtt))
	switch {
	case x.dropped:
		return s.down(limit)
	case float64(2*x.inFlight) < limit:
		return limit
	case queue <= step:
		return limit + beta
	case queue < alpha:
		return limit + step
	case queue > beta:
		return s.down(limit)
	}
	return limit
}

func (s *Settings) down(limit float64) float64 {
	if s.halve {
		return limit / 2
	}
	return limit - log10(limit)
}

// smooth mixes the next limit, within its bounds, with the present one. A limit
// that stays is not mixed: rounding would make it drift.
func (s *Settings) smooth(limit, next float64) float64 {
	next = s.clamp(next)
	if next == limit {
		return limit
	}
	return float64((1-s.smoothing)*limit) + float64(s.smoothing*next)
}

// log10 returns max(1, trunc(log10 x)), by comparison: exact at powers of ten.
func log10(x float64) float64 {
	digits := 1.0
	for power := 100.0; power <= x; power *= 10 {
		digits++
	}
	return digits
}
