package bulkhead

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

const ms = patterns.Instant(time.Millisecond)

// owners returns whom the grants went to.
func owners(grants []Grant) []uint64 {
	var all []uint64
	for _, g := range grants {
		all = append(all, g.Owner)
	}
	return all
}

// TestOrderOfGrants: one slot is held; calls 1 to 5 come a millisecond apart, with
// levels 0 2 1 2 0. Each order serves them as its name says.
func TestOrderOfGrants(t *testing.T) {
	for order, want := range map[Order][]uint64{
		FIFO: {1, 2, 3, 4, 5}, LIFO: {5, 4, 3, 2, 1}, AdaptiveLIFO: {1, 2, 3, 4, 5}, Priority: {2, 4, 3, 1, 5},
	} {
		c := QueueDefaults()
		c.Order, c.MaxConcurrentCalls = order, 1
		if order == Priority {
			c.Levels = 3
		}
		b := New(compileQueue(t, c))
		holder := b.Ask(0, Request{}).Ticket
		for i, level := range []int{0, 2, 1, 2, 0} {
			b.Ask(patterns.Instant(i)*ms, Request{Owner: uint64(i + 1), Level: level})
		}
		var got []uint64
		for range want {
			var grants []Grant
			b.Leave(10*ms, holder, &grants)
			got, holder = append(got, grants[0].Owner), grants[0].Ticket
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: served %v, want %v", order, got, want)
		}
	}
}

// TestLongBusyQueueTurnsRound: the queue has not been empty since 0. At exactly
// 100 ms the oldest is served and a comer has 100 ms of patience; a nanosecond
// later it is the newest, and 5 ms. Once the queue was empty it is FIFO again.
func TestLongBusyQueueTurnsRound(t *testing.T) {
	c := QueueDefaults()
	c.MaxConcurrentCalls = 1
	c.MaxWaitDuration = patterns.Duration(time.Second)
	b := New(compileQueue(t, c))
	holder := b.Ask(0, Request{}).Ticket
	for i := range uint64(6) {
		b.Ask(0, Request{Owner: i + 1})
	}
	step := func(now patterns.Instant, want uint64) {
		t.Helper()
		var grants []Grant
		b.Leave(now, holder, &grants)
		if len(grants) != 1 || grants[0].Owner != want {
			t.Fatalf("at %s: granted to %v, want %d", now.Sub(0), owners(grants), want)
		}
		holder = grants[0].Ticket
	}
	step(100*ms, 1)
	if a := b.Ask(100*ms, Request{Owner: 7}); a.Until != 1100*ms {
		t.Errorf("patience until %s, want 1.1s", a.Until.Sub(0))
	}
	step(100*ms+1, 7)
	if a := b.Ask(101*ms, Request{Owner: 8}); a.Until != 106*ms {
		t.Errorf("patience until %s, want 106ms", a.Until.Sub(0))
	}
	// Call 8 is not served in time: its driver would have cancelled it.
	step(107*ms, 6)
	if drops := b.Dropped(nil); len(drops) != 1 || drops[0].Owner != 8 || drops[0].Reason != patterns.BulkheadTimeout {
		t.Errorf("dropped %+v, want call 8 for its patience", drops)
	}
	for _, want := range []uint64{5, 4, 3, 2} {
		step(108*ms, want)
	}
	b.Ask(200*ms, Request{Owner: 9})
	b.Ask(201*ms, Request{Owner: 10})
	step(300*ms, 9)
}

// TestFullQueueDropsTheLowest: a full queue of levels 1 1 2 makes room for level 2
// by dropping the newer one of level 1, and rejects another call of level 1. With
// level 2 only it rejects a third level 2.
func TestFullQueueDropsTheLowest(t *testing.T) {
	c := QueueDefaults()
	c.Order, c.Levels, c.MaxConcurrentCalls, c.QueueCapacity = Priority, 3, 1, 3
	b := New(compileQueue(t, c))
	b.Ask(0, Request{})
	for i, level := range []int{1, 1, 2} {
		b.Ask(0, Request{Owner: uint64(i + 1), Level: level})
	}
	for i, row := range []struct {
		level   int
		d       Decision
		dropped []uint64
	}{{1, Rejected, nil}, {2, Queued, []uint64{2}}, {0, Rejected, nil}, {99, Queued, []uint64{1}}, {2, Rejected, nil}, {-1, Rejected, nil}} {
		a := b.Ask(ms, Request{Owner: 10 + uint64(i), Level: row.level})
		var dropped []uint64
		for _, d := range b.Dropped(nil) {
			dropped = append(dropped, d.Owner)
			if d.Reason != patterns.Shed || d.Waited != time.Millisecond {
				t.Errorf("%+v, want shed after 1ms", d)
			}
			if b.Cancel(ms, d.Ticket, nil) || b.Leave(ms, d.Ticket, nil) {
				t.Error("a dropped ticket was still good")
			}
		}
		if a.Decision != row.d || !slices.Equal(dropped, row.dropped) {
			t.Errorf("call %d: %s, dropped %v, want %s and %v", i, a.Decision, dropped, row.d, row.dropped)
		}
	}
	if s := b.Snapshot(); s.Displaced != 2 || s.Waiting != 3 || s.Rejected != 4 {
		t.Errorf("%+v", s)
	}
}

