package bulkhead

import (
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

func compile(t testing.TB, c Config) *Settings {
	t.Helper()
	s, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// twin is a bulkhead of lists of owners.
type twin struct {
	slots, capacity int
	lifo            bool
	inside, queue   []uint64
}

func (w *twin) enter(owner uint64) Decision {
	switch {
	case len(w.queue) == 0 && len(w.inside) < w.slots:
		w.inside = append(w.inside, owner)
		return Granted
	case len(w.queue) < w.capacity:
		w.queue = append(w.queue, owner)
		return Queued
	}
	return Rejected
}

// without returns the list without the owner, and whether it was in it.
func without(list []uint64, owner uint64) ([]uint64, bool) {
	i := slices.Index(list, owner)
	if i < 0 {
		return list, false
	}
	return slices.Delete(list, i, i+1), true
}

// serve returns the owners that get a slot now, in order.
func (w *twin) serve() []uint64 {
	var served []uint64
	for len(w.queue) > 0 && len(w.inside) < w.slots {
		next := w.queue[0]
		if w.lifo {
			next = w.queue[len(w.queue)-1]
		}
		w.queue, _ = without(w.queue, next)
		w.inside = append(w.inside, next)
		served = append(served, next)
	}
	return served
}

// FuzzBulkheadAgreesWithItsTwin plays enters, leaves, cancels and resizes, with
// tickets of long ago among them.
func FuzzBulkheadAgreesWithItsTwin(f *testing.F) {
	f.Add([]byte{1, 3, 0, 0, 0, 0, 0, 1, 4, 2, 8, 1, 12, 0, 1, 0, 1, 4})
	f.Add([]byte{2, 2, 1, 0, 0, 0, 0, 0, 0, 2, 12, 1, 0, 1, 1, 3, 27, 3, 3, 1, 4, 1, 8, 1, 12})
	f.Add([]byte{0, 0, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0})
	f.Add([]byte{7, 200, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 4, 1, 0, 3, 67, 3, 7, 2, 44, 1, 40})
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 3 {
			return
		}
		w := twin{slots: 1 + int(tape[0]%8), capacity: int(tape[1] % 8), lifo: tape[2]&1 == 1}
		c := Config{MaxConcurrentCalls: w.slots, QueueCapacity: w.capacity, Order: FIFO}
		if w.lifo {
			c.Order = LIFO
		}
		if w.capacity > 0 {
			c.MaxWaitDuration = patterns.Duration(time.Second)
		}
		b := New(compile(t, c))
		var tickets []Ticket // by owner
		for i, op := range tape[3:] {
			var grants []Grant
			var served []uint64
			who, ok, want := uint64(op>>2), false, false
			switch {
			case op&3 == 0:
				ticket, d := b.Enter(0, uint64(len(tickets)))
				if wanted := w.enter(uint64(len(tickets))); d != wanted || (d == Rejected) != (ticket == 0) {
					t.Fatalf("op %d of %v: ticket %d %s, want %s", i, tape, ticket, d, wanted)
				}
				tickets = append(tickets, ticket)
				continue
			case op&3 == 3:
				w.slots = 1 + int(who%8)
				b.Resize(0, w.slots, &grants)
			case who >= uint64(len(tickets)):
				continue
			case op&3 == 1:
				w.inside, want = without(w.inside, who)
				ok = b.Leave(0, tickets[who], &grants)
			case op&3 == 2:
				w.queue, want = without(w.queue, who)
				ok = b.Cancel(0, tickets[who], &grants)
			}
			served = w.serve()
			if ok != want {
				t.Fatalf("op %d of %v: accepted %v, want %v", i, tape, ok, want)
			}
			compare(t, &b, &w, grants, served, tickets)
		}
	})
}

func compare(t *testing.T, b *Bulkhead, w *twin, grants []Grant, served []uint64, tickets []Ticket) {
	t.Helper()
	var owners []uint64
	for _, g := range grants {
		owners = append(owners, g.Owner)
		if g.Ticket != tickets[g.Owner] {
			t.Fatalf("owner %d was granted ticket %d, has %d", g.Owner, g.Ticket, tickets[g.Owner])
		}
	}
	if !slices.Equal(owners, served) {
		t.Fatalf("granted to %v, want %v", owners, served)
	}
	if s := b.Snapshot(); s.InUse != len(w.inside) || s.Waiting != len(w.queue) || s.Slots != w.slots {
		t.Fatalf("%+v, want %d inside and %d waiting of %d", s, len(w.inside), len(w.queue), w.slots)
	}
}

// TestH10_AbandonedWaitersLeaveNoTrace: eight slots are full, eight waiters time
// out, the eight holders finish: eight slots are free, and nobody was granted one
// who had gone.
func TestH10_AbandonedWaitersLeaveNoTrace(t *testing.T) {
	b := New(compile(t, Config{MaxConcurrentCalls: 8, MaxWaitDuration: patterns.Duration(time.Second)}))
	var holders, waiters []Ticket
	for i := range uint64(16) {
		ticket, d := b.Enter(0, i)
		if d == Granted {
			holders = append(holders, ticket)
		} else {
			waiters = append(waiters, ticket)
		}
	}
	var grants []Grant
	for _, w := range waiters {
		if !b.Cancel(patterns.Instant(b.MaxWait()), w, &grants) {
			t.Error("a waiter could not leave")
		}
	}
	for _, h := range holders {
		b.Leave(patterns.Instant(2*time.Second), h, &grants)
	}
	if len(grants) != 0 {
		t.Errorf("%d grants to waiters that had gone", len(grants))
	}
	for i := range uint64(8) {
		if _, d := b.Enter(patterns.Instant(3*time.Second), i); d != Granted {
			t.Errorf("asker %d: %s, want granted", i, d)
		}
	}
	if s := b.Snapshot(); s.GaveUp != 8 || s.InUse != 8 || s.Waiting != 0 {
		t.Errorf("%+v, want 8 that gave up and 8 in use", s)
	}
}

