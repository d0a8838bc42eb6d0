package record

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/sim/models"
)

var _ models.Probe = (*Recorder)(nil)

// RequestSent implements models.Probe.
func (r *Recorder) RequestSent(now time.Duration, fleet int) {
	if now >= r.next {
		r.Advance(now)
	}
	f := &r.fleets[fleet]
	f.now.sent++
	f.account.sent++
}

// RequestEnded implements models.Probe.
func (r *Recorder) RequestEnded(now time.Duration, fleet int, how models.Ending, why models.Why, took time.Duration) {
	if now >= r.next {
		r.Advance(now)
	}
	f := &r.fleets[fleet]
	f.account.end(how, why)
	switch how {
	case models.Answered:
		f.now.answered++
		f.calls.now.add(took)
	case models.Degraded:
		f.now.degraded++
	case models.Failed:
		f.now.failed++
	case models.Refused:
		f.now.refused++
	case models.Abandoned:
		f.now.abandons++
	}
}

// AttemptSent implements models.Probe.
func (r *Recorder) AttemptSent(now time.Duration, fleet int, again bool) {
	if now >= r.next {
		r.Advance(now)
	}
	f := &r.fleets[fleet]
	f.now.pipelines.sent(again)
}

// AttemptEnded implements models.Probe. The latency of attempts is that of the
// answered ones.
func (r *Recorder) AttemptEnded(now time.Duration, fleet int, why patterns.Reason, took time.Duration) {
	if now >= r.next {
		r.Advance(now)
	}
	f := &r.fleets[fleet]
	f.now.pipelines.ended(why)
	if why == patterns.None {
		f.attempts.add(took)
	}
}

// BreakerChanged implements models.Probe.
func (r *Recorder) BreakerChanged(now time.Duration, fleet, instance int, e breaker.Event) {
	if now >= r.next {
		r.Advance(now)
	}
	f := &r.fleets[fleet]
	if f.breakers.change(now, f.scope, instance, e, &r.log) {
		f.now.pipelines.trips++
	}
}

// CallSent implements models.Probe.
func (r *Recorder) CallSent(now time.Duration, service int) {
	if now >= r.next {
		r.Advance(now)
	}
	r.services[service].account.sent++
}

// CallEnded implements models.Probe.
func (r *Recorder) CallEnded(now time.Duration, service int, how models.Ending, why models.Why) {
	if now >= r.next {
		r.Advance(now)
	}
	r.services[service].account.end(how, why)
}

// Arrived implements models.Probe.
func (r *Recorder) Arrived(now time.Duration, service int) {
	if now >= r.next {
		r.Advance(now)
	}
	r.services[service].now.arrivals++
}

// Started implements models.Probe.
func (r *Recorder) Started(now time.Duration, service int, waited time.Duration) {
	if now >= r.next {
		r.Advance(now)
	}
	s := &r.services[service]
	s.now.started++
	s.now.waitNS += int64(waited)
}

// Served implements models.Probe.
func (r *Recorder) Served(now time.Duration, service int, held time.Duration, wanted, failed bool) {
	if now >= r.next {
		r.Advance(now)
	}
	row := &r.services[service].now
	row.served++
	row.workNS += int64(held)
	if wanted {
		row.useful++
	} else {
		row.wastedNS += int64(held)
	}
	if failed {
		row.errors++
	}
}

// TurnedAway implements models.Probe. A refused connection is unreachable, all
// else was rejected.
func (r *Recorder) TurnedAway(now time.Duration, service int, why models.Why) {
	if now >= r.next {
		r.Advance(now)
	}
	row := &r.services[service].now
	if why == models.WhyUnreachable {
		row.unreachable++
	} else {
		row.rejected++
	}
}

// Level implements models.Probe.
func (r *Recorder) Level(now time.Duration, service int, l models.Level) {
	if now >= r.next {
		r.Advance(now)
	}
	s := &r.services[service]
	s.integrate(now)
	s.level = l
}

// Happened implements models.Probe. A crash is a line of the timeline and is counted.
func (r *Recorder) Happened(now time.Duration, h models.Happening) {
	r.Advance(now)
	r.log.happened(now, h)
	if !h.Crash {
		return
	}
	for i := range r.services {
		if r.services[i].scope == h.Subject {
			r.services[i].now.dead++
		}
	}
}
