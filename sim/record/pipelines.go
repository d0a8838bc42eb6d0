package record

import (
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

// pipelineRow is what the pipelines of a fleet or of a service's handlers did in
// one interval.
type pipelineRow struct {
	attempts, retries, timeouts, trips uint64
	// At the end of the interval.
	shut, half, tripped int
}

func (p *pipelineRow) sent(again bool) {
	p.attempts++
	if again {
		p.retries++
	}
}

// calls are the first tries.
func (p *pipelineRow) calls() uint64 { return p.attempts - p.retries }

func (p *pipelineRow) ended(why patterns.Reason) {
	if why == patterns.AttemptTimeout || why == patterns.DeadlineExceeded {
		p.timeouts++
	}
}

func (p *pipelineRow) close(b *breakers) {
	p.shut, p.half, p.tripped = b.closed, b.halfOpen, b.open
}

// value of a metric of pipelines; NaN: absent.
func (p *pipelineRow) value(metric string, breakers int, widthS float64) float64 {
	rate := func(n uint64) float64 { return float64(n) / widthS }
	share := func(n int) float64 { return ratio(uint64(n), uint64(breakers)) }
	switch metric {
	case "attempts":
		return rate(p.attempts)
	case "retries":
		return rate(p.retries)
	case "timeouts":
		return rate(p.timeouts)
	case "breaker_trips":
		return rate(p.trips)
	case "breakers_closed":
		return share(p.shut)
	case "breakers_half_open":
		return share(p.half)
	case "breakers_open":
		return share(p.tripped)
	}
	return math.NaN()
}

// OnwardSent implements models.Probe.
func (r *Recorder) OnwardSent(now time.Duration, service int, again bool) {
	if now >= r.next {
		r.Advance(now)
	}
	r.services[service].now.onward.sent(again)
}

// OnwardEnded implements models.Probe.
func (r *Recorder) OnwardEnded(now time.Duration, service int, why patterns.Reason, _ time.Duration) {
	if now >= r.next {
		r.Advance(now)
	}
	r.services[service].now.onward.ended(why)
}

// OnwardBreaker implements models.Probe.
func (r *Recorder) OnwardBreaker(now time.Duration, service, instance int, e breaker.Event) {
	if now >= r.next {
		r.Advance(now)
	}
	s := &r.services[service]
	if s.breakers.change(now, s.scope, instance, e, &r.log) {
		s.now.onward.trips++
	}
}
