package bulkhead

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// asked is a call in the twin's list: what it said, and when it came.
type asked struct {
	Request
	came, until patterns.Instant
}

// queueTwin is a queue as a list in order of arrival, searched from end to end.
type queueTwin struct {
	c        QueueConfig
	pool     *PoolConfig
	slots    int
	core     int
	inside   []uint64
	queue    []asked
	emptyAt  patterns.Instant // latest instant at which nobody waited
	grants   []uint64
	drops    []Drop
	snapshot Snapshot
}

func (w *queueTwin) congested(now patterns.Instant) bool {
	return w.c.Order == AdaptiveLIFO && len(w.queue) > 0 && now > w.emptyAt.Add(w.c.Interval.Std())
}

func (w *queueTwin) capacity() int {
	if w.c.QueueCapacity == 0 {
		return 1 << 30
	}
	return w.c.QueueCapacity
}

// hopeless: the deadline has come, or less than the required time is left.
func (w *queueTwin) hopeless(now patterns.Instant, r Request) bool {
	if r.Deadline == 0 || w.pool != nil {
		return false
	}
	return now >= r.Deadline || r.Deadline.Sub(now) < w.c.MinRemainingDuration.Std()
}

func (w *queueTwin) ask(now patterns.Instant, r Request) (Decision, patterns.Reason) {
	if w.hopeless(now, r) {
		w.snapshot.Rejected++
		w.snapshot.Hopeless++
		return Rejected, patterns.DeadlineExceeded
	}
	if len(w.queue) == 0 && len(w.inside) < w.core {
		w.inside = append(w.inside, r.Owner)
		w.snapshot.Granted++
		return Granted, patterns.None
	}
	patience := w.c.MaxWaitDuration.Std()
	if w.congested(now) {
		patience = w.c.Target.Std()
	}
	if len(w.queue) == w.capacity() && len(w.inside) < w.slots {
		w.inside = append(w.inside, r.Owner)
		w.snapshot.Granted++
		return Granted, patterns.None
	}
	if len(w.queue) == w.capacity() && !w.displace(now, r.Level) {
		w.snapshot.Rejected++
		return Rejected, patterns.BulkheadFull
	}
	if len(w.queue) == 0 {
		w.emptyAt = now
	}
	w.queue = append(w.queue, asked{r, now, now.Add(patience)})
	w.snapshot.Queued++
	return Queued, patterns.None
}

// displace drops the last in the list among those of the lowest level.
func (w *queueTwin) displace(now patterns.Instant, level int) bool {
	victim := -1
	for i, a := range w.queue {
		if a.Level < level && (victim < 0 || a.Level <= w.queue[victim].Level) {
			victim = i
		}
	}
	if victim < 0 || w.c.Order != Priority {
		return false
	}
	w.drop(now, victim, patterns.Shed)
	w.snapshot.Displaced++
	return true
}

func (w *queueTwin) drop(now patterns.Instant, i int, why patterns.Reason) {
	a := w.queue[i]
	w.drops = append(w.drops, Drop{Owner: a.Owner, Waited: now.Sub(a.came), Reason: why})
	w.queue = slices.Delete(w.queue, i, i+1)
}

func (w *queueTwin) turn(now patterns.Instant) int {
	switch {
	case w.c.Order == LIFO, w.congested(now):
		return len(w.queue) - 1
	case w.c.Order == Priority:
		best := 0
		for i, a := range w.queue {
			if a.Level > w.queue[best].Level {
				best = i
			}
		}
		return best
	}
	return 0
}

func (w *queueTwin) serve(now patterns.Instant, limit int) {
	for len(w.queue) > 0 && len(w.inside) < limit {
		i := w.turn(now)
		a := w.queue[i]
		switch {
		case w.hopeless(now, a.Request):
			w.drop(now, i, patterns.DeadlineExceeded)
			w.snapshot.Late++
		case now > a.until:
			w.drop(now, i, patterns.BulkheadTimeout)
			w.snapshot.Impatient++
		default:
			w.queue = slices.Delete(w.queue, i, i+1)
			w.inside = append(w.inside, a.Owner)
			w.grants = append(w.grants, a.Owner)
		}
	}
}

func (w *queueTwin) leave(now patterns.Instant, owner uint64) (ok bool) {
	limit := w.core
	if w.pool != nil {
		limit = max(limit, min(len(w.inside), w.slots))
	}
	if w.inside, ok = without(w.inside, owner); ok {
		w.serve(now, limit)
	}
	return ok
}

func (w *queueTwin) cancel(owner uint64) bool {
	for i, a := range w.queue {
		if a.Owner == owner {
			w.queue = slices.Delete(w.queue, i, i+1)
			w.snapshot.GaveUp++
			return true
		}
	}
	return false
}