// TestHopelessCallsGetNoSlot: 10 ms are needed. A call that has less when it asks
// is rejected; one that has less when its turn comes is skipped, and the next is
// served in its place, in the same step.
func TestHopelessCallsGetNoSlot(t *testing.T) {
	c := QueueDefaults()
	c.Order, c.MaxConcurrentCalls = FIFO, 1
	c.MinRemainingDuration = patterns.Duration(10 * time.Millisecond)
	b := New(compileQueue(t, c))
	holder := b.Ask(0, Request{Deadline: 10 * ms}) // exactly enough
	if holder.Decision != Granted {
		t.Fatalf("10 ms left: %+v", holder)
	}
	if a := b.Ask(1, Request{Deadline: 10 * ms}); a.Decision != Rejected || a.Reason != patterns.DeadlineExceeded {
		t.Errorf("a nanosecond too little: %+v", a)
	}
	for i, deadline := range []patterns.Instant{30 * ms, 40 * ms, 0, patterns.Never} {
		a := b.Ask(1*ms, Request{Owner: uint64(i + 1), Deadline: deadline})
		if want := []patterns.Instant{20 * ms, 30 * ms, 101 * ms, 101 * ms}[i]; a.Until != want {
			t.Errorf("call %d waits until %s, want %s", i+1, a.Until.Sub(0), want.Sub(0))
		}
	}
	var grants []Grant
	b.Leave(30*ms, holder.Ticket, &grants)
	if got := owners(grants); !slices.Equal(got, []uint64{2}) {
		t.Errorf("granted to %v, want call 2, which has exactly 10 ms left", got)
	}
	drops := b.Dropped(nil)
	if len(drops) != 1 || drops[0].Owner != 1 || drops[0].Reason != patterns.DeadlineExceeded || drops[0].Waited != 29*time.Millisecond {
		t.Errorf("dropped %+v, want call 1", drops)
	}
	b.Leave(31*ms, grants[0].Ticket, &grants)
	if got := owners(grants); !slices.Equal(got, []uint64{2, 3}) {
		t.Errorf("granted to %v, want the one without a deadline next", got)
	}
	if s := b.Snapshot(); s.Late != 1 || s.Hopeless != 1 || s.Waiting != 1 {
		t.Errorf("%+v", s)
	}
}

// TestPoolGrowsWhenItsQueueIsFull: core 1, at most 3, a queue of 2. Calls 1 to 6:
// served, waits, waits, served, served, rejected. Workers above the core go on
// while calls wait and end when none does.
func TestPoolGrowsWhenItsQueueIsFull(t *testing.T) {
	s, err := CompilePool(PoolConfig{CoreThreadPoolSize: 1, MaxThreadPoolSize: 3, QueueCapacity: 2})
	if err != nil {
		t.Fatal(err)
	}
	b := New(s)
	want := []Decision{Granted, Queued, Queued, Granted, Granted, Rejected}
	var tickets []Ticket
	for i, d := range want {
		a := b.Ask(0, Request{Owner: uint64(i + 1)})
		tickets = append(tickets, a.Ticket)
		if a.Decision != d {
			t.Errorf("call %d: %s, want %s", i+1, a.Decision, d)
		}
		if d == Queued && a.Until != patterns.Never {
			t.Errorf("call %d waits until %d, want for ever", i+1, a.Until)
		}
	}
	var grants []Grant
	for _, i := range []int{3, 4, 0} {
		b.Leave(0, tickets[i], &grants)
	}
	if got := owners(grants); !slices.Equal(got, []uint64{2, 3}) || b.Snapshot().InUse != 2 {
		t.Errorf("granted to %v with %d at work", got, b.Snapshot().InUse)
	}
	if _, d := b.Enter(0, 7); d != Queued {
		t.Errorf("beside 2 workers of core 1: %s, want queued", d)
	}
	if b.MaxWait() != math.MaxInt64 {
		t.Errorf("a pool's call waits %s", b.MaxWait())
	}
	if b.Dropped(nil) != nil {
		t.Error("a pool dropped a call")
	}
}

// TestEnterIsAskOfAPlainCall: Enter, of a queue that looks at its calls, is Ask at
// the lowest level without a deadline; Ask, of one that does not, is Enter.
func TestEnterIsAskOfAPlainCall(t *testing.T) {
	c := QueueDefaults()
	c.Order, c.Levels, c.MaxConcurrentCalls, c.QueueCapacity = Priority, 2, 1, 2
	looks := New(compileQueue(t, c))
	plain := New(compile(t, Config{MaxConcurrentCalls: 1, QueueCapacity: 2, MaxWaitDuration: c.MaxWaitDuration}))
	for i := range uint64(4) {
		ticket, d := looks.Enter(ms, i)
		a := plain.Ask(ms, Request{Owner: i, Level: 1, Deadline: 1})
		if ticket != a.Ticket || d != a.Decision {
			t.Errorf("call %d: %d %s and %+v", i, ticket, d, a)
		}
		if d == Queued && a.Until != 101*ms {
			t.Errorf("call %d waits until %s, want 101ms", i, a.Until.Sub(0))
		}
	}
	if a := looks.Ask(ms, Request{Level: 1}); a.Decision != Queued || looks.Snapshot().Displaced != 1 {
		t.Errorf("%+v: a plain call was not at the lowest level", a)
	}
}

