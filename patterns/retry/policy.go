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
	prev  time.Duration // latest wait of the schedule; 0: none
}

// NeedsDraw reports whether Next uses its draw.
func (p *Policy) NeedsDraw() bool { return p.backoff.NeedsDraw() }

// Next hears how an attempt ended and answers whether there is another, and after
// which wait. It is called once for each attempt. What it does not know is asked
// by its caller: whether the budget pays, and whether the wait ends before the
// deadline (a wait that would end after it is not begun).
//
// Only failures are retried, and refusals that the settings list. An open breaker
// ends the call, as does an ignored outcome, a caller that gave up or whose own
// deadline has passed, and a hint below 0. A hint above 0 is a floor for the wait,
// clamped to exponentialMaxWaitDuration if the dependency gave it; with a6 jitter
// the wait is exactly the hint. After a hint the schedule starts over.
func (p *Policy) Next(s *State, r patterns.Result, draw float64) (wait time.Duration, again bool) {
	s.Tries++
	if int(s.Tries) >= p.attempts || r.RetryAfter < 0 || !p.retries(r) {
		return 0, false
	}
	s.step++
	wait = p.backoff.Wait(int(s.step), s.prev, draw)
	s.prev = wait
	if r.RetryAfter > 0 {
		wait = p.hinted(wait, r)
		s.step, s.prev = 0, 0
	}
	return wait, true
}

// retries reports whether a call that ended like this may be tried again.
func (p *Policy) retries(r patterns.Result) bool {
	switch r.Reason {
	case patterns.BreakerOpen, patterns.Cancelled, patterns.DeadlineExceeded:
		return false
	case patterns.BulkheadFull:
		return p.retryFull
	case patterns.BulkheadTimeout:
		return p.retryWaited
	}
	return r.Outcome == patterns.Failure
}

// hinted returns the wait after a hint. A refusal's hint is our own pattern's
// word and stands as it is.
func (p *Policy) hinted(wait time.Duration, r patterns.Result) time.Duration {
	switch {
	case r.Reason.Refusal():
		return max(wait, r.RetryAfter)
	case p.exactHint:
		return r.RetryAfter
	case p.maxWait > 0:
		return max(wait, min(r.RetryAfter, p.maxWait))
	}
	return max(wait, r.RetryAfter)
}
