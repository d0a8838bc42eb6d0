package outlier

import (
	"math"

	"github.com/resilsim/resilsim/patterns"
)

// Set is a set of hosts and what is held against each. It is not safe for
// concurrent use: a driver with goroutines holds a lock around each method. A copy
// shares memory with the original: keep one. Make it with New.
type Set struct {
	settings *Settings
	hosts    []host
	seen     patterns.Instant // greatest instant heard of (D9)
	due      patterns.Instant // of the next sweep

	present, ejected, out int // out: ejected, down or both
	panicking             bool
	mean, threshold       float64 // of the last sweep, in percent; -1: not judged

	drawn                               int // draws used by the running step
	draws                               uint64
	ejections, detections, spared, late int64
}

type host struct {
	present, ejected, down bool
	times                  uint32 // ejections in a row
	inRow                  uint32 // failures in a row
	total, failed          int64  // of the running interval
	rate                   float64
	ejectedAt, back        patterns.Instant // back: the sweep that brings it back
	ejections              int64
}

// New returns a set of n hosts, numbered from 0, all in use.
func New(s *Settings, n int) *Set {
	set := &Set{settings: s, due: patterns.Instant(s.config.Interval), mean: -1, threshold: -1}
	set.hosts = make([]host, n)
	for i := range set.hosts {
		set.hosts[i] = host{present: true, rate: -1}
	}
	set.present = n
	return set
}

// Report hears how a call to a host ended. Only successes and failures count. It
// reports false, and changes nothing, for a host that is not in the set. The draw in [0,1)
// is used only if this step ejects a host; see Settings.NeedsDraw. Events are
// appended to log, which may be nil. O(1), except at an interval.
func (s *Set) Report(now patterns.Instant, i int, o patterns.Outcome, draw float64, log *[]Event) bool {
	now = s.advance(now, draw, log)
	if !s.has(i) {
		return false
	}
	h := &s.hosts[i]
	if o != patterns.Success && o != patterns.Failure {
		return true
	}
	if h.ejected {
		s.late++
		return true
	}
	h.total++
	if o == patterns.Success {
		h.inRow = 0
		return true
	}
	h.failed++
	h.inRow++
	if most := s.settings.config.ConsecutiveFailures; most > 0 && h.inRow >= uint32(most) {
		h.inRow = 0
		s.detect(now, i, Consecutive, draw, log)
		s.judgePanic(now, log)
	}
	return true
}

// Tick makes the intervals that have passed.
func (s *Set) Tick(now patterns.Instant, draw float64, log *[]Event) { s.advance(now, draw, log) }

// Next returns the instant of the next sweep at which something can happen: one that
// has calls to judge, a host to bring back or times to lower. Without, false.
func (s *Set) Next() (patterns.Instant, bool) {
	for i := range s.hosts {
		if h := &s.hosts[i]; h.ejected || h.times > 0 || h.total > 0 {
			return s.due, true
		}
	}
	return patterns.Never, false
}

// Add puts a host into the set and returns its number: the lowest that is free.
func (s *Set) Add(now patterns.Instant, draw float64, log *[]Event) int {
	now = s.advance(now, draw, log)
	i := 0
	for i < len(s.hosts) && s.hosts[i].present {
		i++
	}
	if i == len(s.hosts) {
		s.hosts = append(s.hosts, host{})
	}
	s.hosts[i] = host{present: true, rate: -1}
	s.present++
	s.judgePanic(now, log)
	return i
}

// Remove takes a host out of the set. Its number may be given to another one: no
// call to it may be under way. It reports false if the host is not in the set.
func (s *Set) Remove(now patterns.Instant, i int, draw float64, log *[]Event) bool {
	now = s.advance(now, draw, log)
	if !s.has(i) {
		return false
	}
	h := &s.hosts[i]
	if h.ejected {
		s.ejected--
	}
	if h.ejected || h.down {
		s.out--
	}
	*h = host{rate: -1}
	s.present--
	s.judgePanic(now, log)
	return true
}

// Mark tells what an active health check says about a host. One that is down is not
// usable, unless the set panics. It reports false if the host is not in the set.
func (s *Set) Mark(now patterns.Instant, i int, down bool, draw float64, log *[]Event) bool {
	now = s.advance(now, draw, log)
	if !s.has(i) {
		return false
	}
	h := &s.hosts[i]
	h.down = down
	s.recount()
	s.judgePanic(now, log)
	return true
}

