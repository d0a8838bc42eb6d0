package adaptive

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Signal is what a limit learns from a call that has ended.
type Signal uint8

const (
	// NoSample: the call says nothing about the load: ignored, not made, or
	// failed in a way that has no round trip.
	NoSample Signal = iota
	// Answered: its duration is a round trip.
	Answered
	// Dropped: it timed out, or the dependency refused it as too much. How long
	// that took is no round trip.
	Dropped
)

// String returns the signal in lower case words.
func (s Signal) String() string {
	switch s {
	case NoSample:
		return "no sample"
	case Answered:
		return "answered"
	case Dropped:
		return "dropped"
	}
	return "unknown"
}

// SignalOf returns what a result says about the load. A success is a round
// trip. A failure by timeout, by the caller's deadline or by refusal at the
// dependency's door is a drop. Any other failure is no sample: errors come fast
// and would pass for an idle dependency.
func SignalOf(r patterns.Result) Signal {
	switch r.Outcome {
	case patterns.Success:
		return Answered
	case patterns.Failure:
		switch r.Reason {
		case patterns.AttemptTimeout, patterns.DeadlineExceeded, patterns.Rejected:
			return Dropped
		}
	}
	return NoSample
}

// Verdict is the answer to a call that asks to pass.
type Verdict struct {
	OK bool
	// Limit at that moment, and InFlight, the number of calls that were inside,
	// the asker not counted.
	Limit, InFlight int
}

// Limiter is one adaptive limit. It is not safe for concurrent use: a driver
// with goroutines holds a lock around each method. A copy shares its memory with
// the original: keep one.
type Limiter struct {
	settings *Settings
	limit    float64          // as the algorithm reckons; the limit is its whole part
	seen     patterns.Instant // greatest instant handed in
	learnt   learnt
	calls    slab
	inFlight int
	busy     []int // by partition
	window   *window
	median   *median
	envoy    *envoy
	counts   counts
}

// learnt is what the algorithms that are fed with single samples remember.
type learnt struct {
	base    float64 // round trip without load, ns; 0: not known yet
	sum     float64 // gradient2: of the warm-up
	samples int64   // since the last probe; gradient2: of the warm-up
	chance  float64 // draw of the running period
	drawn   bool    // whether there is one
}

type counts struct {
	granted, refused, answered, dropped, probes int64
	draws                                       uint32
}

// sample is what an algorithm is fed with.
type sample struct {
	rtt      float64 // ns, above 0
	inFlight int     // when the call began, itself included
	dropped  bool
	measured bool // the rtt is a round trip; otherwise at best a lower bound of one
}

// New returns a limiter with its initial limit and memory of its own.
func New(s *Settings) Limiter {
	l := Limiter{settings: s, limit: s.initial, calls: slab{free: none}}
	if len(s.partitions) > 0 {
		l.busy = make([]int, len(s.partitions))
	}
	if s.window != nil {
		l.window = newWindow(s.window)
	}
	if s.median > 0 {
		l.median = newMedian(s.median)
	}
	if s.algorithm == Envoy {
		l.envoy = new(envoy)
		l.measure(0)
	}
	return l
}

// Acquire asks whether a call may pass at the given instant. If the verdict is
// OK the permit must be given to Report exactly once, whatever becomes of the
// call; otherwise there is no permit. O(1); memory grows only with the number of
// calls inside at one time.
func (l *Limiter) Acquire(now patterns.Instant) (Permit, Verdict) {
	return l.AcquireIn(now, Unknown)
}

// AcquireIn is Acquire for a call of the given partition. While fewer calls than
// the limit are inside every partition may take what is free. Beyond, a call
// passes as long as its partition has less than its share: so the total may
// exceed the limit, by less than the limit and one for each partition.
func (l *Limiter) AcquireIn(now patterns.Instant, partition int) (Permit, Verdict) {
	now = l.clock(now)
	v := Verdict{Limit: l.Limit(), InFlight: l.inFlight}
	if v.InFlight >= v.Limit && !l.inShare(partition) {
		l.counts.refused++
		return Permit{}, v
	}
	v.OK = true
	l.inFlight++
	l.counts.granted++
	if partition >= 0 && partition < len(l.busy) {
		l.busy[partition]++
	} else {
		partition = Unknown
	}
	return l.calls.take(now, l.inFlight, partition), v
}

