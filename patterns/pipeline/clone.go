package pipeline

import (
	"slices"

	"github.com/resilsim/resilsim/patterns/budget"
)

// clone copies policies with their settings, so that neither who gave them nor who
// is given them can change a plan.
func clone(policies []Policy) []Policy {
	all := slices.Clone(policies)
	for i := range all {
		p := &all[i]
		p.Fallback, p.Retry = copied(p.Fallback), copied(p.Retry)
		p.CircuitBreaker, p.Bulkhead, p.Timeout = copied(p.CircuitBreaker), copied(p.Bulkhead), copied(p.Timeout)
		p.Hedge = copied(p.Hedge)
		p.QueuedBulkhead, p.ThreadPoolBulkhead = copied(p.QueuedBulkhead), copied(p.ThreadPoolBulkhead)
		p.RateLimiter, p.AdaptiveLimit, p.Throttle = copied(p.RateLimiter), copied(p.AdaptiveLimit), copied(p.Throttle)
		if a := p.AdaptiveLimit; a != nil {
			a.Window, a.Partitions = copied(a.Window), slices.Clone(a.Partitions)
		}
		if p.Fallback != nil {
			p.Fallback.Steps = slices.Clone(p.Fallback.Steps)
		}
		if p.Retry != nil {
			p.Retry.Budget = copiedBudget(p.Retry.Budget)
			p.Retry.RetryOn, p.Retry.RetryRefusals = slices.Clone(p.Retry.RetryOn), slices.Clone(p.Retry.RetryRefusals)
		}
		if p.Hedge != nil {
			p.Hedge.Budget = copiedBudget(p.Hedge.Budget)
		}
		if b := p.CircuitBreaker; b != nil {
			b.MaxWaitDurationInHalfOpenState = copied(b.MaxWaitDurationInHalfOpenState)
		}
	}
	return all
}

func copiedBudget(b *budget.Config) *budget.Config {
	if b = copied(b); b != nil {
		b.Initial = copied(b.Initial)
	}
	return b
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
