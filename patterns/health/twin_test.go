package health

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

const tick = 100 * time.Millisecond

// twin is the plain form: every duration is a number of ticks, and it looks at each tick
// whether anything has to change. How long something has been so it counts by
// going up by one each tick.
type twin struct {
	c        Config
	now      int
	state    State
	stay     int
	loads    []Load
	full     []int // ticks; -1: not
	queue    []int
	calm     int
	window   []bool // refused or not
	shedding bool
	shaky    bool
	events   []Event
}

func ticks(d patterns.Duration) int { return int(d.Std() / tick) }

func count(n *int, is bool) {
	if !is {
		*n = -1
	} else if *n < 0 {
		*n = 0
	}
}

func (w *twin) enter(s State, why Why, pool int) {
	w.events = append(w.events, Event{At: at(time.Duration(w.now) * tick), From: w.state, To: s, Why: why, Pool: pool})
	w.state, w.stay = s, 0
}

// until makes the ticks up to an instant.
func (w *twin) until(now int) {
	for w.now < now {
		w.now++
		w.stay++
		for i := range w.loads {
			for _, n := range []*int{&w.full[i], &w.queue[i], &w.calm} {
				if *n >= 0 && (n != &w.calm || i == 0) {
					*n++
				}
			}
		}
		if len(w.loads) == 0 && w.calm >= 0 {
			w.calm++
		}
		if w.c.ShedThreshold > 0 && w.now%ticks(w.c.ShedWindow) == 0 {
			w.close()
		}
		w.look()
	}
}

func (w *twin) close() {
	refused := 0
	for _, r := range w.window {
		if r {
			refused++
		}
	}
	n := len(w.window)
	enough := n >= w.c.MinimumNumberOfCalls
	w.shedding = enough && float64(refused)*100 >= w.c.ShedThreshold.Float()*float64(n)
	w.shaky = w.shedding || enough && float64(refused)*100 > w.c.RecoveryShed.Float()*float64(n)
	w.window = nil
}

func (w *twin) look() {
	u := w.c.RecoveryUtilization.Float() / 100
	calm := !w.shaky
	for i, l := range w.loads {
		if w.full[i] >= 0 || w.queue[i] >= 0 ||
			w.c.SaturatedAfter > 0 && float64(l.InUse) > u*float64(l.Slots) && l.Slots > 0 ||
			w.c.QueueFullAfter > 0 && float64(l.Waiting) > u*float64(l.Places) && l.Places > 0 {
			calm = false
		}
	}
	count(&w.calm, calm)
	switch w.state {
	case Ready:
		if w.stay < ticks(w.c.MinimumReadyDuration) {
			return
		}
		if i := slices.IndexFunc(w.full, func(n int) bool { return n >= ticks(w.c.SaturatedAfter) }); i >= 0 {
			w.enter(Unready, Saturated, i)
		} else if i := slices.IndexFunc(w.queue, func(n int) bool { return n >= ticks(w.c.QueueFullAfter) }); i >= 0 {
			w.enter(Unready, QueueFull, i)
		} else if w.shedding {
			w.enter(Unready, Shedding, -1)
		}
	case Unready:
		switch {
		case w.calm >= ticks(w.c.RecoveryDuration):
			w.enter(Ready, Calm, -1)
		case w.c.MaxUnreadyDuration > 0 && w.stay >= ticks(w.c.MaxUnreadyDuration):
			w.enter(Ready, Limit, -1)
			w.shedding = false
			for i := range w.full {
				w.full[i], w.queue[i] = min(w.full[i], 0), min(w.queue[i], 0)
			}
		}
	}
}

