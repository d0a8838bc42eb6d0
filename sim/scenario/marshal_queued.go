package scenario

import "github.com/resilsim/resilsim/patterns/bulkhead"

func (w *yamlWriter) queued(p Policy) {
	switch {
	case p.QueuedBulkhead != nil:
		c := *p.QueuedBulkhead
		w.settings("bulkhead", c.Config, "")
		if c.Order == bulkhead.AdaptiveLIFO {
			w.line(5, "interval: %s", c.Interval)
			w.line(5, "target: %s", c.Target)
		}
		if c.Order == bulkhead.Priority {
			w.line(5, "levels: %d", c.Levels)
		}
		w.line(5, "minRemainingDuration: %s", c.MinRemainingDuration)
	case p.ThreadPoolBulkhead != nil:
		w.settings("threadPoolBulkhead", *p.ThreadPoolBulkhead, "")
	default:
		c := *p.Hedge
		w.line(3, "- hedge:")
		w.line(5, "maxHedges: %d", c.MaxHedges)
		w.line(5, "delay: %s", c.Delay)
		if c.DelayPercentile > 0 {
			w.line(5, "delayPercentile: %s%%", c.DelayPercentile)
			w.line(5, "windowSize: %d", c.WindowSize)
			w.line(5, "minimumNumberOfCalls: %d", c.MinimumNumberOfCalls)
		}
		w.line(5, "hedgeOnFailure: %t", c.HedgeOnFailure)
		if c.Budget != nil {
			w.line(5, "budget: %s", budgetPairs(*c.Budget))
		}
	}
}