// Ejected reports whether a host is ejected at the given instant. It changes
// nothing; see the package comment for what it can know.
func (s *Set) Ejected(now patterns.Instant, i int) bool {
	return s.has(i) && s.hosts[i].ejected && max(now, s.seen) < s.hosts[i].back
}

// Usable reports whether calls may go to a host: it is neither ejected nor down,
// or the set panics. False for a host that is not in the set. O(1), or O(hosts) while an
// interval has passed that no step has made.
func (s *Set) Usable(now patterns.Instant, i int) bool {
	return s.has(i) && (!s.hosts[i].down && !s.Ejected(now, i) || s.Panicking(now))
}

// Panicking reports whether so few hosts are in use that all are usable.
func (s *Set) Panicking(now patterns.Instant) bool {
	if max(now, s.seen) < s.due {
		return s.panics(s.out)
	}
	out := 0
	for i := range s.hosts {
		if s.hosts[i].down || s.Ejected(now, i) {
			out++
		}
	}
	return s.panics(out)
}

// Draws returns how many steps have used their draw. A driver keys the next one
// with it.
func (s *Set) Draws() uint64 { return s.draws }

func (s *Set) has(i int) bool { return i >= 0 && i < len(s.hosts) && s.hosts[i].present }

func (s *Set) panics(out int) bool {
	in := int64(s.present - out)
	return s.present > 0 && !s.settings.config.PanicThreshold.Reached(in, int64(s.present))
}

func (s *Set) recount() {
	s.out = 0
	for i := range s.hosts {
		if s.hosts[i].ejected || s.hosts[i].down {
			s.out++
		}
	}
}

func (s *Set) judgePanic(at patterns.Instant, log *[]Event) {
	was := s.panicking
	if s.panicking = s.panics(s.out); s.panicking == was {
		return
	}
	e := Event{At: at, Kind: PanicEnded, Host: -1}
	if s.panicking {
		e.Kind = PanicBegan
	}
	note(log, e)
}

// detect ejects a host that a rule has found, if the share and the rule's
// enforcement allow it.
func (s *Set) detect(at patterns.Instant, i int, why Why, draw float64, log *[]Event) {
	e := Event{At: at, Host: i, Why: why}
	switch {
	case !s.mayEject():
		s.spared++
		e.Kind = HostSpared
	case !s.enforced(why, draw):
		s.detections++
		e.Kind = HostDetected
	default:
		e.Kind = HostEjected
		e.Times, e.Until = s.eject(at, i, draw)
	}
	note(log, e)
}

func (s *Set) mayEject() bool {
	c := &s.settings.config
	if c.AlwaysEjectOneHost && s.ejected == 0 {
		return true
	}
	share := int64(s.ejected+1) * int64(patterns.PercentOf(100))
	return share <= int64(c.MaxEjectionPercent)*int64(s.present)
}

func (s *Set) enforced(why Why, draw float64) bool {
	switch p := s.settings.enforcing[why]; p {
	case 0:
		return false
	case patterns.PercentOf(100):
		return true
	default:
		return s.next(draw)*100 < p.Float()
	}
}

func (s *Set) eject(at patterns.Instant, i int, draw float64) (times int, until patterns.Instant) {
	h := &s.hosts[i]
	h.times = min(h.times+1, s.settings.timesMost)
	u := 0.0
	if s.settings.config.MaxEjectionTimeJitter > 0 {
		u = s.next(draw)
	}
	until = at.Add(s.settings.EjectionTime(int(h.times), u))
	h.ejected, h.ejectedAt, h.back = true, at, s.sweepFrom(until)
	h.inRow = 0
	h.ejections++
	s.ejections++
	s.ejected++
	if !h.down {
		s.out++
	}
	return int(h.times), until
}

// next returns the next draw of this step; see the package comment.
func (s *Set) next(draw float64) float64 {
	if s.drawn == 0 {
		s.draws++
	}
	_, u := math.Modf(draw + float64(float64(s.drawn)*(math.Phi-1)))
	s.drawn++
	return u
}

// sweepFrom returns the first sweep at or after an instant.
func (s *Set) sweepFrom(t patterns.Instant) patterns.Instant {
	interval := int64(s.settings.config.Interval)
	n := int64(t) / interval
	if int64(t)%interval != 0 {
		n++
	}
	if n > math.MaxInt64/interval {
		return patterns.Never
	}
	return patterns.Instant(n * interval)
}
