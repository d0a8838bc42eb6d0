package pipeline

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/throttle"
)

// RateLimiter is a handle on one rate limiter of a pipeline in use.
type RateLimiter struct {
	p     *Pipeline
	stage int8
}

// RateLimiters returns the pipeline's rate limiters, outermost first.
func (p *Pipeline) RateLimiters() []RateLimiter {
	var all []RateLimiter
	for _, i := range p.stages(kindRate) {
		all = append(all, RateLimiter{p, i})
	}
	return all
}

// RateLimiter returns the rate limiter of the policy with that name. Without one ok
// is false, and the handle must not be used.
func (p *Pipeline) RateLimiter(name string) (l RateLimiter, ok bool) {
	i, ok := p.named(name, kindRate)
	return RateLimiter{p, i}, ok
}

// Name returns the name of the rate limiter's policy.
func (l RateLimiter) Name() string { return l.p.name(l.stage) }

// RateLimiterSnapshot is what a rate limiter shows now.
type RateLimiterSnapshot struct {
	// Name is that of the policy.
	Name string
	// FreeIn is how long it is until the next permit is there; 0: it is there.
	FreeIn time.Duration
	// Snapshot has all counters. Its Free is FreeIn as an instant since the pipeline was made.
	ratelimit.Snapshot
}

// Snapshot returns the rate limiter's permits and counters now.
func (l RateLimiter) Snapshot() RateLimiterSnapshot {
	s := RateLimiterSnapshot{Name: l.Name()}
	l.with(func(core *ratelimit.Limiter, now patterns.Instant) {
		s.Snapshot = core.Snapshot(now)
		s.FreeIn = max(s.Free.Sub(now), 0)
	})
	return s
}

// Change gives the rate limiter other settings, while it is in use; the error tells
// every fault of them, and then nothing has changed. Whoever waits for a permit keeps
// their instant; see ratelimit.Limiter.Change for what becomes of the permits that
// are there. A tape does not hold it.
func (l RateLimiter) Change(c ratelimit.Config) error {
	s, err := ratelimit.Compile(c)
	if err != nil {
		return err
	}
	l.with(func(core *ratelimit.Limiter, now patterns.Instant) { core.Change(now, s) })
	return nil
}

// Drain takes all permits that are there now and returns how many, as when the
// dependency says that the limit is reached. A tape does not hold it.
func (l RateLimiter) Drain() (permits int64) {
	l.with(func(core *ratelimit.Limiter, now patterns.Instant) { permits = core.Drain(now) })
	return permits
}

func (l RateLimiter) with(f func(*ratelimit.Limiter, patterns.Instant)) {
	l.p.locked(l.stage, func(s *stage) { f(l.p.fleet.rate(0, s), l.p.now()) })
}

// AdaptiveLimitSnapshot is what an adaptive limit shows now.
type AdaptiveLimitSnapshot struct {
	// Name is that of the policy.
	Name string
	adaptive.Snapshot
}

// AdaptiveLimits returns the state of the pipeline's adaptive limits, outermost first.
func (p *Pipeline) AdaptiveLimits() []AdaptiveLimitSnapshot {
	var all []AdaptiveLimitSnapshot
	for _, i := range p.stages(kindLimit) {
		all = append(all, p.adaptiveLimit(i))
	}
	return all
}

// AdaptiveLimit returns the state of the adaptive limit of the policy with that name.
func (p *Pipeline) AdaptiveLimit(name string) (l AdaptiveLimitSnapshot, ok bool) {
	i, ok := p.named(name, kindLimit)
	if !ok {
		return l, false
	}
	return p.adaptiveLimit(i), true
}

func (p *Pipeline) adaptiveLimit(i int8) (l AdaptiveLimitSnapshot) {
	p.locked(i, func(s *stage) { l = AdaptiveLimitSnapshot{p.name(i), p.fleet.limit(0, s).Snapshot(p.now())} })
	return l
}

// ThrottleSnapshot is what a throttle shows now.
type ThrottleSnapshot struct {
	// Name is that of the policy.
	Name string
	throttle.Snapshot
}

// Throttles returns the state of the pipeline's throttles, outermost first.
func (p *Pipeline) Throttles() []ThrottleSnapshot {
	var all []ThrottleSnapshot
	for _, i := range p.stages(kindThrottle) {
		all = append(all, p.throttle(i))
	}
	return all
}

// Throttle returns the state of the throttle of the policy with that name.
func (p *Pipeline) Throttle(name string) (t ThrottleSnapshot, ok bool) {
	i, ok := p.named(name, kindThrottle)
	if !ok {
		return t, false
	}
	return p.throttle(i), true
}

func (p *Pipeline) throttle(i int8) (t ThrottleSnapshot) {
	p.locked(i, func(s *stage) { t = ThrottleSnapshot{p.name(i), p.fleet.throttle(0, s).Snapshot(p.now())} })
	return t
}