// TestQueuesDoNotAllocate: once as many calls have been inside and dropped as ever
// will be, no memory is asked for, whatever the order.
func TestQueuesDoNotAllocate(t *testing.T) {
	for _, order := range []Order{FIFO, LIFO, AdaptiveLIFO, Priority} {
		c := QueueDefaults()
		c.Order, c.MaxConcurrentCalls, c.QueueCapacity = order, 1, 3
		if order == Priority {
			c.Levels = 2
		}
		b := New(compileQueue(t, c))
		grants, drops := make([]Grant, 0, 8), make([]Drop, 0, 8)
		var now patterns.Instant
		if n := testing.AllocsPerRun(1000, func() {
			now += 50 * ms
			grants = grants[:0]
			holder := b.Ask(now, Request{}).Ticket
			for i := range 5 {
				b.Ask(now, Request{Level: i & 1, Deadline: now + patterns.Instant(1+i%2)*ms})
			}
			b.Leave(now+ms, holder, &grants)
			for len(grants) > 0 {
				next := grants[0].Ticket
				grants = grants[:0]
				b.Leave(now+3*ms, next, &grants)
			}
			drops = b.Dropped(drops[:0])
		}); n != 0 {
			t.Errorf("%s: %v allocations, want 0", order, n)
		}
		if s := b.Snapshot(); s.Late == 0 || s.InUse != 0 || s.Waiting != 0 {
			t.Errorf("%s: %+v: the run did not go as meant", order, s)
		}
	}
}

// TestEveryFaultOfAQueueIsTold spoils sound settings one key at a time and expects
// that key, and only it, to be named.
func TestEveryFaultOfAQueueIsTold(t *testing.T) {
	if fs := append(QueueDefaults().Validate(), PoolDefaults().Validate()...); fs != nil {
		t.Fatalf("the defaults have faults: %v", fs.Err())
	}
	for _, row := range []struct {
		key   string
		spoil func(*QueueConfig)
	}{
		{"maxConcurrentCalls", func(c *QueueConfig) { c.MaxConcurrentCalls = 0 }},
		{"maxWaitDuration", func(c *QueueConfig) { c.MaxWaitDuration = 0 }},
		{"order", func(c *QueueConfig) { c.Order = "random" }},
		{"interval", func(c *QueueConfig) { c.Interval = 0 }},
		{"target", func(c *QueueConfig) { c.Target = 0 }},
		{"target", func(c *QueueConfig) { c.Target = c.MaxWaitDuration + 1 }},
		{"interval", func(c *QueueConfig) { c.Order, c.Interval = FIFO, -1 }},
		{"levels", func(c *QueueConfig) { c.Levels = 2 }},
		{"levels", func(c *QueueConfig) { c.Order = Priority }},
		{"levels", func(c *QueueConfig) { c.Order, c.Levels = Priority, 65 }},
		{"minRemainingDuration", func(c *QueueConfig) { c.MinRemainingDuration = -1 }},
	} {
		c := QueueDefaults()
		row.spoil(&c)
		fs := c.Validate()
		if len(fs) != 1 || fs[0].Key != row.key {
			t.Errorf("faults %v, want one of %s", fs, row.key)
		}
		if _, err := CompileQueue(c); err == nil {
			t.Errorf("compiles with a fault of %s", row.key)
		}
	}
	for key, c := range map[string]PoolConfig{
		"maxThreadPoolSize":  {1, 0, 1},
		"coreThreadPoolSize": {3, 2, 1},
		"queueCapacity":      {1, 1, 0},
	} {
		if fs := c.Validate(); len(fs) != 1 || fs[0].Key != key {
			t.Errorf("faults %v, want one of %s", fs, key)
		}
		if _, err := CompilePool(c); err == nil {
			t.Errorf("compiles with a fault of %s", key)
		}
	}
}

func BenchmarkQueue(b *testing.B) {
	for _, order := range []Order{FIFO, AdaptiveLIFO, Priority} {
		b.Run(string(order), func(b *testing.B) {
			b.ReportAllocs()
			c := QueueDefaults()
			c.Order, c.MaxConcurrentCalls, c.QueueCapacity = order, 1, 64
			if order == Priority {
				c.Levels = 8
			}
			bh := New(compileQueue(b, c))
			holder := bh.Ask(0, Request{}).Ticket
			grants := make([]Grant, 0, 1)
			var drops []Drop
			for i := range b.N {
				now := patterns.Instant(i) * 1000
				bh.Ask(now, Request{Level: i & 7})
				grants = grants[:0]
				if bh.Leave(now, holder, &grants); len(grants) > 0 {
					holder = grants[0].Ticket
				}
				drops = bh.Dropped(drops[:0])
			}
		})
	}
}
