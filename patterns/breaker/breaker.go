package breaker

import (
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/window"
)

// Breaker is one circuit breaker. It is not safe for concurrent use: a driver
// with goroutines holds a lock around each method. A copy shares the window's
// memory with the original: keep one. Make it with New, NewFleet or Init.
type Breaker struct {
	// What every call touches lies together, what only half-open needs behind it.
	settings *Settings
	seen     patterns.Instant // greatest instant handed in
	due      patterns.Instant // end of the open wait, or of half-open

	generation  uint32 // number of the stay in the present state
	inFlight    uint32 // permits of this generation not given back
	overdue     uint32 // permits of this generation whose running calls are slow
	failedInRow uint32
	state       State
	fromTrials  bool          // the trials, not the window, are the last word on the rates
	told        uint8         // MetricsOnly: a bit for each Why that was told
	calls       window.Window // what Closed and MetricsOnly record

	out          uint64      // trials out, by the low six bits of their number
	trials       trialCounts // what HalfOpen records
	openings     uint32
	attempts     uint32 // openings since the breaker was last closed
	permitsLeft  uint32 // trials that may still be admitted
	trialSeq     uint32 // number of the latest trial of this stay
	notPermitted uint32
	late         uint32
}

type trialCounts struct{ total, failed, slow, slowFailed uint32 }

// New returns a closed breaker with memory of its own.
func New(s *Settings) Breaker {
	var b Breaker
	b.Init(s, make([]uint64, s.Cells()))
	return b
}

// NewFleet returns n closed breakers whose windows lie in one slab.
func NewFleet(s *Settings, n int) []Breaker {
	cells := s.Cells()
	slab := make([]uint64, n*cells)
	fleet := make([]Breaker, n)
	for i := range fleet {
		fleet[i].Init(s, slab[i*cells:(i+1)*cells])
	}
	return fleet
}

// Cells returns the number of words of memory that the window of one breaker
// needs.
func (s *Settings) Cells() int { return s.shape.Cells() }

// Init makes b a closed breaker whose window lives in mem: Cells words, all
// zero, used for nothing else.
func (b *Breaker) Init(s *Settings, mem []uint64) {
	*b = Breaker{settings: s, calls: s.shape.In(mem), due: patterns.Never, generation: 1}
}

// Acquire asks whether a call may pass at the given instant. If the verdict is
// OK the permit must be given to Report exactly once, whatever becomes of the
// call; otherwise there is no permit. The draw is used only if this step opens
// the breaker. Events are appended to log, which may be nil. O(1).
func (b *Breaker) Acquire(now patterns.Instant, draw float64, log *[]Event) (Permit, Verdict) {
	now = b.clock(now)
	b.expire(draw, log)
	switch b.state {
	case Open:
		if now < b.due {
			b.notPermitted++
			return Permit{}, Verdict{RetryAfter: b.due.Sub(now)}
		}
		b.enter(HalfOpen, now, WaitOver, log)
		return b.admitTrial(now)
	case HalfOpen:
		return b.admitTrial(now)
	case ForcedOpen:
		b.notPermitted++
		return Permit{}, Verdict{}
	}
	b.inFlight++
	return Permit{Start: now, Generation: b.generation}, Verdict{OK: true}
}

func (b *Breaker) admitTrial(now patterns.Instant) (Permit, Verdict) {
	if b.permitsLeft == 0 {
		b.notPermitted++
		return Permit{}, Verdict{}
	}
	if b.due == patterns.Never && b.settings.halfOpenMax > 0 {
		b.due = now.Add(b.settings.halfOpenMax)
	}
	b.permitsLeft--
	b.inFlight++
	b.trialSeq++
	b.out |= 1 << (b.trialSeq & 63)
	return Permit{Start: now, Generation: b.generation, Trial: b.trialSeq}, Verdict{OK: true}
}

