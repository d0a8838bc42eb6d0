package outlier

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// twin is the plain form: it keeps every result with its instant, makes each
// sweep one by one, and looks all numbers up in the lists.
type twin struct {
	c      Config
	hosts  []*twinHost // nil: not in the set
	now    int64
	swept  int64 // number of sweeps made
	events []string
	panic  bool
	used   int
}

type twinHost struct {
	results      []twinResult // since it was last ejected or returned
	row          int
	down, out    bool
	times        int
	until, begun int64
}

type twinResult struct {
	at     int64
	failed bool
}

func (w *twin) tell(at int64, format string, args ...any) {
	w.events = append(w.events, fmt.Sprintf("%d ", at)+fmt.Sprintf(format, args...))
}

func (w *twin) draw(u float64) float64 {
	v := math.Mod(u+float64(w.used)*(math.Phi-1), 1)
	w.used++
	return v
}

func (w *twin) step(now int64, u float64) {
	w.now, w.used = max(w.now, now), 0
	for every := int64(w.c.Interval); (w.swept+1)*every <= w.now; {
		w.swept++
		w.sweep(w.swept*every, u)
	}
}

func (w *twin) sweep(at int64, u float64) {
	back := map[int]bool{}
	for i, h := range w.hosts {
		if h != nil && h.out && h.until <= at {
			h.out, h.results, back[i] = false, nil, true
			w.tell(at, "host_returned %d", i)
		}
	}
	type judged struct {
		host          int
		rate          float64
		total, failed int64
	}
	var all []judged
	for i, h := range w.hosts {
		if h == nil || h.out {
			continue
		}
		j := judged{host: i}
		for _, r := range h.results {
			if r.at >= at-int64(w.c.Interval) {
				j.total++
				if r.failed {
					j.failed++
				}
			}
		}
		if j.total > 0 {
			j.rate = 100 * float64(j.total-j.failed) / float64(j.total)
			all = append(all, j)
		}
	}
	var rates []judged
	mean, variance := 0.0, 0.0
	for _, j := range all {
		if j.total >= int64(w.c.SuccessRateRequestVolume) {
			rates = append(rates, j)
			mean += j.rate
		}
	}
	if w.c.SuccessRateStdevFactor > 0 && len(rates) >= w.c.SuccessRateMinimumHosts {
		mean /= float64(len(rates))
		for _, j := range rates {
			variance += (j.rate - mean) * (j.rate - mean)
		}
		limit := mean - w.c.SuccessRateStdevFactor*math.Sqrt(variance/float64(len(rates))) - 1e-9
		for _, j := range rates {
			if j.rate < limit {
				w.found(at, j.host, "success_rate", w.c.EnforcingSuccessRate, u)
			}
		}
	}
	all = slices.DeleteFunc(all, func(j judged) bool { return j.total < int64(w.c.FailurePercentageRequestVolume) })
	if w.c.FailurePercentageThreshold > 0 && len(all) >= w.c.FailurePercentageMinimumHosts {
		for _, j := range all {
			if !w.hosts[j.host].out && w.c.FailurePercentageThreshold.Reached(j.failed, j.total) {
				w.found(at, j.host, "failure_percentage", w.c.EnforcingFailurePercentage, u)
			}
		}
	}
	for i, h := range w.hosts {
		if h != nil && !h.out && !back[i] {
			h.times = max(h.times-1, 0)
		}
	}
	w.judgePanic(at)
}

func (w *twin) count(f func(*twinHost) bool) (n int) {
	for _, h := range w.hosts {
		if h != nil && f(h) {
			n++
		}
	}
	return n
}

func all(*twinHost) bool       { return true }
func isOut(h *twinHost) bool   { return h.out }
func isGone(h *twinHost) bool  { return h.out || h.down }
func (w *twin) has(i int) bool { return i < len(w.hosts) && w.hosts[i] != nil }

