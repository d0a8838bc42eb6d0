package breaker

import "github.com/resilsim/resilsim/patterns"

// OverdueAt returns the instant at which the call with this permit, if it is still
// running then, counts as slow: a nanosecond more than slowCallDurationThreshold
// after its start, since a slow call is one that took strictly longer.
// patterns.Never: without countRunningSlowCalls, and when it counts already.
func (b *Breaker) OverdueAt(p Permit) patterns.Instant {
	if !b.settings.running || p.Generation == 0 || p.overdue {
		return patterns.Never
	}
	return p.Start.Add(b.settings.slowAfter).Add(1)
}

// Overdue reports that the call with this permit is still running. From OverdueAt
// on it is counted as slow at once, which may open the breaker, and marked in the
// permit: Report with the marked permit takes it out again and records what it
// became, so that each call counts once. It answers whether the call is counted
// now; a permit of an earlier generation, one that came too early, is marked
// already or is not out is not. The draw is used only if this step opens the
// breaker.
//
// A driver calls it at OverdueAt from the timer of the call. One that does it late,
// or never, only sees slow calls later, when they end.
func (b *Breaker) Overdue(now patterns.Instant, p *Permit, draw float64, log *[]Event) bool {
	now = b.clock(now)
	b.expire(draw, log)
	if now < b.OverdueAt(*p) || p.Generation != b.generation || !b.isOut(*p) || b.overdue == b.inFlight {
		return false
	}
	switch b.state {
	case Closed, MetricsOnly:
		p.overdue = true
		b.overdue++
		b.judgeCalls(now, draw, log)
	case HalfOpen:
		p.overdue = true
		b.overdue++
		b.judgeTrials(now, draw, log)
	}
	return p.overdue
}
