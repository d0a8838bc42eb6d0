package gate

import (
	"context"
	"sync"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/ratelimit"
)

// Rate admits requests at a bounded rate; they wait for their permits as long as
// its settings allow. A permit is used up even if a stage further in refuses. Make
// it with NewRate or NewKeyedRate.
type Rate struct {
	clock
	mu   sync.Mutex
	core permits
}

// permits are those of one limiter or of one for each key.
type permits interface {
	Reserve(now patterns.Instant, key string, n int, maxWait time.Duration) (ratelimit.Reservation, ratelimit.Verdict)
	Cancel(now patterns.Instant, key string, r *ratelimit.Reservation) int64
	MaxWait() time.Duration
}

// NewRate makes a stage of a rate limiter's settings, for all requests together.
func NewRate(s *ratelimit.Settings) *Rate {
	one := ratelimit.New(s)
	return &Rate{clock: newClock(), core: shared{&one}}
}

// NewKeyedRate makes a stage with a limiter for each Request.Key.
func NewKeyedRate(s *ratelimit.KeyedSettings) *Rate {
	each := ratelimit.NewKeyed[string](s)
	return &Rate{clock: newClock(), core: &each}
}

// shared is one limiter, whatever the key.
type shared struct{ *ratelimit.Limiter }

func (s shared) Reserve(now patterns.Instant, _ string, n int, maxWait time.Duration) (ratelimit.Reservation, ratelimit.Verdict) {
	return s.Limiter.Reserve(now, n, maxWait)
}

func (s shared) Cancel(now patterns.Instant, _ string, r *ratelimit.Reservation) int64 {
	return s.Limiter.Cancel(now, r)
}

// Enter takes one permit, waits for it, or refuses with RateLimited and the time
// until there is one. A wait that would end at the context's deadline or later is not begun
// (D7). A caller that goes while it waits gives its permit back and is refused
// with Cancelled.
func (l *Rate) Enter(ctx context.Context, q Request) (func(patterns.Result), error) {
	l.mu.Lock()
	now := l.now()
	patience := min(l.core.MaxWait(), l.deadline(ctx).Sub(now)-1)
	r, v := l.core.Reserve(now, q.Key, 1, patience)
	l.mu.Unlock()
	if !v.OK {
		return nil, refusal(v.Reason, v.RetryAfter)
	}
	if r.At <= now {
		return nil, nil
	}
	turn := time.NewTimer(l.until(r.At))
	defer turn.Stop()
	select {
	case <-turn.C:
		return nil, nil
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		l.core.Cancel(l.now(), q.Key, &r)
		return nil, ended(ctx)
	}
}
