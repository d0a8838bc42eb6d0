package breaker

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// twin is the breaker told naively: it keeps every result and every permit as a
// thing of its own, and looks at all of them for each decision.
type twin struct {
	c          Config
	seen       patterns.Instant
	state      State
	due        patterns.Instant
	generation int
	calls      []result
	trials     []result
	out        map[int]bool // permits of this generation, by serial number; true: overdue
	serial     int
	limited    bool // this half-open stay has an end
	admitted   int  // trials of this stay that were not given back unused
	row        int
	attempts   int
	openings   int
	late       int
	refused    int
	told       map[Why]bool
	fromTrials bool // the trials have the last word on the rates
	log        []Event
}

type result struct {
	at           patterns.Instant
	failed, slow bool
}

type twinPermit struct {
	start              patterns.Instant
	generation, serial int
}

func newTwin(c Config) *twin {
	return &twin{c: c, generation: 1, out: map[int]bool{}, told: map[Why]bool{}, due: patterns.Never}
}

func (w *twin) begin(now patterns.Instant, draw float64) {
	w.seen = max(w.seen, now)
	if w.state == HalfOpen && w.seen >= w.due {
		if w.c.TransitionToStateAfterWaitDuration == ToClosed {
			w.enter(Closed, w.due, TrialsExpired)
		} else {
			w.open(w.due, TrialsExpired, draw)
		}
	}
	if w.c.AutomaticTransitionFromOpenToHalfOpenEnabled && w.state == Open && w.seen >= w.due {
		w.enter(HalfOpen, w.due, WaitOver)
	}
}

func (w *twin) acquire(now patterns.Instant, draw float64) (twinPermit, bool) {
	w.begin(now, draw)
	if w.state == Open && w.seen >= w.due {
		w.enter(HalfOpen, w.seen, WaitOver)
	}
	full := w.state == HalfOpen && w.admitted == w.c.PermittedNumberOfCallsInHalfOpenState
	if w.state == Open || w.state == ForcedOpen || full {
		w.refused++
		return twinPermit{}, false
	}
	if w.state == HalfOpen {
		w.admitted++
		limit := w.c.WaitDurationInOpenState
		if w.c.MaxWaitDurationInHalfOpenState != nil {
			limit = *w.c.MaxWaitDurationInHalfOpenState
		}
		if !w.limited && limit > 0 {
			w.limited, w.due = true, w.seen.Add(limit.Std())
		}
	}
	w.serial++
	w.out[w.serial] = false
	return twinPermit{w.seen, w.generation, w.serial}, true
}

// overdue counts a running call as slow if the rule says so.
func (w *twin) overdue(now patterns.Instant, p twinPermit, draw float64) bool {
	w.begin(now, draw)
	marked, out := w.out[p.serial]
	slow := w.seen.Sub(p.start) > w.c.SlowCallDurationThreshold.Std()
	if !w.c.CountRunningSlowCalls || p.generation != w.generation || !out || marked || !slow || w.state == Disabled {
		return false
	}
	w.out[p.serial] = true
	if w.state == HalfOpen {
		w.judgeTrials(draw)
	} else {
		w.judgeCalls(draw)
	}
	return true
}

// running returns the overdue calls as results that ended well, but slowly.
func (w *twin) running() []result {
	var rs []result
	for _, marked := range w.out { // order-free: they are all alike
		if marked {
			rs = append(rs, result{slow: true})
		}
	}
	return rs
}

func (w *twin) report(now patterns.Instant, p twinPermit, o patterns.Outcome, draw float64) bool {
	w.begin(now, draw)
	real := o == patterns.Success || o == patterns.Failure
	if p.generation != w.generation {
		if real {
			w.late++
		}
		return true
	}
	if _, out := w.out[p.serial]; !out {
		return false
	}
	delete(w.out, p.serial)
	if !real {
		w.admitted--
		return true
	}
	r := result{w.seen, o == patterns.Failure, false}
	r.slow = w.c.SlowCallDurationThreshold > 0 && w.seen.Sub(p.start) > w.c.SlowCallDurationThreshold.Std()
	switch w.state {
	case Closed, MetricsOnly:
		w.calls = append(w.calls, r)
		w.row++
		if !r.failed {
			w.row = 0
		}
		w.judgeCalls(draw)
	case HalfOpen:
		w.trials = append(w.trials, r)
		w.judgeTrials(draw)
	}
	return true
}

func (w *twin) open(at patterns.Instant, why Why, draw float64) {
	w.openings++
	w.attempts++
	w.fromTrials = w.state == HalfOpen
	w.enter(Open, at, why)
	wait := float64(w.c.WaitDurationInOpenState)
	limit := float64(w.c.ExponentialMaxWaitDurationInOpenState)
	if w.c.EnableRandomizedWait && limit > 0 {
		limit /= 1 + w.c.RandomizedWaitFactor
	}
	for i := 1; w.c.EnableExponentialBackoff && i < w.attempts && (limit == 0 || wait < limit); i++ {
		wait *= w.c.ExponentialBackoffMultiplier
	}
	if limit > 0 {
		wait = min(wait, limit)
	}
	if f := w.c.RandomizedWaitFactor; w.c.EnableRandomizedWait {
		wait *= 1 - f + 2*f*draw
	}
	w.due = at.Add(time.Duration(wait))
}

func (w *twin) enter(to State, at patterns.Instant, why Why) {
	w.log = append(w.log, Event{at, w.state, to, why})
	w.state = to
	w.generation++
	w.out, w.told, w.refused, w.due = map[int]bool{}, map[Why]bool{}, 0, patterns.Never
	w.limited = false
	if to != Open {
		w.fromTrials = to == HalfOpen
		w.calls, w.trials, w.admitted, w.row = nil, nil, 0, 0
	}
	if to == Closed || to == Disabled || to == MetricsOnly {
		w.attempts = 0
	}
}
