package engine

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

const forever = time.Duration(math.MaxInt64)

// scheduling is what a benchmark needs of an engine.
type scheduling interface {
	Register(h Handler) HandlerID
	At(t time.Duration, h HandlerID, arg uint64)
	Run(until time.Duration)
	Stop()
}

// holder is the hold model: each event schedules one successor, so that the
// number of pending events stays what it was at the start.
type holder struct {
	on     scheduling
	id     HandlerID
	delays []time.Duration
	drawn  int
	left   int
}

func (h *holder) Handle(now time.Duration, arg uint64) {
	h.on.At(now+h.delay(), h.id, arg)
	if h.left--; h.left <= 0 {
		h.on.Stop()
	}
}

// delay takes the next of 65,536 prepared delays, so that all engines pay the
// same small price for chance.
func (h *holder) delay() time.Duration {
	h.drawn++
	return h.delays[h.drawn&(len(h.delays)-1)]
}

// hold executes n events.
func (h *holder) hold(n int) {
	h.left = n
	h.on.Run(forever)
}

// newHolder returns a hold model that has been running for a while.
func newHolder(on scheduling, pending int, delay func(u float64) time.Duration) *holder {
	h := &holder{on: on, delays: make([]time.Duration, 1<<16)}
	s := Seed(1).Key(1, 0, 0, 0).Stream()
	for i := range h.delays {
		h.delays[i] = delay(s.Open())
	}
	h.id = on.Register(h)
	for i := range pending {
		on.At(h.delay(), h.id, uint64(i))
	}
	h.hold(max(3*pending, 1e6))
	return h
}

func exponentialSecond(u float64) time.Duration {
	return time.Duration(-math.Log(u) * float64(time.Second))
}

var sizes = []struct {
	name    string
	pending int
}{{"1e3", 1e3}, {"1e5", 1e5}, {"1e6", 1e6}}

// BenchmarkHold is ns per event at constant numbers of pending events.
func BenchmarkHold(b *testing.B) {
	engines := []struct {
		name string
		make func() scheduling
	}{
		{"engine", func() scheduling { return New() }},
		{"heap", func() scheduling { return &textbook{} }},
	}
	for _, e := range engines {
		for _, size := range sizes {
			var h *holder // outlives the rounds in which b.N is found
			b.Run(e.name+"/"+size.name, func(b *testing.B) {
				if h == nil {
					h = newHolder(e.make(), size.pending, exponentialSecond)
				}
				b.ReportAllocs()
				b.ResetTimer()
				h.hold(b.N)
			})
		}
	}
}

// BenchmarkHoldRatio runs engine and heap in turns, so that noise meets both, and
// reports the median over the turns of how many times faster the engine was.
func BenchmarkHoldRatio(b *testing.B) {
	for _, size := range sizes {
		var ours, theirs *holder
		b.Run(size.name, func(b *testing.B) {
			if ours == nil {
				ours = newHolder(New(), size.pending, exponentialSecond)
				theirs = newHolder(&textbook{}, size.pending, exponentialSecond)
			}
			b.ResetTimer()
			const turns = 21
			n := b.N/turns + 1
			ratios := make([]float64, turns)
			for i := range ratios {
				start := b.Elapsed()
				ours.hold(n)
				between := b.Elapsed()
				theirs.hold(n)
				ratios[i] = float64(b.Elapsed()-between) / float64(between-start)
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[turns/2], "x_faster")
		})
	}
}

// laws of delay: the usual one, and some that other agendas find hard.
var laws = []struct {
	name  string
	delay func(u float64) time.Duration
}{
	{"exponential", exponentialSecond},
	{"constant", func(float64) time.Duration { return time.Second }},
	{"near-and-far", func(u float64) time.Duration {
		if u <= 0.9 {
			return time.Duration(u * 2 * float64(time.Millisecond))
		}
		return time.Duration(u * 100 * float64(time.Second))
	}},
	{"pareto", func(u float64) time.Duration {
		return time.Duration(math.Pow(u, -1/1.1) * float64(time.Millisecond))
	}},
	{"whole-seconds", func(u float64) time.Duration {
		return exponentialSecond(u).Truncate(time.Second) + time.Second
	}},
}

// BenchmarkHoldLaws is ns per event at 1e5 pending events for each of the laws.
func BenchmarkHoldLaws(b *testing.B) {
	for _, l := range laws {
		var h *holder
		b.Run(l.name, func(b *testing.B) {
			if h == nil {
				h = newHolder(New(), 1e5, l.delay)
			}
			b.ReportAllocs()
			b.ResetTimer()
			h.hold(b.N)
		})
	}
}

// caller sets a timer of one second for every call and cancels it when the answer
// comes after 100 ms: the common fate of timers.
type caller struct {
	on     *Engine
	id     HandlerID
	timers []Timer
	left   int
}

func (c *caller) Handle(now time.Duration, arg uint64) {
	c.on.Cancel(c.timers[arg])
	c.timers[arg] = c.on.Timer(now+time.Second, c.id, arg)
	c.on.At(now+100*time.Millisecond+time.Duration(arg), c.id, arg)
	if c.left--; c.left <= 0 {
		c.on.Stop()
	}
}

func newCaller(callers int) *caller {
	c := &caller{on: New(), timers: make([]Timer, callers)}
	c.id = c.on.Register(c)
	for i := range callers {
		c.on.At(time.Duration(i)*time.Microsecond, c.id, uint64(i))
	}
	c.run(30 * callers)
	return c
}

func (c *caller) run(n int) {
	c.left = n
	c.on.Run(forever)
}

// BenchmarkTimerSetCancel is ns per timer that is set, cancelled and later swept
// or met, with nothing else going on.
func BenchmarkTimerSetCancel(b *testing.B) {
	e := New()
	id := e.Register(&caller{on: e})
	setCancel := func(n int) {
		for i := range n {
			e.Cancel(e.Timer(e.Now()+time.Second, id, 0))
			if i%64 == 63 {
				e.Run(e.Now() + time.Millisecond)
			}
		}
	}
	setCancel(1e5)
	b.ReportAllocs()
	b.ResetTimer()
	setCancel(b.N)
}

// BenchmarkCalls is ns per call: one event, one timer set, one cancelled.
func BenchmarkCalls(b *testing.B) {
	for _, callers := range []int{1e4, 1e6} {
		var c *caller
		b.Run(fmt.Sprintf("%.0e", float64(callers)), func(b *testing.B) {
			if c == nil {
				c = newCaller(callers)
			}
			b.ReportAllocs()
			b.ResetTimer()
			c.run(b.N)
		})
	}
}

func BenchmarkKeyAndDraw(b *testing.B) {
	sum := 0.0
	for i := range b.N {
		sum += Seed(7).Key(3, 5, uint64(i), 1).Unit()
	}
	if sum < 0 {
		b.Fatal("a draw was negative")
	}
}
