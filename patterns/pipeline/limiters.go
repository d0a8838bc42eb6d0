package pipeline

import (
	"fmt"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/throttle"
)

func (p *Plan) addLimiter(pol Policy) error {
	switch {
	case pol.RateLimiter != nil:
		s, err := ratelimit.Compile(*pol.RateLimiter)
		if err != nil {
			return fmt.Errorf("rateLimiter: %w", err)
		}
		p.stages = append(p.stages, stage{kind: kindRate, state: len(p.rates)})
		p.rates = append(p.rates, s)
	case pol.AdaptiveLimit != nil:
		s, err := adaptive.Compile(*pol.AdaptiveLimit)
		if err != nil {
			return fmt.Errorf("adaptiveLimit: %w", err)
		}
		p.stages = append(p.stages, stage{kind: kindLimit, state: len(p.limits), drawUsed: s.NeedsDraw()})
		p.limits = append(p.limits, s)
	default:
		s, err := throttle.Compile(*pol.Throttle)
		if err != nil {
			return fmt.Errorf("throttle: %w", err)
		}
		p.stages = append(p.stages, stage{kind: kindThrottle, state: len(p.throttles)})
		p.throttles = append(p.throttles, s)
	}
	return nil
}

func (f *Fleet) rate(i int32, s *stage) *ratelimit.Limiter {
	return &f.rates[int(i)*len(f.plan.rates)+s.state]
}

func (f *Fleet) limit(i int32, s *stage) *adaptive.Limiter {
	return &f.limits[int(i)*len(f.plan.limits)+s.state]
}

func (f *Fleet) throttle(i int32, s *stage) *throttle.Throttle {
	return &f.throttles[int(i)*len(f.plan.throttles)+s.state]
}

// RateLimiters returns the rate limiters of pipeline i, outermost first. They
// belong to the fleet, as all states do.
func (f *Fleet) RateLimiters(i int) []ratelimit.Limiter {
	k := len(f.plan.rates)
	return f.rates[i*k : (i+1)*k]
}

// AdaptiveLimits returns the adaptive limits of pipeline i, outermost first.
func (f *Fleet) AdaptiveLimits(i int) []adaptive.Limiter {
	k := len(f.plan.limits)
	return f.limits[i*k : (i+1)*k]
}

// Throttles returns the throttles of pipeline i, outermost first.
func (f *Fleet) Throttles(i int) []throttle.Throttle {
	k := len(f.plan.throttles)
	return f.throttles[i*k : (i+1)*k]
}

// enterRate takes one permit of the rate limiter at c.at, now or after a wait that
// ends before the deadline (D7).
func (c *Call) enterRate(e *Env, s *stage, fr *frame) (pause bool) {
	l := c.fleet.rate(c.instance, s)
	c.fleet.locks.lock(c.instance, c.at)
	place, v := l.Reserve(e.Now, 1, l.MaxWait())
	if v.OK && place.At > e.Now && place.At >= fr.due {
		v.OK, v.RetryAfter = false, place.At.Sub(e.Now)
		l.Cancel(e.Now, &place)
	}
	c.fleet.locks.unlock(c.instance, c.at)
	fr.place = place
	switch {
	case !v.OK:
		c.refuse(e, patterns.RateLimited, v.RetryAfter)
		return false
	case place.At <= e.Now:
		c.admitted()
		return false
	}
	c.state, c.depth, c.until = limited, c.at, place.At
	return true
}

// leaveRate gives back the permit that the call waits for at c.at.
func (c *Call) leaveRate(e *Env) {
	s := &c.fleet.plan.stages[c.at]
	c.fleet.locks.lock(c.instance, c.at)
	c.fleet.rate(c.instance, s).Cancel(e.Now, &c.frames[c.at].place)
	c.fleet.locks.unlock(c.instance, c.at)
}

func (c *Call) enterLimit(e *Env, s *stage, fr *frame) bool {
	c.fleet.locks.lock(c.instance, c.at)
	permit, v := c.fleet.limit(c.instance, s).Acquire(e.Now)
	c.fleet.locks.unlock(c.instance, c.at)
	if !v.OK {
		c.refuse(e, patterns.LimitReached, 0)
		return false
	}
	fr.entry = permit
	return true
}

func (c *Call) leaveLimit(e *Env, s *stage, i int8, r patterns.Result) {
	l := c.fleet.limit(c.instance, s)
	c.fleet.locks.lock(c.instance, i)
	draw := 0.0
	if s.drawUsed {
		draw = e.Dice.Draw(DrawProbe, int(i), uint64(l.Draws()))
	}
	l.Report(e.Now, c.frames[i].entry, adaptive.SignalOf(r), draw)
	c.fleet.locks.unlock(c.instance, i)
}

func (c *Call) enterThrottle(e *Env, s *stage) bool {
	whole := c.whole()
	whole.asks++
	draw := e.Dice.Draw(DrawThrottle, int(c.at), uint64(whole.asks))
	c.fleet.locks.lock(c.instance, c.at)
	v := c.fleet.throttle(c.instance, s).Acquire(e.Now, draw)
	c.fleet.locks.unlock(c.instance, c.at)
	if !v.OK {
		c.refuse(e, patterns.Throttled, v.RetryAfter)
	}
	return v.OK
}

func (c *Call) leaveThrottle(e *Env, s *stage, i int8, o patterns.Outcome) {
	c.fleet.locks.lock(c.instance, i)
	c.fleet.throttle(c.instance, s).Report(e.Now, o)
	c.fleet.locks.unlock(c.instance, i)
}
