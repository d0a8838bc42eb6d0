package registry

import (
	"fmt"
	"io"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/throttle"
)

// ThrottleSnapshot is what a throttle shows.
type ThrottleSnapshot struct {
	// Requests, and the Accepts and local refusals among them, of the window.
	Requests int64 `json:"requests"`
	Accepts  int64 `json:"accepts"`
	Refused  int64 `json:"refused"`
	// RejectionProbability with which the next call is refused, in percent.
	RejectionProbability float64 `json:"rejectionProbability"`
	CallsInFlight        int64   `json:"callsInFlight"`
	// GrantedCalls and RejectedCalls in all.
	GrantedCalls  int64 `json:"grantedCalls"`
	RejectedCalls int64 `json:"rejectedCalls"`
}

// RateLimiterSnapshot is what a rate limiter shows; the calls are counted in all.
type RateLimiterSnapshot struct {
	// AvailablePermissions now; below 0: so many are reserved ahead.
	AvailablePermissions int64 `json:"availablePermissions"`
	// WaitToPermission is how long it is until the next permit is there.
	WaitToPermission patterns.Duration `json:"waitToPermission"`
	GrantedCalls     int64             `json:"grantedCalls"`
	// WaitedCalls of the granted had to wait, CancelledCalls of them gave up.
	WaitedCalls    int64 `json:"waitedCalls"`
	CancelledCalls int64 `json:"cancelledCalls"`
	RejectedCalls  int64 `json:"rejectedCalls"`
	// DrainedPermissions were taken at once, as when an answer says that the limit is reached.
	DrainedPermissions int64 `json:"drainedPermissions"`
}

// AdaptiveLimitSnapshot is what an adaptive limit shows; the calls are counted in all.
type AdaptiveLimitSnapshot struct {
	Limit int `json:"limit"`
	InUse int `json:"inUse"`
	// BaseRTT is the round trip that counts as unloaded; 0s: not known, or not used.
	BaseRTT patterns.Duration `json:"baseRtt"`
	// Measuring: the limit is pinned while the least round trip is measured.
	Measuring     bool  `json:"measuring"`
	GrantedCalls  int64 `json:"grantedCalls"`
	RejectedCalls int64 `json:"rejectedCalls"`
	// AnsweredCalls were round trips, DroppedCalls signs of overload.
	AnsweredCalls int64 `json:"answeredCalls"`
	DroppedCalls  int64 `json:"droppedCalls"`
}

func throttleOf(s throttle.Snapshot) *ThrottleSnapshot {
	return &ThrottleSnapshot{
		Requests: s.Requests, Accepts: s.Accepts, Refused: s.Refused, RejectionProbability: s.Probability * 100,
		CallsInFlight: s.InFlight, GrantedCalls: s.Admitted, RejectedCalls: s.Rejected,
	}
}

func rateLimiterOf(s pipeline.RateLimiterSnapshot) *RateLimiterSnapshot {
	return &RateLimiterSnapshot{
		AvailablePermissions: s.Permits, WaitToPermission: patterns.Duration(s.FreeIn), GrantedCalls: s.Granted, WaitedCalls: s.Waited,
		CancelledCalls: s.Cancelled, RejectedCalls: s.Rejected, DrainedPermissions: s.Drained,
	}
}

func adaptiveLimitOf(s adaptive.Snapshot) *AdaptiveLimitSnapshot {
	return &AdaptiveLimitSnapshot{
		Limit: s.Limit, InUse: s.InFlight, BaseRTT: patterns.Duration(s.Base), Measuring: s.Measuring,
		GrantedCalls: s.Granted, RejectedCalls: s.Refused, AnsweredCalls: s.Answered, DroppedCalls: s.Dropped,
	}
}

func (in InstanceSnapshot) writeLimiters(w io.Writer) {
	if t := in.Throttle; t != nil {
		fmt.Fprintf(w, "  throttle\trefuses %s\taccepted %d of %d\trejected %d\tin flight %d\n",
			rate(t.RejectionProbability), t.Accepts, t.Requests, t.RejectedCalls, t.CallsInFlight)
	}
	if l := in.RateLimiter; l != nil {
		fmt.Fprintf(w, "  rateLimiter\t%d permits\tnext in %s\twaited %d\trejected %d\n",
			l.AvailablePermissions, l.WaitToPermission, l.WaitedCalls, l.RejectedCalls)
	}
	if l := in.AdaptiveLimit; l != nil {
		fmt.Fprintf(w, "  adaptiveLimit\t%d of %d in use\tbase %s\trejected %d\tdropped %d\n",
			l.InUse, l.Limit, l.BaseRTT, l.RejectedCalls, l.DroppedCalls)
	}
}
