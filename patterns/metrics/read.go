package metrics

import (
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// reader writes the samples of one policy after the other.
type reader struct {
	emit   func(Sample)
	labels []string // pipeline and policy
}

// put emits a sample with further labels.
func (r *reader) put(i id, value float64, more ...string) {
	r.labels = append(r.labels[:2], more...)
	r.emit(Sample{&table[i], r.labels, value})
}

func (r *reader) count(i id, n int64) { r.put(i, float64(n)) }

func (r *reader) at(pipeline, policy string) { r.labels = append(r.labels[:0], pipeline, policy) }

func (r *reader) pipeline(w watched) {
	for _, b := range w.pipeline.Breakers() {
		r.at(w.name, b.Name())
		r.breaker(b.Snapshot())
	}
	for _, b := range w.pipeline.Bulkheads() {
		r.at(w.name, b.Name)
		r.bulkhead(b)
	}
	for _, b := range w.pipeline.Budgets() {
		r.at(w.name, b.Name)
		r.put(budgetBalance, b.Balance)
	}
	for _, h := range w.pipeline.Hedges() {
		r.at(w.name, h.Name)
		r.put(hedgeDelay, h.Delay.Seconds())
		r.count(hedgeStarted, h.Started)
		r.count(hedgeWon, h.Won)
		if h.Budgeted {
			r.put(budgetBalance, h.Balance)
		}
	}
	r.limiters(w)
}

func (r *reader) limiters(w watched) {
	for _, t := range w.pipeline.Throttles() {
		r.at(w.name, t.Name)
		r.put(throttleProbability, t.Probability*100)
		r.count(throttleGranted, t.Admitted)
		r.count(throttleRejected, t.Rejected)
	}
	for _, l := range w.pipeline.RateLimiters() {
		r.at(w.name, l.Name())
		s := l.Snapshot()
		r.count(rateAvailable, s.Permits)
		r.count(rateGranted, s.Granted)
		r.count(rateWaited, s.Waited)
		r.count(rateRejected, s.Rejected)
		r.count(rateCancelled, s.Cancelled)
	}
	for _, l := range w.pipeline.AdaptiveLimits() {
		r.at(w.name, l.Name)
		r.count(limitLimit, int64(l.Limit))
		r.count(limitInUse, int64(l.InFlight))
		if l.Base > 0 {
			r.put(limitBase, l.Base.Seconds())
		}
		r.count(limitGranted, l.Granted)
		r.count(limitRejected, l.Refused)
		r.count(limitAnswered, l.Answered)
		r.count(limitDropped, l.Dropped)
	}
}

func (r *reader) breaker(s breaker.Snapshot) {
	for state := breaker.Closed; state <= breaker.MetricsOnly; state++ {
		in := 0.0
		if s.State == state {
			in = 1
		}
		r.put(breakerState, in, state.String())
	}
	if s.FailureRate >= 0 {
		r.put(breakerFailureRate, s.FailureRate)
	}
	if s.SlowRate >= 0 {
		r.put(breakerSlowRate, s.SlowRate)
	}
	r.count(breakerBuffered, s.Buffered)
	r.count(breakerFailed, s.Failed)
	r.count(breakerSlow, s.Slow)
	r.count(breakerInFlight, s.InFlight)
	r.count(breakerLate, s.Late)
}

func (r *reader) bulkhead(b pipeline.BulkheadSnapshot) {
	r.count(bulkheadSlots, int64(b.Slots))
	r.count(bulkheadInUse, int64(b.InUse))
	r.count(bulkheadWaiting, int64(b.Waiting))
	r.count(bulkheadGranted, b.Granted)
	r.count(bulkheadQueued, b.Queued)
	r.count(bulkheadRejected, b.Rejected)
	r.count(bulkheadGaveUp, b.GaveUp)
	r.count(bulkheadDropped, b.Displaced+b.Late+b.Impatient)
}

// policies names each policy that has counters.
func policies(p *pipeline.Pipeline, visit func(name string)) {
	for _, b := range p.Breakers() {
		visit(b.Name())
	}
	for _, b := range p.Bulkheads() {
		visit(b.Name)
	}
	for _, b := range p.Budgets() {
		visit(b.Name)
	}
	for _, h := range p.Hedges() {
		visit(h.Name)
	}
	for _, t := range p.Throttles() {
		visit(t.Name)
	}
	for _, l := range p.RateLimiters() {
		visit(l.Name())
	}
	for _, l := range p.AdaptiveLimits() {
		visit(l.Name)
	}
}
