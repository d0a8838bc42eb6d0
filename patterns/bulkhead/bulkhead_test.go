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
	for _, stranger := range []Ticket{first, 0, 1 << 40, 1<<32 | 2, 1<<32 | 3} {
		if b.Leave(0, stranger, nil) {
			t.Errorf("the stranger's ticket %d freed the slot", stranger)
		}
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
