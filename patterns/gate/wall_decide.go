package gate

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/priority"
)

// Decision is one step of a core that answers at once: whether the request may
// pass at this instant, and after which time to ask again (0: not known).
type Decision func(now patterns.Instant, q Request) (ok bool, retryAfter time.Duration)

// Decider stands around any core that answers at once and wants nothing back when
// the request ends. Make it with Decide.
type Decider struct {
	clock
	why    patterns.Reason
	mu     sync.Mutex
	decide Decision
}

// Decide makes a stage of the core that step asks; step runs under the stage's
// mutex. Refusals have the given reason.
func Decide(why patterns.Reason, step Decision) *Decider {
	return &Decider{clock: newClock(), why: why, decide: step}
}

// Enter admits or refuses at once.
func (d *Decider) Enter(_ context.Context, q Request) (func(patterns.Result), error) {
	d.mu.Lock()
	ok, after := d.decide(d.now(), q)
	d.mu.Unlock()
	if !ok {
		return nil, refusal(d.why, after)
	}
	return nil, nil
}

// Levels sheds a share of the requests, those of the lowest classes first. Make
// it with NewLevels.
type Levels struct {
	clock
	share func() float64
	mu    sync.Mutex
	core  priority.Shedder
}

// NewLevels makes a stage of a shedder's settings. share is asked for each
// request which share of them is to be shed, from 0 to 1: for example
// priority.QueueShare of a Slots' queue. Nil: what Want said last.
func NewLevels(s *priority.Settings, share func() float64) *Levels {
	return &Levels{clock: newClock(), share: share, core: priority.New(s)}
}

// Enter admits at once or refuses with Shed and the time until the thresholds
// are set anew.
func (l *Levels) Enter(_ context.Context, q Request) (func(patterns.Result), error) {
	want := 0.0
	if l.share != nil {
		want = l.share() // may look at other stages: not under the mutex
	}
	l.mu.Lock()
	now := l.now()
	if l.share != nil {
		l.core.Want(now, want)
	}
	_, v := l.core.Acquire(now, q.Class, rand.Float64())
	l.mu.Unlock()
	if !v.OK {
		return nil, refusal(v.Reason, v.RetryAfter)
	}
	return nil, nil
}

// Want sets the share of requests to be shed, from 0 to 1.
func (l *Levels) Want(share float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.core.Want(l.now(), share)
}

// Snapshot returns the shedder's figures now.
func (l *Levels) Snapshot() priority.Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.core.Snapshot(l.now())
}
