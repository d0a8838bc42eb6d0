package breaker

import (
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/window"
)

// record counts a result of the present generation and draws the conclusion.
func (b *Breaker) record(now patterns.Instant, failed, slow bool, draw float64, log *[]Event) {
	switch b.state {
	case Closed, MetricsOnly:
		b.calls.Add(now, failed, slow)
		if failed {
			b.failedInRow++
		} else {
			b.failedInRow = 0
		}
		b.judgeCalls(now, draw, log)
	case HalfOpen:
		b.trials.add(failed, slow)
		b.judgeTrials(now, draw, log)
	}
}

func (b *Breaker) judgeCalls(now patterns.Instant, draw float64, log *[]Event) {
	why, reached := b.exceeded(now)
	if !reached {
		return
	}
	if b.state == Closed {
		b.open(now, why, draw, log)
	} else if b.told&(1<<why) == 0 {
		b.told |= 1 << why
		note(log, Event{At: now, From: MetricsOnly, To: MetricsOnly, Why: why})
	}
}

// judgeTrials lets trials that are still running and slow speak against closing,
// never for it, and no more of them than there are results to come.
func (b *Breaker) judgeTrials(now patterns.Instant, draw float64, log *[]Event) {
	rule, c := &b.settings.trials, b.trials.counts()
	verdict := rule.decide(c)
	if b.overdue > 0 && verdict == undecided {
		with := withRunning(c, min(int64(b.overdue), int64(rule.results)-c.Total))
		if rule.decide(with) == reopen {
			verdict = reopen
		}
	}
	switch verdict {
	case reopen:
		b.open(now, TrialsFailed, draw, log)
	case shut:
		b.enter(Closed, now, TrialsPassed, log)
	}
}

// withRunning adds running slow calls, as if they had ended well.
func withRunning(c window.Counts, calls int64) window.Counts {
	c.Total += calls
	c.Slow += calls
	return c
}

// exceeded reports which threshold the recorded calls have reached. In
// MetricsOnly a threshold that was told already gives way to one that was not.
// Running slow calls are part of the slow rate only, so that they hide no failure.
func (b *Breaker) exceeded(now patterns.Instant) (Why, bool) {
	s := b.settings
	if s.consecutive > 0 {
		return Consecutive, b.failedInRow >= s.consecutive
	}
	c := b.calls.Read(now)
	failure := c.Total >= s.minimum && s.failureRate.Reached(c.Failed, c.Total)
	if failure && b.told&(1<<FailureRate) == 0 {
		return FailureRate, true
	}
	c = withRunning(c, int64(b.overdue))
	return SlowRate, c.Total >= s.minimum && s.slowRate.Reached(c.Slow, c.Total)
}

// open enters Open at the given instant and starts the open wait.
func (b *Breaker) open(at patterns.Instant, why Why, draw float64, log *[]Event) {
	b.fromTrials = b.state == HalfOpen
	b.openings++
	b.attempts++
	b.enter(Open, at, why, log)
	b.due = at.Add(b.settings.wait(b.attempts, draw))
}

// enter begins a new generation in the given state. Open keeps the counts that
// led to it; every other state begins with none.
func (b *Breaker) enter(to State, at patterns.Instant, why Why, log *[]Event) {
	note(log, Event{At: at, From: b.state, To: to, Why: why})
	b.state = to
	b.generation++
	if b.generation == 0 {
		b.generation = 1
	}
	b.inFlight, b.overdue, b.notPermitted, b.told, b.out = 0, 0, 0, 0, 0
	b.due = patterns.Never
	if to == Open {
		return
	}
	b.calls.Reset()
	b.failedInRow = 0
	b.trials, b.trialSeq = trialCounts{}, 0
	b.fromTrials = to == HalfOpen
	switch to {
	case HalfOpen:
		b.permitsLeft = b.settings.trials.permitted
	case Closed, Disabled, MetricsOnly:
		b.attempts = 0
	}
}

// Force puts the breaker into a state by an operator's hand and reports whether
// that is a legal step, as in resilience4j: not from Closed to HalfOpen, and
// from MetricsOnly only to Closed, ForcedOpen or Disabled. Forcing the state
// that the breaker is in changes nothing. The draw is used when it opens.
func (b *Breaker) Force(now patterns.Instant, to State, draw float64, log *[]Event) bool {
	now = b.clock(now)
	b.expire(draw, log)
	switch {
	case to > MetricsOnly,
		b.state == Closed && to == HalfOpen,
		b.state == MetricsOnly && (to == Open || to == HalfOpen):
		return false
	case b.state == to:
	case to == Open:
		b.open(now, Forced, draw, log)
	default:
		if to == ForcedOpen {
			b.attempts++
		}
		b.enter(to, now, Forced, log)
	}
	return true
}

// Reset closes the breaker with an empty window, from whatever state it is in.
// Permits that are out count as late. A breaker with an automatic transition and a
// randomised wait is to be ticked first, since Reset draws nothing.
func (b *Breaker) Reset(now patterns.Instant, log *[]Event) {
	now = b.clock(now)
	b.expire(0, log) // the open wait that it draws ends in the same step
	b.enter(Closed, now, ResetAsked, log)
}

// Snapshot is what a breaker shows at an instant. Counts and rates are those of
// the window, or of the trials in a half-open stay and the open one after it.
type Snapshot struct {
	State State
	// FailureRate and SlowRate are in percent, -1 while too few calls are recorded.
	// SlowRate includes the calls of Overdue.
	FailureRate, SlowRate          float64
	Buffered, Succeeded, Failed    int64
	Slow, SlowFailed               int64
	NotPermitted                   int64 // refused since the present state began
	Late                           int64 // results of an earlier generation, in all
	Overdue                        int64 // running calls that count as slow
	InFlight                       int64 // permits out since the present state began
	Openings, Attempts, Generation uint32
}

// Snapshot returns all counters at the given instant. It expires the window but
// does not change the state; State tells the one of the given instant.
func (b *Breaker) Snapshot(now patterns.Instant) Snapshot {
	now = b.clock(now)
	c, least := b.calls.Read(now), b.settings.minimum
	if b.fromTrials {
		c, least = b.trials.counts(), int64(b.settings.trials.results)
	}
	s := Snapshot{
		State: b.State(now), FailureRate: -1, SlowRate: -1,
		Buffered: c.Total, Succeeded: c.Succeeded(), Failed: c.Failed,
		Slow: c.Slow, SlowFailed: c.SlowFailed,
		NotPermitted: int64(b.notPermitted), Late: int64(b.late), InFlight: int64(b.inFlight),
		Overdue:  int64(b.overdue),
		Openings: b.openings, Attempts: b.attempts, Generation: b.generation,
	}
	if c.Total >= least {
		s.FailureRate = 100 * float64(c.Failed) / float64(c.Total)
	}
	if c = withRunning(c, int64(b.overdue)); c.Total >= least {
		s.SlowRate = 100 * float64(c.Slow) / float64(c.Total)
	}
	return s
}

func (t *trialCounts) add(failed, slow bool) {
	t.total++
	if failed {
		t.failed++
	}
	if slow {
		t.slow++
	}
	if failed && slow {
		t.slowFailed++
	}
}

func (t *trialCounts) counts() window.Counts {
	return window.Counts{
		Total: int64(t.total), Failed: int64(t.failed),
		Slow: int64(t.slow), SlowFailed: int64(t.slowFailed),
	}
}

func note(log *[]Event, e Event) {
	if log != nil {
		*log = append(*log, e)
	}
}
