package retry

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// State is how far the retries of one call are. The zero State is a fresh call.
type State struct {
	// Tries is the number of attempts that have ended.
	Tries int32
	step  int32         // waits since the schedule (re)started
	prev  time.Duration // what the schedule remembers of them
	// NonIdempotent says of this call what Config.NonIdempotent says of all. It is
	// set before the first Next.
	NonIdempotent bool
}

// NeedsDraw reports whether Next uses its draw.
func (p *Policy) NeedsDraw() bool { return p.backoff.NeedsDraw() }

// Next hears how an attempt ended and answers whether there is another, and after
// which wait. It is called once for each attempt. What it does not know is asked
// by its caller: whether the budget pays, and whether the wait ends before the
// deadline (a wait that would end after it is not begun).
//
// Only failures that the settings name are retried, and refusals that they list. An
// open breaker ends the call, as does an ignored outcome, a caller that gave up or
// whose own deadline has passed, and a hint below 0. So does a failure of a call that
// is not idempotent, if it may have been carried out. A hint above 0 is a floor for
// the wait; if the dependency gave it and it is above exponentialMaxWaitDuration,
// serverHints decides. With a6 jitter the wait is exactly the hint. After a hint the
// schedule starts over. A refusal at the dependency's door has a schedule with a
// base of its own, rejectedWaitDuration.
func (p *Policy) Next(s *State, r patterns.Result, draw float64) (wait time.Duration, again bool) {
	s.Tries++
	if int(s.Tries) >= p.attempts || r.RetryAfter < 0 || !p.retries(s, r) {
		return 0, false
	}
	schedule := &p.backoff
	if r.Reason == patterns.Rejected {
		schedule = &p.rejected
	}
	s.step++
	wait, s.prev = schedule.Step(int(s.step), s.prev, draw)
	if r.RetryAfter > 0 {
		s.step, s.prev = 0, 0
		return p.hinted(wait, r)
	}
	return wait, true
}

// retries reports whether a call that ended like this may be tried again.
func (p *Policy) retries(s *State, r patterns.Result) bool {
	switch r.Reason {
	case patterns.BreakerOpen, patterns.Cancelled, patterns.DeadlineExceeded:
		return false
	}
	if r.Reason.Refusal() {
		return p.refusals&(1<<r.Reason) != 0
	}
	if r.Outcome != patterns.Failure {
		return false
	}
	if r.MayHaveRun() && (p.once || s.NonIdempotent) && !p.ambiguous {
		return false
	}
	why := r.Reason
	switch {
	case why != patterns.Failed && why != patterns.None:
	case r.Ambiguous:
		why = connectionLost
	default:
		why = patterns.Failed
	}
	return p.failures&(1<<why) != 0
}

// hinted returns the wait after a hint. A refusal's hint is our own pattern's
// word and stands as it is.
func (p *Policy) hinted(wait time.Duration, r patterns.Result) (time.Duration, bool) {
	hint := r.RetryAfter
	if r.Reason.Refusal() {
		return max(wait, hint), true
	}
	if p.maxWait > 0 && hint > p.maxWait && p.hints != Obey {
		if p.hints == Stop {
			return 0, false
		}
		hint = p.maxWait
	}
	if p.exactHint {
		return hint, true
	}
	return max(wait, hint), true
}
