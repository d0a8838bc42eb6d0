package world

import "github.com/resilsim/resilsim/sim/scenario"

// abilities checks the settings that only some services have.
func (c *checker) abilities(where string, s *scenario.Service) {
	q := &s.Queue
	strange := q.Discipline == scenario.Random || q.Discipline == scenario.PreemptivePriority || s.Asynchronous || q.Limit == 0
	c.need(!q.Looks() || !strange, where, "a queue in a plain order, with room, to look at requests")
	c.need(s.Cores >= 0 && s.Scalability.Contention >= 0 && s.Scalability.Coherence >= 0, where, "cores and coefficients of 0 or more")
	if m := s.Memory; m != nil {
		c.need(m.PerRequest > 0 && m.Collector >= 0 && m.Limit-m.Base >= m.PerRequest, where, "memory for at least one request")
	}
	for _, a := range s.Admission {
		c.need(a.Bulkhead == nil || a.Bulkhead.MaxWaitDuration == 0, where, "admission at which nobody waits")
	}
}

// breakdowns checks the times of a fault that is one.
func (c *checker) breakdowns(where string, f *scenario.Fault) {
	b := &f.Breakdowns
	c.need(f.Kind != scenario.RandomDown || (b.MeanUp > 0 && b.MeanDown > 0), where, "mean times to failure and repair above 0")
}
