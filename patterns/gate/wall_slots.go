package gate

import (
	"context"
	"sync"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/codel"
)

// Slots admits a bounded number of requests at one time; others wait in its queue
// as its settings say. Make it with NewSlots.
type Slots struct {
	clock
	mu      sync.Mutex
	core    bulkhead.Bulkhead
	judge   *codel.Codel
	waiting map[uint64]chan patterns.Reason // what each waiting request is told
	owner   uint64
	grants  []bulkhead.Grant
	drops   []bulkhead.Drop
}

// NewSlots makes a stage of a bulkhead's settings. With those of a codel, which
// may be nil, a request whose turn comes after too long a wait in a standing queue
// is refused as Shed, and its slot goes to the next.
func NewSlots(s *bulkhead.Settings, c *codel.Settings) *Slots {
	all := &Slots{clock: newClock(), core: bulkhead.New(s), waiting: map[uint64]chan patterns.Reason{}}
	if c != nil {
		judge := codel.New(c)
		all.judge = &judge
	}
	return all
}

// Enter takes a slot, waits for one, or refuses with BulkheadFull,
// BulkheadTimeout, Shed, DeadlineExceeded or Cancelled. A slot that is granted
// at the very end of the wait is taken, unless the caller has gone.
func (s *Slots) Enter(ctx context.Context, q Request) (func(patterns.Result), error) {
	s.mu.Lock()
	s.owner++
	owner, now := s.owner, s.now()
	a := s.core.Ask(now, bulkhead.Request{Owner: owner, Level: q.Class, Deadline: s.deadline(ctx)})
	var told chan patterns.Reason
	switch a.Decision {
	case bulkhead.Queued:
		told = make(chan patterns.Reason, 1)
		s.waiting[owner] = told
	case bulkhead.Granted:
		s.hear(now, 0)
	}
	s.pass(now)
	s.mu.Unlock()
	switch a.Decision {
	case bulkhead.Granted:
		return s.leaver(a.Ticket), nil
	case bulkhead.Queued:
		return s.wait(ctx, owner, a, told)
	}
	return nil, refused(a.Reason)
}

// wait is a request's stay in the queue.
func (s *Slots) wait(ctx context.Context, owner uint64, a bulkhead.Answer, told chan patterns.Reason) (func(patterns.Result), error) {
	patience := time.NewTimer(s.until(a.Until))
	defer patience.Stop()
	var why patterns.Reason
	select {
	case why = <-told:
	case <-patience.C:
		if s.giveUp(owner, a.Ticket) {
			return nil, s.impatient(ctx, a)
		}
		why = <-told
	case <-ctx.Done():
		if s.giveUp(owner, a.Ticket) {
			return nil, ended(ctx)
		}
		why = <-told
	}
	switch {
	case why != patterns.None:
		return nil, refused(why)
	case ctx.Err() != nil:
		s.leaver(a.Ticket)(patterns.Result{})
		return nil, ended(ctx)
	}
	return s.leaver(a.Ticket), nil
}

// impatient says which patience ended. Without a minRemainingDuration a call
// waits until just before its deadline: then it is the deadline that ended it.
func (s *Slots) impatient(ctx context.Context, a bulkhead.Answer) error {
	if a.Until.Add(1) >= s.deadline(ctx) {
		return late()
	}
	if ctx.Err() != nil {
		return ended(ctx)
	}
	return refused(patterns.BulkheadTimeout)
}

// giveUp takes a waiting request out; false: it has been told something already.
func (s *Slots) giveUp(owner uint64, t bulkhead.Ticket) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	ok := s.core.Cancel(now, t, &s.grants)
	if ok {
		delete(s.waiting, owner)
	}
	s.pass(now)
	return ok
}

func (s *Slots) leaver(t bulkhead.Ticket) func(patterns.Result) {
	return func(patterns.Result) {
		s.mu.Lock()
		defer s.mu.Unlock()
		now := s.now()
		s.core.Leave(now, t, &s.grants)
		s.pass(now)
	}
}

// pass tells waiting requests what the last step decided for them. A grant that
// codel drops gives its slot on, which may make further grants.
func (s *Slots) pass(now patterns.Instant) {
	for i := 0; i < len(s.grants); i++ {
		g := s.grants[i]
		if s.hear(now, g.Waited) {
			s.tell(g.Owner, patterns.Shed)
			s.core.Leave(now, g.Ticket, &s.grants)
			continue
		}
		s.tell(g.Owner, patterns.None)
	}
	s.drops = s.core.Dropped(s.drops[:0])
	for _, d := range s.drops {
		s.tell(d.Owner, d.Reason)
	}
	s.grants = s.grants[:0]
	if s.judge != nil && len(s.waiting) == 0 {
		s.judge.Empty(now)
	}
}

func (s *Slots) hear(now patterns.Instant, waited time.Duration) (drop bool) {
	return s.judge != nil && s.judge.Dequeue(now, waited)
}

// tell never blocks: a request is told one thing, and its channel holds one.
func (s *Slots) tell(owner uint64, why patterns.Reason) {
	s.waiting[owner] <- why
	delete(s.waiting, owner)
}

func refused(why patterns.Reason) error {
	if why == patterns.DeadlineExceeded {
		return late()
	}
	return refusal(why, 0)
}

// Snapshot returns the bulkhead's counters.
func (s *Slots) Snapshot() bulkhead.Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.core.Snapshot()
}

// Resize sets the number of slots, at least 1; it evicts nobody.
func (s *Slots) Resize(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.core.Resize(now, n, &s.grants)
	s.pass(now)
}
