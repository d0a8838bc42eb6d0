package adaptive

import (
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// envoyRule is the compiled part of the settings that only envoy has.
type envoyRule struct {
	every      time.Duration // length of a sample window
	percentile patterns.Percent
	interval   time.Duration // from measurement to measurement
	jitter     float64       // share of the interval
	requests   int64         // samples of a measurement
	pin        float64       // limit during a measurement
	slack      float64       // 1 + buffer
}

// envoy is the state of envoy's gradient controller.
//
// Source: Envoy, adaptive concurrency filter, gradient controller.
type envoy struct {
	trips     histogram
	measuring bool
	epoch     patterns.Instant // beginning of the latest measurement
	restore   float64          // limit after it
	least     float64          // round trip that it found, ns
	windowEnd patterns.Instant
	measureAt patterns.Instant
	atFloor   int // windows in a row that found the limit at the floor and left it there
}

// floorMax windows at the floor cast doubt on the least round trip.
const floorMax = 5

// measure begins a measurement: the limit is pinned, and what earlier calls say
// is no longer heard.
func (l *Limiter) measure(at patterns.Instant) {
	e := l.envoy
	e.measuring, e.epoch, e.restore, e.atFloor = true, at, l.limit, 0
	e.trips.clear()
	l.limit = l.settings.envoy.pin
}

// hear takes a sample of a call begun at start. The time after which a drop came
// is a lower bound of a round trip: it counts in a window, where it is longer
// than the least, and in a measurement never.
func (l *Limiter) hear(now, start patterns.Instant, x sample, draw float64) {
	e, r := l.envoy, &l.settings.envoy
	if start < e.epoch || (!x.measured && (e.measuring || x.rtt <= e.least)) {
		return
	}
	e.trips.add(x.rtt)
	if !e.measuring || e.trips.n < r.requests {
		return
	}
	e.least = e.trips.percentile(r.percentile)
	e.trips.clear()
	e.measuring = false
	l.limit = e.restore
	l.counts.probes++
	wait := r.interval
	if r.jitter > 0 {
		wait += time.Duration(l.draw(draw) * r.jitter * float64(r.interval))
	}
	e.measureAt = now.Add(wait)
	e.windowEnd = now.Add(r.every)
}

// due returns the instant of the next change by itself, if there is one.
func (l *Limiter) due() (patterns.Instant, bool) {
	e := l.envoy
	switch {
	case e.measuring:
		return patterns.Never, false
	case e.trips.n > 0:
		return min(e.windowEnd, e.measureAt), true
	}
	return e.measureAt, true
}

// advance makes the changes that are due until now, each at its own instant,
// however much later that is noticed. After the first window that closes all
// others are empty: they are passed over at once.
func (l *Limiter) advance(now patterns.Instant) {
	e, every := l.envoy, patterns.Instant(l.settings.envoy.every)
	for !e.measuring {
		until := min(now, e.measureAt)
		switch {
		case e.windowEnd <= until && e.trips.n > 0:
			at := e.windowEnd
			e.windowEnd = at.Add(l.settings.envoy.every)
			l.closeWindow(at)
		case e.windowEnd <= until && until < patterns.Never:
			e.windowEnd = e.windowEnd.Add(time.Duration(((until-e.windowEnd)/every + 1) * every))
		case e.measureAt <= now:
			l.measure(e.measureAt)
		default:
			return
		}
	}
}

// closeWindow sets the limit by the samples of the window that ends at the given
// instant.
func (l *Limiter) closeWindow(at patterns.Instant) {
	e, s := l.envoy, l.settings
	trip := e.trips.percentile(s.envoy.percentile)
	e.trips.clear()
	gradient := max(0.5, min(2, e.least*s.envoy.slack/trip))
	limit := l.limit * gradient
	next := s.clamp(math.Trunc(limit + math.Sqrt(limit)))
	if l.limit == s.min && next == s.min {
		e.atFloor++
	} else {
		e.atFloor = 0
	}
	l.limit = next
	if e.atFloor >= floorMax {
		l.measure(at)
	}
}
