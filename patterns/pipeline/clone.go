package pipeline

import "slices"

// clone copies policies with their settings, so that neither who gave them nor who
// is given them can change a plan.
func clone(policies []Policy) []Policy {
	all := slices.Clone(policies)
	for i := range all {
		p := &all[i]
		p.Fallback, p.Retry = copied(p.Fallback), copied(p.Retry)
		p.CircuitBreaker, p.Bulkhead, p.Timeout = copied(p.CircuitBreaker), copied(p.Bulkhead), copied(p.Timeout)
		p.RateLimiter, p.AdaptiveLimit, p.Throttle = copied(p.RateLimiter), copied(p.AdaptiveLimit), copied(p.Throttle)
		if a := p.AdaptiveLimit; a != nil {
			a.Window, a.Partitions = copied(a.Window), slices.Clone(a.Partitions)
		}
		if p.Fallback != nil {
			p.Fallback.Steps = slices.Clone(p.Fallback.Steps)
		}
		if p.Retry != nil {
			if p.Retry.Budget = copied(p.Retry.Budget); p.Retry.Budget != nil {
				p.Retry.Budget.Initial = copied(p.Retry.Budget.Initial)
			}
			p.Retry.RetryOn, p.Retry.RetryRefusals = slices.Clone(p.Retry.RetryOn), slices.Clone(p.Retry.RetryRefusals)
		}
		if b := p.CircuitBreaker; b != nil {
			b.MaxWaitDurationInHalfOpenState = copied(b.MaxWaitDurationInHalfOpenState)
		}
	}
	return all
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
