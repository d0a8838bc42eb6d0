package priority

import (
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Shedder decides by levels which calls are shed. It is not safe for concurrent
// use: a driver with goroutines holds a lock around each method. A copy shares its
// memory with the original: keep one.
type Shedder struct {
	settings *Settings
	seen     patterns.Instant // greatest instant handed in
	running  int64            // number of the running interval
	share    float64
	ended    counts // the interval before
	now      counts // the running one
	bounds   []bound
	admitted int64
	shed     int64
}

// counts are the calls of one interval.
type counts struct {
	byLevel []uint32
	total   int64
}

// bound is where a class is cut: levels below are shed, the level itself if the
// draw is below part.
type bound struct {
	level int32 // within the class
	part  float64
}

// Verdict is the answer to a call that asks.
type Verdict struct {
	OK bool
	// Reason is patterns.Shed if the call is shed.
	Reason patterns.Reason
	// RetryAfter is the time until the thresholds are set anew: before that a call
	// of the same level is hardly better off.
	RetryAfter time.Duration
}

// New returns a shedder that has seen no call and sheds none.
func New(s *Settings) Shedder {
	n := s.classes * s.levels
	slab := make([]uint32, 2*n)
	return Shedder{
		settings: s, bounds: make([]bound, s.classes),
		ended: counts{byLevel: slab[:n:n]}, now: counts{byLevel: slab[n:]},
	}
}

// Want sets the share of calls to be shed, from 0 to 1; below and above the
// nearest counts, and what is no number as 0. The thresholds follow at once.
func (s *Shedder) Want(now patterns.Instant, share float64) {
	s.roll(now)
	if !(share > 0) {
		share = 0
	}
	if share = min(share, 1); share != s.share {
		s.share = share
		s.calibrate()
	}
}

// Acquire asks whether a call of the class may pass. The draw in [0,1) gives the
// call its level within the class, which is returned to be carried along. A class
// outside 0 to classes-1 counts as the nearest. O(1), except at the end of an
// interval.
func (s *Shedder) Acquire(now patterns.Instant, class int, draw float64) (level int, v Verdict) {
	x := float64(draw * float64(s.settings.levels))
	within := min(int(x), s.settings.levels-1)
	// What is left of the draw below a whole level is as even as the draw.
	level = s.clampClass(class)*s.settings.levels + within
	return level, s.AcquireLevel(now, level, x-float64(within))
}

// AcquireLevel asks for a call that has its level already, from 0 to
// classes x levelsPerClass - 1; outside, the nearest counts. The draw in [0,1)
// decides if the level is the one on the boundary.
func (s *Shedder) AcquireLevel(now patterns.Instant, level int, draw float64) Verdict {
	now = s.roll(now)
	level = max(0, min(level, len(s.now.byLevel)-1))
	if s.now.byLevel[level] < math.MaxUint32 {
		s.now.byLevel[level]++
		s.now.total++
	}
	b := s.bounds[level/s.settings.levels]
	within := int32(level % s.settings.levels)
	if within < b.level || within == b.level && draw < b.part {
		s.shed++
		next := patterns.Instant((s.running + 1) * s.settings.interval)
		return Verdict{Reason: patterns.Shed, RetryAfter: next.Sub(now)}
	}
	s.admitted++
	return Verdict{OK: true}
}

// Threshold returns the lowest level of a class of which calls are admitted, for
// all or some draws; the number of levels per class if none is.
func (s *Shedder) Threshold(now patterns.Instant, class int) int {
	s.roll(now)
	return int(s.bounds[s.clampClass(class)].level)
}

// Snapshot is what a shedder shows.
type Snapshot struct {
	// Share that is to be shed.
	Share float64
	// Ended and Running are the calls of the last whole and of the running interval.
	Ended, Running int64
	// Admitted and Shed calls in all.
	Admitted, Shed int64
}

// Snapshot returns the state at the given instant.
func (s *Shedder) Snapshot(now patterns.Instant) Snapshot {
	s.roll(now)
	return Snapshot{Share: s.share, Ended: s.ended.total, Running: s.now.total, Admitted: s.admitted, Shed: s.shed}
}

func (s *Shedder) clampClass(class int) int { return max(0, min(class, s.settings.classes-1)) }

// QueueShare returns the share to shed for a queue of the given length, as
// failsafe-go has it: none up to least, all from most on, in proportion between.
func QueueShare(waiting, least, most int) float64 {
	switch {
	case waiting <= least:
		return 0
	case waiting >= most:
		return 1
	}
	return float64(waiting-least) / float64(most-least)
}
