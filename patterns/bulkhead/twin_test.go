package bulkhead

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// twin is a bulkhead of lists of owners.
type twin struct {
	slots, capacity int
	lifo            bool
	inside, queue   []uint64
	counts          [4]int64 // granted at once, queued, rejected, gave up
}

func (w *twin) enter(owner uint64) Decision {
	switch {
	case len(w.queue) == 0 && len(w.inside) < w.slots:
		w.inside = append(w.inside, owner)
		w.counts[0]++
		return Granted
	case len(w.queue) < w.capacity:
		w.queue = append(w.queue, owner)
		w.counts[1]++
		return Queued
	}
	w.counts[2]++
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
	for seed := range byte(60) {
		tape := make([]byte, 300)
		rand.NewChaCha8([32]byte{seed}).Read(tape)
		f.Add(tape)
	}
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
				if want {
					w.counts[3]++
				}
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
	s := b.Snapshot()
	if counts := [4]int64{s.Granted, s.Queued, s.Rejected, s.GaveUp}; counts != w.counts {
		t.Fatalf("granted, queued, rejected, gave up: %v, want %v", counts, w.counts)
	}
	if s.InUse != len(w.inside) || s.Waiting != len(w.queue) || s.Slots != w.slots {
		t.Fatalf("%+v, want %d inside and %d waiting of %d", s, len(w.inside), len(w.queue), w.slots)
	}
}
