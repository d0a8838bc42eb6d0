package codel

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

const ms = time.Millisecond

func compile(t testing.TB, v Variant) *Settings {
	t.Helper()
	c := Defaults()
	c.Variant = v
	s, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at(n int) patterns.Instant { return patterns.Instant(time.Duration(n) * ms) }

// TestBurstIsNotDropped: waits of up to a second, but one in each interval is
// short. Nothing is dropped by either rule, for ten seconds.
func TestBurstIsNotDropped(t *testing.T) {
	for _, v := range []Variant{Services, RFC8289} {
		c := New(compile(t, v))
		for n := range 10_000 {
			waited := time.Duration(n%1000) * ms
			if n%90 == 0 {
				waited = ms
			}
			if c.Dequeue(at(n), waited) {
				t.Fatalf("%s: dropped at %d ms", v, n)
			}
		}
	}
}

// TestStandingQueueIsDropped: every request waits 50 ms. From the second on the
// interval is overloaded, and all but the first request of each are dropped.
func TestStandingQueueIsDropped(t *testing.T) {
	c := New(compile(t, Services))
	var passed []int
	for n := range 500 {
		if !c.Dequeue(at(n), 50*ms) {
			passed = append(passed, n)
		}
	}
	want := []int{0, 1, 102, 203, 304, 405}
	if len(passed) != len(want) {
		t.Fatalf("passed at %v, want %v", passed, want)
	}
	for i := range want {
		if passed[i] != want[i] {
			t.Errorf("passed at %v, want %v", passed, want)
		}
	}
	if s := c.Snapshot(at(499)); !s.Overloaded || s.Served != 6 || s.Dropped != 494 {
		t.Errorf("%+v, want overloaded, 6 served, 494 dropped", s)
	}
}

// TestEndOfAnIntervalIsStrict: an interval is judged after its end, not at it,
// and a wait of exactly the target or twice the target is let through.
func TestEndOfAnIntervalIsStrict(t *testing.T) {
	for _, row := range []struct {
		least, wait time.Duration
		judged      int
		drop        bool
	}{
		{5 * ms, 50 * ms, 1, false},   // at the target: not overloaded
		{5*ms + 1, 50 * ms, 1, true},  // above it
		{6 * ms, 10 * ms, 1, false},   // twice the target
		{6 * ms, 10*ms + 1, 1, true},  // above twice the target
		{6 * ms, 50 * ms, 0, false},   // the first request's own instant: not judged
		{6 * ms, 50 * ms, 200, true},  // the last instant at which it tells anything
		{6 * ms, 50 * ms, 201, false}, // too old
	} {
		c := New(compile(t, Services))
		c.Dequeue(at(0), row.least)
		c.Dequeue(at(row.judged), row.wait)
		if got := c.Dequeue(at(row.judged), row.wait); got != row.drop {
			t.Errorf("%+v: dropped %v", row, got)
		}
	}
}

// TestIdlenessClearsOverload: of an overloaded queue, an idle interval or an empty
// queue lets the next requests through, however long they waited.
func TestIdlenessClearsOverload(t *testing.T) {
	overloaded := func(v Variant) Codel {
		c := New(compile(t, v))
		for n := range 200 {
			c.Dequeue(at(n), 50*ms)
		}
		if !c.Snapshot(at(199)).Overloaded {
			t.Fatalf("%s: not overloaded", v)
		}
		return c
	}
	idle := overloaded(Services)
	// The running interval began at 102 ms; its successor ends at 302 ms.
	if !idle.Snapshot(at(302)).Overloaded || idle.Snapshot(at(303)).Overloaded {
		t.Error("overload does not end with an idle interval")
	}
	for n := 303; n <= 403; n++ {
		if idle.Dequeue(at(n), 50*ms) {
			t.Errorf("after an idle interval: dropped at %d ms", n)
		}
	}
	for _, v := range []Variant{Services, RFC8289} {
		empty := overloaded(v)
		empty.Empty(at(200))
		for n := 200; n < 300; n++ {
			if empty.Dequeue(at(n), 50*ms) {
				t.Errorf("%s: dropped at %d ms after the queue was empty", v, n)
			}
		}
	}
}

// TestDropsComeEverCloser: with RFC 8289's rule and a standing queue, the distance
// after the n-th drop is interval/sqrt(n): 100, 70.7, 57.7, 50 ms and so on, to
// the step of the clock.
func TestDropsComeEverCloser(t *testing.T) {
	c := New(compile(t, RFC8289))
	var drops []int
	for n := range 600 {
		if c.Dequeue(at(n), 50*ms) {
			drops = append(drops, n)
		}
	}
	// The sums of interval/sqrt(k) after the first drop at 100 ms, rounded up.
	want := []int{100, 200, 271, 329, 379, 424, 464, 502, 538, 571}
	if len(drops) != len(want) {
		t.Fatalf("drops at %v, want %v", drops, want)
	}
	for i := range want {
		if drops[i] != want[i] {
			t.Errorf("drops at %v, want %v", drops, want)
			break
		}
	}
}

// TestCountOfDropsEnds: the number of drops stops at its largest value instead of
// starting over with long distances. It is put one short of it by hand.
func TestCountOfDropsEnds(t *testing.T) {
	c := New(compile(t, RFC8289))
	for n := range 102 {
		c.Dequeue(at(n), 50*ms)
	}
	c.spaced.count = 1<<32 - 2
	for n := 200; n < 300; n++ {
		c.Dequeue(at(n), 50*ms)
	}
	if c.spaced.count != 1<<32-1 {
		t.Errorf("count %d", c.spaced.count)
	}
}

// TestClockGoingBackIsTheSameInstant: an instant before one already seen is taken
// as that one, and a wait below 0 as none.
func TestClockGoingBackIsTheSameInstant(t *testing.T) {
	a, b := New(compile(t, Services)), New(compile(t, Services))
	for n := range 300 {
		told := n
		if n%7 > 3 {
			told = n - n%7 // some milliseconds before the last one told
		}
		latest := max(a.seen, at(told))
		if a.Dequeue(latest, 50*ms) != b.Dequeue(at(told), 50*ms) {
			t.Fatalf("step %d: an old instant is not the latest one", n)
		}
	}
	c := New(compile(t, Services))
	c.Dequeue(at(0), -time.Hour)
	c.Dequeue(at(1), time.Hour)
	if c.Snapshot(at(1)).Overloaded {
		t.Error("a wait below 0 made an overload")
	}
}

// TestCodelsDoNotAllocate: through overload and out of it no memory is asked for.
func TestCodelsDoNotAllocate(t *testing.T) {
	for _, v := range []Variant{Services, RFC8289} {
		c, n := New(compile(t, v)), 0
		if a := testing.AllocsPerRun(2000, func() {
			n++
			c.Dequeue(at(n), time.Duration(n/300%2*50)*ms)
			if n%500 == 0 {
				c.Empty(at(n))
			}
		}); a != 0 {
			t.Errorf("%s: %v allocations, want 0", v, a)
		}
		if s := c.Snapshot(at(n)); s.Dropped == 0 || s.Served == 0 {
			t.Errorf("%s: %+v: the run did not go as meant", v, s)
		}
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
		{"target", func(c *Config) { c.Target = 0 }},
		{"target", func(c *Config) { c.Target = -1 }},
		{"interval", func(c *Config) { c.Interval = c.Target - 1 }},
		{"interval", func(c *Config) { c.Interval = patterns.Duration(25 * time.Hour) }},
		{"variant", func(c *Config) { c.Variant = "packets" }},
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

func BenchmarkDequeue(b *testing.B) {
	for _, v := range []Variant{Services, RFC8289} {
		b.Run(string(v), func(b *testing.B) {
			b.ReportAllocs()
			c := New(compile(b, v))
			for i := range b.N {
				c.Dequeue(patterns.Instant(i)*10_000, 50*ms)
			}
		})
	}
}
