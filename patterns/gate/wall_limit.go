package gate

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
)

// Limit admits as many requests at one time as an adaptive limit allows. Make it
// with NewLimit.
type Limit struct {
	clock
	settings *adaptive.Settings
	mu       sync.Mutex
	core     adaptive.Limiter
}

// NewLimit makes a stage of an adaptive limit's settings.
func NewLimit(s *adaptive.Settings) *Limit {
	return &Limit{clock: newClock(), settings: s, core: adaptive.New(s)}
}

// Enter admits at once or refuses with LimitReached. What the request's end says
// about the load is adaptive.SignalOf its result.
func (l *Limit) Enter(_ context.Context, q Request) (func(patterns.Result), error) {
	share := l.settings.Partition(q.Partition)
	l.mu.Lock()
	permit, v := l.core.AcquireIn(l.now(), share)
	l.mu.Unlock()
	if !v.OK {
		return nil, refusal(patterns.LimitReached, 0)
	}
	return func(r patterns.Result) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.core.Report(l.now(), permit, adaptive.SignalOf(r), rand.Float64())
	}, nil
}

// Snapshot returns the limit's figures now.
func (l *Limit) Snapshot() adaptive.Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.core.Snapshot(l.now())
}