// twinsOf makes a bulkhead and its twin of three bytes.
func twinsOf(t *testing.T, a, b, c byte) (Bulkhead, *queueTwin) {
	w := &queueTwin{slots: 1 + int(b&3)}
	w.core = w.slots
	capacity := int(b >> 2 & 7)
	if a%5 == 4 {
		w.core = 1 + int(c)%w.slots
		w.pool = &PoolConfig{CoreThreadPoolSize: w.core, MaxThreadPoolSize: w.slots, QueueCapacity: capacity + 1}
		w.c.QueueCapacity, w.c.MaxWaitDuration = capacity+1, patterns.Duration(patterns.Never)
		s, err := CompilePool(*w.pool)
		if err != nil {
			t.Fatal(err)
		}
		return New(s), w
	}
	w.c = QueueDefaults()
	w.c.Order = []Order{FIFO, LIFO, AdaptiveLIFO, Priority}[a%5]
	w.c.MaxConcurrentCalls, w.c.QueueCapacity = w.slots, capacity
	w.c.MinRemainingDuration = patterns.Duration(time.Duration(c&3) * 5 * time.Millisecond)
	if w.c.Order == Priority {
		w.c.Levels = 4
	}
	return New(compileQueue(t, w.c)), w
}

func compileQueue(t testing.TB, c QueueConfig) *Settings {
	t.Helper()
	s, err := CompileQueue(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// FuzzQueuesAgreeWithTheirTwin plays all orders and pools: calls with levels and
// deadlines, leaves, cancels, resizes, and a clock that moves on, with tickets of
// long ago among them.
func FuzzQueuesAgreeWithTheirTwin(f *testing.F) {
	for seed := range byte(100) {
		tape := make([]byte, 400)
		rand.NewChaCha8([32]byte{seed}).Read(tape)
		tape[0] = seed
		f.Add(tape)
	}
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 3 {
			return
		}
		b, w := twinsOf(t, tape[0], tape[1], tape[2])
		var tickets []Ticket // by owner
		var now patterns.Instant
		for i, op := range tape[3:min(len(tape), 1500)] {
			var grants []Grant
			w.grants, w.drops = nil, nil
			who, ok, want := uint64(op>>3), false, false
			if n := uint64(len(tickets)); n > 32 {
				who += n - 32 // the latest 32 owners
			}
			switch op & 7 {
			case 0, 1, 2, 3:
				r := Request{Owner: uint64(len(tickets)), Level: int(op >> 3 & 3)}
				if op>>5 > 3 {
					r.Deadline = now.Add(time.Duration(op>>5-3) * 8 * time.Millisecond)
				}
				a := b.Ask(now, r)
				d, why := w.ask(now, r)
				if a.Decision != d || a.Reason != why || (a.Ticket == 0) != (d == Rejected) {
					t.Fatalf("op %d of %v: %+v, want %s %s", i, tape, a, d, why)
				}
				tickets = append(tickets, a.Ticket)
				ok, want = true, true
			case 4:
				now = now.Add(time.Duration(op>>3) * 2 * time.Millisecond)
			case 5:
				if op>>3 > 5 {
					now = now.Add(time.Millisecond)
					break
				}
				w.slots = 1 + int(op>>3)
				w.core = w.slots
				b.Resize(now, w.slots, &grants)
				w.serve(now, w.slots)
			case 6:
				if who < uint64(len(tickets)) {
					ok, want = b.Leave(now, tickets[who], &grants), w.leave(now, who)
				}
			case 7:
				if who < uint64(len(tickets)) && op&8 == 0 {
					ok, want = b.Cancel(now, tickets[who], &grants), w.cancel(who)
				} else if len(w.inside) > 0 { // keep slots moving
					ok, want = b.Leave(now, tickets[w.inside[0]], &grants), w.leave(now, w.inside[0])
				}
			}
			if ok != want {
				t.Fatalf("op %d of %v: accepted %v, want %v", i, tape, ok, want)
			}
			compareQueues(t, &b, w, grants, tickets)
		}
	})
}

func compareQueues(t *testing.T, b *Bulkhead, w *queueTwin, grants []Grant, tickets []Ticket) {
	t.Helper()
	var owners []uint64
	for _, g := range grants {
		owners = append(owners, g.Owner)
		if g.Ticket != tickets[g.Owner] {
			t.Fatalf("owner %d was granted ticket %d, has %d", g.Owner, g.Ticket, tickets[g.Owner])
		}
	}
	if !slices.Equal(owners, w.grants) {
		t.Fatalf("granted to %v, want %v", owners, w.grants)
	}
	drops := b.Dropped(nil)
	for i, d := range drops {
		if d.Ticket != tickets[d.Owner] {
			t.Fatalf("owner %d lost ticket %d, had %d", d.Owner, d.Ticket, tickets[d.Owner])
		}
		drops[i].Ticket = 0
	}
	if !slices.Equal(drops, w.drops) {
		t.Fatalf("dropped %+v, want %+v", drops, w.drops)
	}
	want := w.snapshot
	want.Slots, want.InUse, want.Waiting = w.slots, len(w.inside), len(w.queue)
	if s := b.Snapshot(); s != want {
		t.Fatalf("%+v, want %+v", s, want)
	}
}