// Report gives a permit back with the call's outcome and the instant at which it
// ended. It reports whether the permit was accepted: one that was never given,
// or was given back before as far as that can be seen, is refused and changes
// nothing. A result of an earlier generation is accepted and counts only as
// late. The draw is used only if this step opens the breaker. O(1).
func (b *Breaker) Report(now patterns.Instant, p Permit, o patterns.Outcome, draw float64, log *[]Event) bool {
	now = b.clock(now)
	b.expire(draw, log)
	if p.Generation == 0 || int32(b.generation-p.Generation) < 0 {
		return false
	}
	counted := o == patterns.Success || o == patterns.Failure
	if p.Generation != b.generation {
		if counted {
			b.late++
		}
		return true
	}
	if !b.takeBack(p) {
		return false
	}
	if !counted {
		if b.state == HalfOpen {
			b.permitsLeft++
		}
		return true
	}
	slow := b.settings.slowAfter > 0 && now.Sub(p.Start) > b.settings.slowAfter
	b.record(now, o == patterns.Failure, slow, draw, log)
	return true
}

// takeBack accounts for a returned permit of this generation.
func (b *Breaker) takeBack(p Permit) bool {
	if !b.isOut(p) {
		return false
	}
	if p.Trial > 0 && b.trialSeq-p.Trial < 64 {
		b.out &^= 1 << (p.Trial & 63)
	}
	b.inFlight--
	if p.overdue && b.overdue > 0 {
		b.overdue--
	}
	return true
}

// isOut reports whether a permit of this generation has not been given back, as
// far as that is known. Only the latest 64 trials are told apart; of older ones,
// and outside half-open, it is only known how many are out.
func (b *Breaker) isOut(p Permit) bool {
	if b.inFlight == 0 || (p.Trial == 0) == (b.state == HalfOpen) || p.Trial > b.trialSeq {
		return false
	}
	return p.Trial == 0 || b.trialSeq-p.Trial >= 64 || b.out&(1<<(p.Trial&63)) != 0
}

// State returns the state at the given instant, half-open's expiry and an
// automatic end of the open wait included. It changes nothing. Without
// automaticTransitionFromOpenToHalfOpenEnabled an open breaker whose wait is over
// is still open: it becomes half-open when a call asks. With it, and a randomised
// wait, an expired half-open stay shows as Open until the next step or Tick: how
// long it lasts is not drawn yet.
func (b *Breaker) State(now patterns.Instant) State {
	s := b.settings
	now = max(now, b.seen)
	switch {
	case now < b.due:
		return b.state
	case b.state == Open && s.automatic:
		return HalfOpen
	case b.state != HalfOpen:
		return b.state
	case s.expiresClosed:
		return Closed
	case s.automatic && s.spread == 0 && now >= b.due.Add(s.wait(b.attempts+1, 0)):
		return HalfOpen
	}
	return Open
}

// Next returns the instant at which the breaker changes without being asked: the
// end of a half-open stay that has a limit and a trial, and of the open wait if the
// transition is automatic.
func (b *Breaker) Next() (patterns.Instant, bool) {
	waits := b.state == HalfOpen || (b.state == Open && b.settings.automatic)
	if waits && b.due != patterns.Never {
		return b.due, true
	}
	return patterns.Never, false
}

// Tick makes the change that Next announced, if it is due. Nobody has to call
// it: the outcome is the same without.
func (b *Breaker) Tick(now patterns.Instant, draw float64, log *[]Event) {
	b.clock(now)
	b.expire(draw, log)
}

// Openings returns how often the breaker has opened, by force included. A driver
// keys the draw of the next opening with it.
func (b *Breaker) Openings() uint32 { return b.openings }

// clock returns now, but never less than an instant seen before.
func (b *Breaker) clock(now patterns.Instant) patterns.Instant {
	b.seen = max(b.seen, now)
	return b.seen
}

// expire ends a half-open stay at its scheduled instant, however much later that
// is noticed, so that the open wait does not depend on who looks when. The same for
// an open wait that ends by itself. The half-open stay that this begins has no end
// before it has a trial, so that nothing is left to do after an idle year.
func (b *Breaker) expire(draw float64, log *[]Event) {
	if b.state == HalfOpen && b.seen >= b.due {
		if b.settings.expiresClosed {
			b.enter(Closed, b.due, TrialsExpired, log)
			return
		}
		b.open(b.due, TrialsExpired, draw, log)
	}
	if b.state == Open && b.settings.automatic && b.seen >= b.due {
		b.enter(HalfOpen, b.due, WaitOver, log)
	}
}
