package bulkhead

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// TestAccountsOfTicketsClose plays 20,000 random steps in each order with slots that
// come and go. After every step no more are inside than the most slots there were
// when they came, every ticket that was queued has been granted, dropped or
// cancelled or waits, and at the end everybody leaves and nothing is left.
func TestAccountsOfTicketsClose(t *testing.T) {
	for _, order := range []Order{FIFO, LIFO, AdaptiveLIFO, Priority} {
		c := QueueDefaults()
		c.Order, c.MaxConcurrentCalls, c.QueueCapacity = order, 4, 8
		if order == Priority {
			c.Levels = 3
		}
		b := New(compileQueue(t, c))
		r := rand.New(rand.NewPCG(1, 2))
		var inside, waiting []Ticket
		var now patterns.Instant
		var served, dropped int64
		for step := range 20_000 {
			now += patterns.Instant(r.IntN(6)) * ms
			before, granted := b.Snapshot().InUse, 0
			var grants []Grant
			switch k := r.IntN(8); {
			case k < 4:
				a := b.Ask(now, Request{Level: r.IntN(3), Deadline: now + patterns.Instant(r.IntN(60))*ms})
				switch a.Decision {
				case Granted:
					inside, granted = append(inside, a.Ticket), 1
				case Queued:
					waiting = append(waiting, a.Ticket)
				}
			case k < 7 && len(inside) > 0:
				i := r.IntN(len(inside))
				if !b.Leave(now, inside[i], &grants) || b.Leave(now, inside[i], &grants) {
					t.Fatalf("%s: a ticket did not leave exactly once", order)
				}
				inside = slices.Delete(inside, i, i+1)
				before--
			case k == 7 && step%5 == 0:
				b.Resize(now, 1+r.IntN(6), &grants)
			case k == 7 && len(waiting) > 0:
				i := r.IntN(len(waiting))
				if !b.Cancel(now, waiting[i], &grants) {
					t.Fatalf("%s: a waiting ticket could not be cancelled", order)
				}
				waiting = slices.Delete(waiting, i, i+1)
			}
			for _, g := range grants {
				inside, waiting = append(inside, g.Ticket), gone(t, waiting, g.Ticket)
			}
			served += int64(len(grants))
			for _, d := range b.Dropped(nil) {
				waiting = gone(t, waiting, d.Ticket)
				dropped++
			}
			s := b.Snapshot()
			if granted += len(grants); granted > 0 && s.InUse > s.Slots || s.InUse != before+granted || s.InUse != len(inside) {
				t.Fatalf("%s: %d granted: %+v", order, granted, s)
			}
			if s.Waiting != len(waiting) || s.Waiting > 8 || s.Waiting > 0 && s.InUse < s.Slots {
				t.Fatalf("%s: %d wait: %+v", order, len(waiting), s)
			}
			if s.Queued != served+s.GaveUp+dropped+int64(s.Waiting) || dropped != s.Late+s.Impatient+s.Displaced {
				t.Fatalf("%s: %d served, %d dropped: %+v", order, served, dropped, s)
			}
		}
		if s := b.Snapshot(); s.Late == 0 || s.GaveUp == 0 || served == 0 || order == Priority && s.Displaced == 0 {
			t.Errorf("%s: %+v: the run did not go as meant", order, s)
		}
	}
}

func gone(t *testing.T, list []Ticket, one Ticket) []Ticket {
	t.Helper()
	i := slices.Index(list, one)
	if i < 0 {
		t.Fatalf("ticket %d did not wait", one)
	}
	return slices.Delete(list, i, i+1)
}

// goodput offers 125 calls a second to one slot that serves 100, for ten seconds,
// and returns how many a second were served within 50 ms of waiting. Callers whose
// patience ends cancel.
func goodput(t *testing.T, order Order) int {
	t.Helper()
	c := QueueDefaults()
	c.Order, c.MaxConcurrentCalls = order, 1
	b := New(compileQueue(t, c))
	var holder Ticket
	var until patterns.Instant // the holder leaves then
	useful := 0
	start := func(now patterns.Instant, ticket Ticket, waited time.Duration) {
		holder, until = ticket, now+10*ms
		if waited <= 50*time.Millisecond {
			useful++
		}
	}
	var waits []Answer
	for now := patterns.Instant(0); now < 10_000*ms; now += ms {
		waits = slices.DeleteFunc(waits, func(a Answer) bool {
			if a.Until > now {
				return false
			}
			b.Cancel(now, a.Ticket, nil) // harmless if it was granted or dropped
			return true
		})
		if holder != 0 && now >= until {
			var grants []Grant
			b.Leave(now, holder, &grants)
			holder = 0
			for _, g := range grants {
				start(now, g.Ticket, g.Waited)
			}
		}
		if now%(8*ms) == 0 {
			if a := b.Ask(now, Request{}); a.Decision == Granted {
				start(now, a.Ticket, 0)
			} else {
				waits = append(waits, a)
			}
		}
	}
	return useful / 10
}

// TestAdaptiveOrderServesInTimeUnderOverload: with a quarter too many calls FIFO
// soon serves nobody within 50 ms, because all have waited nearly their whole
// patience; adaptive LIFO serves nearly as many in time as there is room for.
func TestAdaptiveOrderServesInTimeUnderOverload(t *testing.T) {
	if fifo, adaptive := goodput(t, FIFO), goodput(t, AdaptiveLIFO); fifo > 10 || adaptive < 85 {
		t.Errorf("served in time: fifo %d, adaptive %d a second; want at most 10 and at least 85", fifo, adaptive)
	} else {
		t.Logf("served in time: fifo %d, adaptive %d a second", fifo, adaptive)
	}
}
