package throttle

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/window"
)

// Throttle is one client's account with one dependency. It is not safe for
// concurrent use: a driver with goroutines holds a lock around each method. A
// copy shares the window's memory with the original: keep one.
type Throttle struct {
	settings *Settings
	calls    window.Window // failed: not accepted; slow: refused here
	inFlight int64
	admitted int64
	rejected int64
}

// Verdict is the answer to a call that asks.
type Verdict struct {
	OK bool
	// Reason is patterns.Throttled if the call is refused.
	Reason patterns.Reason
	// RetryAfter is always 0: when the server will have recovered nobody knows.
	RetryAfter time.Duration
}

// New returns a throttle that has seen no call, with memory of its own.
func New(s *Settings) Throttle {
	return Throttle{settings: s, calls: s.shape.In(make([]uint64, s.shape.Cells()))}
}

// NewFleet returns n throttles whose windows lie in one slab.
func NewFleet(s *Settings, n int) []Throttle {
	cells := s.shape.Cells()
	slab := make([]uint64, n*cells)
	fleet := make([]Throttle, n)
	for i := range fleet {
		fleet[i] = Throttle{settings: s, calls: s.shape.In(slab[i*cells : (i+1)*cells])}
	}
	return fleet
}

// Acquire asks whether a call may be sent. If the verdict is OK, Report must hear
// of the call exactly once. The draw in [0,1) decides when the probability is
// neither 0 nor 1: the call is refused if it is below it. O(1), except that it
// first clears the buckets that have left the window.
func (t *Throttle) Acquire(now patterns.Instant, draw float64) Verdict {
	c := t.calls.Read(now)
	if draw < t.settings.Probability(c.Total, c.Succeeded()) {
		t.rejected++
		if t.settings.all {
			t.calls.Add(now, true, true)
		}
		return Verdict{Reason: patterns.Throttled}
	}
	t.admitted++
	t.inFlight++
	return Verdict{OK: true}
}

// Report hears how a call ended: a success was accepted, a failure was not, and
// anything else does not count. It reports false, and changes nothing, if no call
// is under way: more results than calls are noticed, but not whose they are.
func (t *Throttle) Report(now patterns.Instant, o patterns.Outcome) bool {
	if t.inFlight == 0 {
		return false
	}
	t.inFlight--
	if o == patterns.Success || o == patterns.Failure {
		t.calls.Add(now, o == patterns.Failure, false)
	}
	return true
}

// Snapshot is what a throttle shows.
type Snapshot struct {
	// Requests, and the Accepts and local rejections (Refused) among them, of
	// the window. Refused is 0 where only sent calls count.
	Requests, Accepts, Refused int64
	// Probability with which the next call is refused.
	Probability float64
	// InFlight calls have not reported; Admitted and Rejected calls in all.
	InFlight, Admitted, Rejected int64
}

// Snapshot returns the state at the given instant, after expiring what is too old.
func (t *Throttle) Snapshot(now patterns.Instant) Snapshot {
	c := t.calls.Read(now)
	return Snapshot{
		Requests: c.Total, Accepts: c.Succeeded(), Refused: c.SlowFailed,
		Probability: t.settings.Probability(c.Total, c.Succeeded()),
		InFlight:    t.inFlight, Admitted: t.admitted, Rejected: t.rejected,
	}
}