func (w *twin) found(at int64, i int, why string, enforcing patterns.Percent, u float64) {
	h, out, n := w.hosts[i], w.count(isOut), w.count(all)
	if 100*float64(out+1) > w.c.MaxEjectionPercent.Float()*float64(n) && !(out == 0 && w.c.AlwaysEjectOneHost) {
		w.tell(at, "host_spared %d %s", i, why)
		return
	}
	if enforcing == 0 || enforcing < patterns.PercentOf(100) && w.draw(u)*100 >= enforcing.Float() {
		w.tell(at, "host_detected %d %s", i, why)
		return
	}
	if int64(h.times)*int64(w.c.BaseEjectionTime) < int64(w.c.MaxEjectionTime) {
		h.times++
	}
	jitter := 0.0
	if w.c.MaxEjectionTimeJitter > 0 {
		jitter = w.draw(u) * float64(w.c.MaxEjectionTimeJitter)
	}
	h.out, h.row, h.begun = true, 0, at
	h.until = at + min(int64(h.times)*int64(w.c.BaseEjectionTime), int64(w.c.MaxEjectionTime)) + int64(jitter)
	w.tell(at, "host_ejected %d %s %d %d", i, why, h.times, h.until)
}

func (w *twin) judgePanic(at int64) {
	if was := w.panic; was != w.panics() {
		w.panic = !was
		w.tell(at, "%s -1", map[bool]string{true: "panic_began", false: "panic_ended"}[w.panic])
	}
}

func (w *twin) panics() bool {
	n := w.count(all)
	return n > 0 && 100*float64(n-w.count(isGone)) < w.c.PanicThreshold.Float()*float64(n)
}

func (w *twin) report(i int, failed bool, u float64) {
	h := w.hosts[i]
	if h.out {
		return
	}
	h.results = append(h.results, twinResult{w.now, failed})
	if !failed {
		h.row = 0
		return
	}
	if h.row++; w.c.ConsecutiveFailures > 0 && h.row == w.c.ConsecutiveFailures {
		h.row = 0
		w.found(w.now, i, "consecutive", w.c.EnforcingConsecutiveFailures, u)
		w.judgePanic(w.now)
	}
}

func line(e Event) string {
	s := fmt.Sprintf("%d %v %d", e.At, e.Kind, e.Host)
	if e.Why != 0 {
		s += " " + e.Why.String()
	}
	if e.Kind == HostEjected {
		s += fmt.Sprintf(" %d %d", e.Times, e.Until)
	}
	return s
}

// configOf makes settings of bytes: every rule on and off, all shares.
func configOf(b []byte) Config {
	c := Defaults()
	c.Interval, c.BaseEjectionTime = patterns.Duration(time.Second), patterns.Duration(time.Duration(1+b[0]%4)*700*time.Millisecond)
	c.MaxEjectionTime = c.BaseEjectionTime * patterns.Duration(1+b[0]>>2%5) * 3 / 2
	c.MaxEjectionTimeJitter = patterns.Duration(b[0]>>6) * patterns.Duration(400*time.Millisecond)
	c.MaxEjectionPercent = patterns.PercentOf(float64(b[1]%5) * 25)
	c.AlwaysEjectOneHost = b[1]&16 != 0
	c.PanicThreshold = patterns.PercentOf(float64(b[1]>>5) * 14)
	c.ConsecutiveFailures = int(b[2] % 4)
	c.SuccessRateStdevFactor = []float64{0, 0.5, 1, 1.9}[b[2]>>2&3]
	c.SuccessRateMinimumHosts, c.SuccessRateRequestVolume = 1+int(b[2]>>4&3), 1+int(b[2]>>6)
	c.FailurePercentageThreshold = patterns.PercentOf(float64(b[3]&3) * 30)
	c.FailurePercentageMinimumHosts, c.FailurePercentageRequestVolume = 1+int(b[3]>>2&3), 1+int(b[3]>>4&3)
	enforcing := []patterns.Percent{patterns.PercentOf(100), patterns.PercentOf(50), 0, patterns.PercentOf(100)}
	c.EnforcingConsecutiveFailures = enforcing[b[4]&3]
	c.EnforcingSuccessRate = enforcing[b[4]>>2&3]
	c.EnforcingFailurePercentage = enforcing[b[4]>>4&3]
	return c
}

