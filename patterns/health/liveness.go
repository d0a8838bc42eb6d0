package health

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Liveness knows when the loops of one process last came round. It is not safe for
// concurrent use: a driver with goroutines holds a lock around each method.
type Liveness struct {
	settings *LivenessSettings
	loops    []loop
	seen     patterns.Instant // greatest instant heard of (D9)
}

type loop struct {
	atWork bool
	beat   patterns.Instant
	missed int
}

// NewLiveness returns a liveness of n loops, numbered from 0, all at rest.
func NewLiveness(s *LivenessSettings, n int) *Liveness {
	return &Liveness{settings: s, loops: make([]loop, n)}
}

// Beat tells that a loop has come round and is at work. It reports false for a loop
// that there is not.
func (l *Liveness) Beat(now patterns.Instant, i int) bool { return l.hear(now, i, true) }

// Rest tells that a loop waits for work, for however long: until its next beat it
// cannot be stuck. It reports false for a loop that there is not.
func (l *Liveness) Rest(now patterns.Instant, i int) bool { return l.hear(now, i, false) }

func (l *Liveness) hear(now patterns.Instant, i int, atWork bool) bool {
	l.seen = max(l.seen, now)
	if i < 0 || i >= len(l.loops) {
		return false
	}
	l.loops[i] = loop{atWork: atWork, beat: l.seen}
	return true
}

// Check is what a probe asks: is no loop stuck? Each check counts; see the package
// comment. O(loops).
func (l *Liveness) Check(now patterns.Instant) bool {
	l.seen = max(l.seen, now)
	for i := range l.loops {
		if p := &l.loops[i]; p.atWork && l.seen.Sub(p.beat) >= l.settings.config.HeartbeatTimeout.Std() {
			p.missed = min(p.missed+1, l.settings.config.MissedChecks)
		}
	}
	_, stuck := l.Stuck()
	return !stuck
}

// Stuck returns the lowest loop that was stuck at the last check, and whether there is one.
func (l *Liveness) Stuck() (i int, stuck bool) {
	for i := range l.loops {
		if l.loops[i].missed >= l.settings.config.MissedChecks {
			return i, true
		}
	}
	return -1, false
}

// Age returns how long ago a loop at work last beat; false if it rests or there is
// no such loop.
func (l *Liveness) Age(now patterns.Instant, i int) (time.Duration, bool) {
	if i < 0 || i >= len(l.loops) || !l.loops[i].atWork {
		return 0, false
	}
	return max(now, l.seen).Sub(l.loops[i].beat), true
}