func configOf(b []byte) Config {
	d := func(n byte) patterns.Duration { return patterns.Duration(time.Duration(n) * tick) }
	return Config{
		SaturatedAfter: d(b[0] % 6), QueueFullAfter: d(b[0] / 6 % 6),
		ShedThreshold: patterns.PercentOf(float64(b[1]%4) * 25), ShedWindow: d(1 + b[1]/4%8), MinimumNumberOfCalls: 1 + int(b[1]/32%4),
		RecoveryUtilization: patterns.PercentOf(float64(b[2]%5) * 25), RecoveryShed: patterns.PercentOf(float64(b[1]%4) * 25 * float64(b[2]/5%3) / 2),
		RecoveryDuration: d(1 + b[3]%12), MinimumReadyDuration: d(1 + b[3]/12%12),
		MaxUnreadyDuration: d(b[2] / 15 % 17),
	}
}

// FuzzReadinessAgreesWithItsTwin plays loads, calls, probes and idle times. The events are
// the same, whoever looked when, and no stay is shorter than the settings allow.
func FuzzReadinessAgreesWithItsTwin(f *testing.F) {
	for seed := range byte(80) {
		tape := make([]byte, 400)
		rand.NewChaCha8([32]byte{seed}).Read(tape)
		f.Add(tape)
	}
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 5 {
			return
		}
		c := configOf(tape)
		n := int(tape[4] % 3)
		r := NewReadiness(compile(t, c), n)
		w := &twin{c: c, loads: make([]Load, n), full: slices.Repeat([]int{-1}, n), queue: slices.Repeat([]int{-1}, n)}
		var log []Event
		now := 0
		for k := 5; k+1 < min(len(tape), 1500); k += 2 {
			play(t, r, w, tape[k], tape[k+1], &now, &log)
			if len(log) > len(w.events) || !slices.Equal(log, w.events[:len(log)]) {
				t.Fatalf("step %d: %+v, want %+v", k, log, w.events)
			}
			if r.state != w.state {
				t.Fatalf("step %d: %v, want %v", k, r.state, w.state)
			}
		}
		if !slices.Equal(log, w.events) {
			t.Fatalf("%+v, want %+v", log, w.events)
		}
		checkStays(t, c, log)
	})
}

func play(t *testing.T, r *Readiness, w *twin, op, arg byte, now *int, log *[]Event) {
	t.Helper()
	if op%8 == 0 {
		*now += int(arg) % 60
	} else if op%8 < 3 {
		*now = max(0, *now+int(arg)%12-2)
	}
	w.until(*now)
	instant := at(time.Duration(*now) * tick)
	switch op % 8 {
	case 0, 1:
		if r.Ready(instant, log) != (w.state == Ready) {
			t.Fatalf("at %d ready: %v", *now, w.state != Ready)
		}
	case 2:
		r.Start(instant, log)
		if w.state == Starting {
			w.enter(Ready, Started, -1)
		}
	case 3, 4, 5:
		i := int(arg % 3)
		l := Load{InUse: int(arg / 3 % 6), Slots: 4, Waiting: int(arg / 18 % 5), Places: 3}
		if got := r.Pool(instant, i, l, log); got != (i < len(w.loads)) {
			t.Fatalf("pool %d was heard: %v", i, got)
		} else if got {
			w.loads[i] = l
			count(&w.full[i], w.c.SaturatedAfter > 0 && l.InUse >= l.Slots)
			count(&w.queue[i], w.c.QueueFullAfter > 0 && l.Waiting >= l.Places)
			w.look()
		}
	case 6, 7:
		r.Call(instant, arg&1 == 0, log)
		w.window = append(w.window, arg&1 == 0)
	}
	if op == 250 && arg > 200 {
		r.Drain(instant, log)
		if w.state != Draining {
			w.enter(Draining, Stopping, -1)
		}
	}
}

func checkStays(t *testing.T, c Config, log []Event) {
	t.Helper()
	least := c.RecoveryDuration
	if m := c.MaxUnreadyDuration; m > 0 {
		least = min(least, m)
	}
	for i := 1; i < len(log); i++ {
		d := patterns.Duration(log[i].At.Sub(log[i-1].At))
		if log[i].To == Unready && d < c.MinimumReadyDuration || log[i].From == Unready && log[i].To == Ready && d < least {
			t.Fatalf("%+v after only %s", log[i], d)
		}
	}
}