// Report gives a permit back with what the call says about the load. It reports
// whether the permit was accepted: one that was never given, or was given back
// before, is refused and changes nothing. The draw in [0,1) is used only if this
// step begins a new period until a probe; see Settings.NeedsDraw.
func (l *Limiter) Report(now patterns.Instant, p Permit, signal Signal, draw float64) bool {
	call, ok := l.calls.giveBack(p)
	if !ok {
		return false
	}
	now = l.clock(now)
	l.inFlight--
	if call.partition >= 0 {
		l.busy[call.partition]--
	}
	if signal != Answered && signal != Dropped {
		return true
	}
	x := sample{
		rtt: float64(max(now.Sub(p.Start), 1)), inFlight: int(call.inFlight),
		dropped: signal == Dropped, measured: signal == Answered,
	}
	if x.dropped {
		l.counts.dropped++
	} else {
		l.counts.answered++
	}
	if l.envoy != nil {
		l.hear(now, p.Start, x, draw)
		return true
	}
	l.feed(now, x, draw)
	return true
}

// feed hands a sample to the algorithm, through window and median if there are.
func (l *Limiter) feed(now patterns.Instant, x sample, draw float64) {
	ready := true
	if l.window != nil {
		x, ready = l.window.add(now, x)
	}
	if ready && l.median != nil {
		x, ready = l.median.add(x)
	}
	if ready {
		l.limit = l.settings.clamp(l.learn(x, draw))
	}
}

// learn returns the next limit according to the algorithm.
func (l *Limiter) learn(x sample, draw float64) float64 {
	switch l.settings.algorithm {
	case AIMD:
		return l.settings.aimd(l.limit, x)
	case Vegas:
		return l.vegas(x, draw)
	case Gradient:
		return l.gradient(x, draw)
	}
	return l.settings.gradient2(&l.learnt, l.limit, x)
}

// Limit returns how many calls may be inside at the latest instant handed in. It
// is from minLimit to maxLimit.
func (l *Limiter) Limit() int { return int(l.limit) }

// InFlight returns how many permits are out.
func (l *Limiter) InFlight() int { return l.inFlight }

// Draws returns how many draws were used. A driver keys the next one with it.
func (l *Limiter) Draws() uint32 { return l.counts.draws }

// Next returns the instant at which the limit changes without being asked: only
// envoy's does.
func (l *Limiter) Next() (patterns.Instant, bool) {
	if l.envoy == nil {
		return patterns.Never, false
	}
	return l.due()
}

// Tick makes the change that Next announced, if it is due. Nobody has to call
// it: the outcome is the same without.
func (l *Limiter) Tick(now patterns.Instant) { l.clock(now) }

// Snapshot is what a limiter shows at an instant.
type Snapshot struct {
	Limit, InFlight int
	// Estimate is the limit as the algorithm reckons, with its fraction.
	Estimate float64
	// Base is the round trip that counts as unloaded; 0: not known or not used.
	Base time.Duration
	// Measuring: envoy measures the least round trip, the limit is pinned.
	Measuring bool
	// Granted and Refused askers; calls Answered and Dropped; Probes, the times
	// that the base was measured anew, in all.
	Granted, Refused, Answered, Dropped, Probes int64
}

// Snapshot returns all figures at the given instant.
func (l *Limiter) Snapshot(now patterns.Instant) Snapshot {
	l.clock(now)
	base := l.learnt.base
	if l.envoy != nil {
		base = l.envoy.least
	}
	c := l.counts
	return Snapshot{
		Limit: l.Limit(), InFlight: l.inFlight, Estimate: l.limit, Base: time.Duration(base),
		Measuring: l.envoy != nil && l.envoy.measuring,
		Granted:   c.granted, Refused: c.refused, Answered: c.answered, Dropped: c.dropped, Probes: c.probes,
	}
}

// clock returns now, but never less than an instant seen before, and makes the
// changes that are due until then.
func (l *Limiter) clock(now patterns.Instant) patterns.Instant {
	l.seen = max(l.seen, now)
	if l.envoy != nil {
		l.advance(l.seen)
	}
	return l.seen
}

// draw uses the driver's draw and counts it.
func (l *Limiter) draw(u float64) float64 {
	l.counts.draws++
	return u
}