// TestH11_LeavingTwiceFreesOneSlot: the only call leaves, then leaves again: one
// asker is admitted, the next is not. Also when the slot has a new holder.
func TestH11_LeavingTwiceFreesOneSlot(t *testing.T) {
	b := New(compile(t, Config{MaxConcurrentCalls: 1}))
	first, _ := b.Enter(0, 1)
	if !b.Leave(0, first, nil) || b.Leave(0, first, nil) {
		t.Error("leaving was not accepted exactly once")
	}
	if _, d := b.Enter(0, 2); d != Granted {
		t.Errorf("first asker: %s, want granted", d)
	}
	if b.Leave(0, first, nil) || b.Leave(0, 0, nil) || b.Leave(0, 1<<40, nil) {
		t.Error("a stranger's ticket freed the slot")
	}
	if _, d := b.Enter(0, 3); d != Rejected {
		t.Errorf("second asker: %s, want rejected", d)
	}
}

// TestGrantBeatsTimeout: a slot becomes free at the very instant at which the
// waiter gives up. Whichever comes first wins, and no slot is lost.
func TestGrantBeatsTimeout(t *testing.T) {
	b := New(compile(t, Config{MaxConcurrentCalls: 1, MaxWaitDuration: patterns.Duration(time.Second)}))
	holder, _ := b.Enter(0, 1)
	waiter, _ := b.Enter(0, 2)
	now := patterns.Instant(time.Second)
	var grants []Grant
	b.Leave(now, holder, &grants)
	if b.Cancel(now, waiter, &grants) {
		t.Error("a granted ticket could be cancelled")
	}
	if len(grants) != 1 || grants[0] != (Grant{Ticket: waiter, Owner: 2, Waited: time.Second}) {
		t.Errorf("grants %+v, want the waiter's after 1s", grants)
	}
	if !b.Leave(now, waiter, &grants) || b.Snapshot().InUse != 0 {
		t.Error("the granted slot was not given back")
	}
}

// TestShrinkingEvictsNobody: with three inside, two slots: the next is admitted
// when fewer than two are inside; growing serves those that wait, in order.
func TestShrinkingEvictsNobody(t *testing.T) {
	b := New(compile(t, Config{MaxConcurrentCalls: 3, MaxWaitDuration: patterns.Duration(time.Second)}))
	var inside []Ticket
	for i := range uint64(3) {
		ticket, _ := b.Enter(0, i)
		inside = append(inside, ticket)
	}
	var grants []Grant
	b.Resize(0, 2, &grants)
	for i := range uint64(3) {
		b.Enter(0, 10+i)
	}
	b.Leave(0, inside[0], &grants)
	if len(grants) != 0 || b.Snapshot().InUse != 2 {
		t.Errorf("%d granted with %d inside of 2", len(grants), b.Snapshot().InUse)
	}
	b.Leave(0, inside[1], &grants)
	b.Resize(0, 4, &grants)
	var owners []uint64
	for _, g := range grants {
		owners = append(owners, g.Owner)
	}
	if want := []uint64{10, 11, 12}; !slices.Equal(owners, want) {
		t.Errorf("granted to %v, want %v", owners, want)
	}
}

// TestBulkheadsDoNotAllocate: once as many calls have been inside as ever will
// be, no memory is asked for.
func TestBulkheadsDoNotAllocate(t *testing.T) {
	b := New(compile(t, Config{MaxConcurrentCalls: 1, MaxWaitDuration: patterns.Duration(time.Second), QueueCapacity: 2}))
	grants := make([]Grant, 0, 4)
	if n := testing.AllocsPerRun(1000, func() {
		grants = grants[:0]
		holder, _ := b.Enter(0, 1)
		waiter, _ := b.Enter(0, 2)
		gone, _ := b.Enter(0, 3)
		b.Cancel(0, gone, &grants)
		b.Leave(0, holder, &grants)
		b.Leave(0, waiter, &grants)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	if s := b.Snapshot(); s.InUse != 0 || s.GaveUp == 0 {
		t.Errorf("%+v: the run did not go as meant", s)
	}
}

// TestEveryFaultIsTold spoils sound settings one key at a time and expects that
// key, and only it, to be named.
func TestEveryFaultIsTold(t *testing.T) {
	if fs := Defaults().Validate(); fs != nil {
		t.Fatalf("the defaults have faults: %v", fs.Err())
	}
	for _, row := range []struct {
		key   string
		spoil func(*Config)
	}{
		{"maxConcurrentCalls", func(c *Config) { c.MaxConcurrentCalls = 0 }},
		{"maxWaitDuration", func(c *Config) { c.MaxWaitDuration = -1 }},
		{"queueCapacity", func(c *Config) { c.QueueCapacity = -1 }},
		{"queueCapacity", func(c *Config) { c.QueueCapacity = 5 }},
		{"order", func(c *Config) { c.Order = "random" }},
	} {
		c := Defaults()
		row.spoil(&c)
		fs := c.Validate()
		if len(fs) != 1 || fs[0].Key != row.key {
			t.Errorf("faults %v, want one of %s", fs, row.key)
		}
		if _, err := Compile(c); err == nil {
			t.Errorf("compiles with a fault of %s", row.key)
		}
	}
}

func BenchmarkEnterLeave(b *testing.B) {
	b.ReportAllocs()
	bh := New(compile(b, Defaults()))
	for i := range b.N {
		ticket, _ := bh.Enter(patterns.Instant(i), uint64(i))
		bh.Leave(patterns.Instant(i), ticket, nil)
	}
}
