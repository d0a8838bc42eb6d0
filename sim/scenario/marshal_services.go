package scenario

import (
	"strconv"

	"github.com/resilsim/resilsim/patterns/adaptive"
)

func workersText(n int) string {
	if n >= Unlimited {
		return "unlimited"
	}
	return strconv.Itoa(n)
}

// queue writes a queue; what it does not do is left out.
func (w *yamlWriter) queue(q *Queue) {
	limit := "unbounded"
	if q.Limit >= 0 {
		limit = strconv.Itoa(q.Limit)
	}
	var p pairs
	p.add("limit", limit)
	p.add("discipline", string(q.Discipline))
	if q.MaxWait > 0 {
		p.span("maxWaitDuration", q.MaxWait)
	}
	if q.Discipline == AdaptiveLIFO {
		p.span("interval", q.Interval)
		p.span("target", q.Target)
	}
	if q.Deadlines {
		p.add("deadlines", "true")
		p.span("minRemainingDuration", q.MinRemaining)
	}
	if c := q.CoDel; c != nil {
		var k pairs
		k.span("target", c.Target.Std())
		k.span("interval", c.Interval.Std())
		k.add("variant", string(c.Variant))
		p.add("codel", k.String())
	}
	w.line(2, "queue: %s", p)
}

// abilities are left out where there are none.
func (w *yamlWriter) abilities(s *Service) {
	if s.Asynchronous {
		w.line(2, "asynchronous: true")
	}
	if s.Cores > 0 {
		w.line(2, "cores: %d", s.Cores)
	}
	if c := s.Scalability; c != (Scalability{}) {
		w.line(2, "scalability: {contention: %s, coherence: %s}", exactly(c.Contention), exactly(c.Coherence))
	}
	if m := s.Memory; m != nil {
		w.line(2, "memory: {limitMiB: %s, baseMiB: %s, perRequestMiB: %s, restart: %s, gcOverhead: %s}", exactly(m.Limit), exactly(m.Base), exactly(m.PerRequest), m.Restart, exactly(m.Collector))
	}
	if len(s.Admission) > 0 {
		w.line(2, "admission:")
	}
	for _, a := range s.Admission {
		w.admission(a)
	}
}

func (w *yamlWriter) admission(a Admission) {
	switch {
	case a.RateLimiter != nil:
		w.settings("rateLimiter", *a.RateLimiter, "timeoutDuration")
	case a.Bulkhead != nil:
		w.line(3, "- bulkhead: {maxConcurrentCalls: %d}", a.Bulkhead.MaxConcurrentCalls)
	case a.AdaptiveLimit != nil:
		w.used("adaptiveLimit", *a.AdaptiveLimit, adaptive.Defaults(a.AdaptiveLimit.Algorithm))
	default:
		c := a.Priority
		w.line(3, "- priority: {minQueueLength: %d, maxQueueLength: %d, classes: %d, levelsPerClass: %d, calibrationInterval: %s, minimumNumberOfCalls: %d}",
			c.From, c.To, c.Classes, c.LevelsPerClass, c.CalibrationInterval, c.MinimumNumberOfCalls)
	}
}
