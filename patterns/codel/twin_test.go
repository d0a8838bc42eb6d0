package codel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// taken is a request that was taken from the queue. An empty queue is noted as a
// request that waited 0 and is not asked about.
type taken struct {
	at     patterns.Instant
	waited time.Duration
	empty  bool
}

// judge says from the whole history whether to drop the last request: it cuts the
// history into intervals, each a list of waits, and compares the last but one.
func judge(c Config, history []taken) bool {
	type interval struct {
		start patterns.Instant
		waits []time.Duration
		spare bool // an empty queue inside forgives what came before
	}
	var all []interval
	first := false
	for _, r := range history {
		n := len(all)
		length := c.Interval.Std()
		if n == 1 {
			length = 0 // the first request of all is an interval of its own
		}
		switch {
		case r.empty && n == 0:
			continue
		case r.empty:
			all[n-1].waits = append(all[n-1].waits, 0)
			all[n-1].spare = true
			continue
		case n > 0 && r.at <= all[n-1].start.Add(length):
			all[n-1].waits = append(all[n-1].waits, r.waited)
			first = false
			continue
		}
		fresh := interval{start: r.at, waits: []time.Duration{r.waited}}
		if n > 0 {
			idle := all[n-1].start.Add(length).Add(c.Interval.Std())
			if n == 1 {
				idle = all[0].start.Add(2 * c.Interval.Std())
			}
			fresh.spare = r.at > idle
		}
		all = append(all, fresh)
		first = true
	}
	n := len(all)
	if n < 2 || first || all[n-1].spare {
		return false
	}
	return slices.Min(all[n-2].waits) > c.Target.Std() && history[len(history)-1].waited > 2*c.Target.Std()
}

// packets is RFC 8289's pseudocode, loops and all, over a queue of arrival times.
type packets struct {
	target, interval    time.Duration
	queue               []patterns.Instant
	firstAbove, next    patterns.Instant
	above               bool // whether firstAbove is set
	count, last         uint32
	dropping            bool
	dropped, dispatched []patterns.Instant
}

func (p *packets) take(now patterns.Instant) (arrived patterns.Instant, is, ok bool) {
	if len(p.queue) == 0 {
		p.above = false
		return 0, false, false
	}
	arrived, p.queue = p.queue[0], p.queue[1:]
	switch {
	case now.Sub(arrived) < p.target:
		p.above = false
	case !p.above:
		p.above, p.firstAbove = true, now.Add(p.interval)
	default:
		ok = now >= p.firstAbove
	}
	return arrived, true, ok
}

func (p *packets) law(from patterns.Instant) patterns.Instant {
	return from.Add(time.Duration(float64(p.interval) / math.Sqrt(float64(p.count))))
}

func (p *packets) deque(now patterns.Instant) {
	arrived, is, ok := p.take(now)
	if p.dropping {
		if !ok {
			p.dropping = false
		}
		for now >= p.next && p.dropping {
			p.dropped = append(p.dropped, arrived)
			p.count++
			arrived, is, ok = p.take(now)
			if !ok {
				p.dropping = false
			} else {
				p.next = p.law(p.next)
			}
		}
	} else if ok {
		p.dropped = append(p.dropped, arrived)
		arrived, is, _ = p.take(now)
		p.dropping = true
		delta := p.count - p.last
		p.count = 1
		if delta > 1 && now.Sub(p.next) < 16*p.interval {
			p.count = delta
		}
		p.next = p.law(now)
		p.last = p.count
	}
	if is {
		p.dispatched = append(p.dispatched, arrived)
	}
}

// TestTapesReachDrops: the twin's own seeds are not idle. A queue that is served
// half as fast as it is fed is dropped from by the RFC's rule, spell after spell.
func TestTapesReachDrops(t *testing.T) {
	p := packets{target: 5 * ms, interval: 100 * ms}
	spells, before := 0, false
	for n := range 4000 {
		if n%1000 < 500 {
			p.queue = append(p.queue, at(n), at(n))
		}
		p.deque(at(n))
		if p.dropping && !before {
			spells++
		}
		before = p.dropping
	}
	if spells < 3 || len(p.dropped) < 50 {
		t.Errorf("%d spells, %d drops", spells, len(p.dropped))
	}
}

func tapes(f *testing.F) {
	f.Add([]byte{3, 1, 1, 1, 1, 1, 1, 200, 1, 1, 1, 0, 1, 1})
	for seed := range byte(60) {
		tape := make([]byte, 400)
		rand.NewChaCha8([32]byte{seed}).Read(tape)
		f.Add(tape)
	}
}

// FuzzServicesAgreeWithTheirTwin plays requests with waits on and off, clocks that
// jump over intervals, and empty queues.
func FuzzServicesAgreeWithTheirTwin(f *testing.F) {
	tapes(f)
	f.Fuzz(func(t *testing.T, tape []byte) {
		c := Defaults()
		core := New(compile(t, Services))
		var history []taken
		var now patterns.Instant
		for i, op := range tape[:min(len(tape), 1000)] {
			now = now.Add(time.Duration(op>>4) * 3 * ms)
			if op == 255 {
				now = now.Add(time.Duration(i) * ms)
			}
			if op&15 == 15 {
				core.Empty(now)
				history = append(history, taken{at: now, empty: true})
				continue
			}
			waited := time.Duration(op&15) * 2 * ms
			if i/64%2 == 1 {
				waited += 4 * ms // no short waits: overload
			}
			history = append(history, taken{at: now, waited: waited})
			if got, want := core.Dequeue(now, waited), judge(c, history); got != want {
				t.Fatalf("op %d of %v: dropped %v, want %v", i, tape, got, want)
			}
		}
	})
}

// FuzzSpacedAgreesWithTheRFC feeds a queue faster and slower than it is served.
// The twin drops within its own loop; the core is asked request by request and
// must drop the same ones.
func FuzzSpacedAgreesWithTheRFC(f *testing.F) {
	tapes(f)
	f.Fuzz(func(t *testing.T, tape []byte) {
		c := Defaults()
		core := New(compile(t, RFC8289))
		twin := packets{target: c.Target.Std(), interval: c.Interval.Std()}
		var queue, dropped, dispatched []patterns.Instant
		var now patterns.Instant
		for i, op := range tape[:min(len(tape), 2000)] {
			now = now.Add(time.Duration(op&7) * 4 * ms)
			if i/100%4 < 3 { // arrivals outrun the service, then it drains
				for range op >> 5 {
					queue = append(queue, now)
					twin.queue = append(twin.queue, now)
				}
			}
			for served := false; !served; {
				if len(queue) == 0 {
					core.Empty(now)
					break
				}
				arrived := queue[0]
				queue = queue[1:]
				if core.Dequeue(now, now.Sub(arrived)) {
					dropped = append(dropped, arrived)
				} else {
					dispatched, served = append(dispatched, arrived), true
				}
			}
			twin.deque(now)
			if !slices.Equal(dropped, twin.dropped) || !slices.Equal(dispatched, twin.dispatched) {
				t.Fatalf("op %d of %v: dropped %v, want %v", i, tape, dropped, twin.dropped)
			}
		}
	})
}