// FuzzSetAgreesWithItsTwin plays results, hosts that come, go and are marked, idle
// times and clocks that go back. Events, who is usable and the panic agree after
// each step, and so they do between steps, before anybody has ticked.
func FuzzSetAgreesWithItsTwin(f *testing.F) {
	for seed := range byte(80) {
		tape := make([]byte, 500)
		rand.NewChaCha8([32]byte{seed}).Read(tape)
		f.Add(tape)
	}
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 6 {
			return
		}
		c := configOf(tape)
		s := New(compile(t, c), 5)
		w := &twin{c: c, panic: false}
		for range 5 {
			w.hosts = append(w.hosts, &twinHost{})
		}
		var log []Event
		now := int64(0)
		for k := 5; k+1 < min(len(tape), 2000); k += 2 {
			op, arg := tape[k], tape[k+1]
			i, u := int(arg%8), float64(arg)/256
			switch op % 16 {
			case 0:
				now += int64(arg) * int64(200*time.Millisecond)
			case 1, 2, 3:
				now = max(0, now+(int64(arg)-30)*int64(5*time.Millisecond))
			case 4:
				w.step(now, u)
				got := s.Mark(patterns.Instant(now), i, arg&8 != 0, u, &log)
				if got != w.has(i) {
					t.Fatalf("step %d: marked %v", k, got)
				} else if got {
					w.hosts[i].down = arg&8 != 0
					w.judgePanic(w.now)
				}
			case 5:
				playMembers(t, s, w, now, i, arg, &log)
			default:
				w.step(now, u)
				o := patterns.Outcome(1 + arg>>3%2)
				got := s.Report(patterns.Instant(now), i, o, u, &log)
				if got != w.has(i) {
					t.Fatalf("step %d: host %d was heard: %v", k, i, got)
				} else if got {
					w.report(i, o == patterns.Failure, u)
				}
			}
			agree(t, s, w, now, log)
		}
		w.step(now+int64(time.Hour), 0.25)
		s.Tick(patterns.Instant(now).Add(time.Hour), 0.25, &log)
		agree(t, s, w, now+int64(time.Hour), log)
	})
}

func playMembers(t *testing.T, s *Set, w *twin, now int64, i int, arg byte, log *[]Event) {
	t.Helper()
	w.step(now, 0.5)
	s.Tick(patterns.Instant(now), 0.5, log)
	if arg&16 == 0 {
		if got := s.Remove(patterns.Instant(now), i, 0.5, log); got != w.has(i) {
			t.Fatalf("host %d was removed: %v", i, got)
		} else if got {
			w.hosts[i] = nil
		}
	} else if len(w.hosts) < 8 || slices.Contains(w.hosts, nil) {
		want := slices.Index(w.hosts, nil)
		if want < 0 {
			want = len(w.hosts)
			w.hosts = append(w.hosts, nil)
		}
		w.hosts[want] = &twinHost{}
		if got := s.Add(patterns.Instant(now), 0.5, log); got != want {
			t.Fatalf("added as %d, want %d", got, want)
		}
	}
	w.judgePanic(w.now)
}

// agree compares what the set says at an instant that it may not have heard of with
// what it says in the twin that has got there; the twin goes on from a copy.
func agree(t *testing.T, s *Set, w *twin, now int64, log []Event) {
	t.Helper()
	for i := max(0, min(len(log), len(w.events))-20); i < max(len(log), len(w.events)); i++ { // older ones were compared
		if i >= len(log) || i >= len(w.events) || line(log[i]) != w.events[i] {
			t.Fatalf("event %d: %v, want %v", i, log[min(i, len(log)):], w.events[min(i, len(w.events)):])
		}
	}
	at := max(now, w.now)
	every := int64(w.c.Interval)
	gone := func(h *twinHost) bool { return h.out && !(h.until <= at/every*every && h.until <= at) }
	n, left := 0, 0
	for _, h := range w.hosts {
		if h != nil {
			n++
			if !gone(h) && !h.down {
				left++
			}
		}
	}
	panicking := n > 0 && 100*float64(left) < w.c.PanicThreshold.Float()*float64(n)
	for i := range 8 {
		usable := w.has(i) && (panicking || !gone(w.hosts[i]) && !w.hosts[i].down)
		if got := s.Usable(patterns.Instant(now), i); got != usable {
			t.Fatalf("at %d: host %d is usable: %v, want %v", now, i, got, usable)
		}
		if v, ok := s.Host(patterns.Instant(now), i); ok != w.has(i) || v.Usable != usable || ok && v.Times != w.hosts[i].times {
			t.Fatalf("at %d: host %d: %+v, %v", now, i, v, ok)
		}
	}
	v := s.Snapshot(patterns.Instant(now))
	if v.Hosts != n || v.Panicking != panicking || v.Ejected != w.count(gone) || v.Down != w.count(func(h *twinHost) bool { return h.down }) {
		t.Fatalf("at %d: %+v, want %d hosts, %d gone, panic %v", now, v, n, w.count(gone), panicking)
	}
}
