package registry

import (
	"slices"
	"time"

	"github.com/resilsim/resilsim/patterns/pipeline"
)

// Snapshot returns the state of every instance now. The parts are read one after
// the other while calls go on: they are not of one instant.
func (r *Registry) Snapshot() Snapshot {
	s := Snapshot{At: time.Now(), Panics: r.panics.Load()}
	for _, name := range r.names {
		s.Instances = append(s.Instances, r.shown(r.instances[name]))
	}
	return s
}

func (r *Registry) shown(h *held) InstanceSnapshot {
	s := InstanceSnapshot{Name: h.name, SharedWith: h.sharedWith, SharedBy: slices.Clone(h.sharedBy)}
	if h.sharedWith != "" {
		return s
	}
	s.Policies = keysOf(h.policies)
	if b, ok := h.pipeline.Breaker(breakerKey); ok {
		s.CircuitBreaker = breakerOf(b.Snapshot(), *h.policy(breakerKey).CircuitBreaker)
		s.CircuitBreaker.ClosesAt = r.closesAt(h)
	}
	if t, ok := h.pipeline.Throttle("throttle"); ok {
		s.Throttle = throttleOf(t.Snapshot)
	}
	if l, ok := h.pipeline.RateLimiter("rateLimiter"); ok {
		s.RateLimiter = rateLimiterOf(l.Snapshot())
	}
	if l, ok := h.pipeline.AdaptiveLimit("adaptiveLimit"); ok {
		s.AdaptiveLimit = adaptiveLimitOf(l.Snapshot)
	}
	if g, ok := h.pipeline.Hedge("hedge"); ok {
		s.Hedge = hedgeOf(g)
	}
	s.Bulkhead, s.QueuedBulkhead, s.ThreadPoolBulkhead = h.slots("bulkhead"), h.slots("queuedBulkhead"), h.slots("threadPoolBulkhead")
	if b, ok := h.pipeline.Budget("retry"); ok {
		s.RetryBudget = &BudgetSnapshot{b.Balance}
	}
	return s
}

// slots shows the bulkhead of the given kind; nil: there is none.
func (h *held) slots(key string) *BulkheadSnapshot {
	b, ok := h.pipeline.Bulkhead(key)
	if !ok {
		return nil
	}
	return bulkheadOf(b.Snapshot)
}

// policy returns the instance's policy of a kind that it has.
func (h *held) policy(key string) pipeline.Policy {
	return h.policies[slices.IndexFunc(h.policies, func(p pipeline.Policy) bool { return p.Name == key })]
}

func (r *Registry) closesAt(h *held) *time.Time {
	r.listing.Lock()
	defer r.listing.Unlock()
	c := r.pending[h]
	if c == nil {
		return nil
	}
	at := c.at
	return &at
}
