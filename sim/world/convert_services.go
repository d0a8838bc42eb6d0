package world

import (
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// queueOf adds what only some queues do.
func queueOf(out *models.ServiceConfig, q *scenario.Queue) {
	out.Random = q.Discipline == scenario.Random
	out.Preempt = q.Discipline == scenario.PreemptivePriority
	out.CoDel, out.Deadlines = q.CoDel, q.Deadlines
	if !q.Looks() {
		return
	}
	out.LIFO = false // the guard sees to it
	c := bulkhead.QueueConfig{MinRemainingDuration: patterns.Duration(q.MinRemaining)}
	c.MaxWaitDuration = models.EndlessWait
	if q.MaxWait > 0 {
		c.MaxWaitDuration = patterns.Duration(q.MaxWait)
	}
	switch q.Discipline {
	case scenario.LIFO:
		c.Order = bulkhead.LIFO
	case scenario.AdaptiveLIFO:
		c.Order, c.Interval, c.Target = bulkhead.AdaptiveLIFO, patterns.Duration(q.Interval), patterns.Duration(q.Target)
	case scenario.Priority:
		c.Order, c.Levels = bulkhead.Priority, models.Levels
	default:
		c.Order = bulkhead.FIFO
	}
	out.Guard = &c
}

// abilitiesOf adds how a service works on several requests at one time.
func abilitiesOf(out *models.ServiceConfig, s *scenario.Service) {
	out.Cores, out.Contention, out.Coherence = s.Cores, s.Scalability.Contention, s.Scalability.Coherence
	out.Asynchronous = s.Asynchronous
	if m := s.Memory; m != nil {
		out.Memory = &models.MemoryConfig{Limit: m.Limit, Base: m.Base, PerRequest: m.PerRequest, Restart: m.Restart, Collector: m.Collector}
	}
	for _, a := range s.Admission {
		door := models.Admission{RateLimiter: a.RateLimiter, Bulkhead: a.Bulkhead, AdaptiveLimit: a.AdaptiveLimit}
		if p := a.Priority; p != nil {
			door.Priority = &models.ClassShedding{Config: p.Config, From: p.From, To: p.To}
		}
		out.Admission = append(out.Admission, door)
	}
}
