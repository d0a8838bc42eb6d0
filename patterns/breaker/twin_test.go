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
	out        map[int]bool // permits of this generation, by serial number
	serial     int
	admitted   int // trials of this stay that were not given back unused
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
		w.open(w.due, TrialsExpired, draw)
	}
}

func (w *twin) acquire(now patterns.Instant, draw float64) (twinPermit, bool) {
	w.begin(now, draw)
	if w.state == Open && w.seen >= w.due {
		w.enter(HalfOpen, w.seen, WaitOver)
		if limit := w.c.MaxWaitDurationInHalfOpenState; limit == nil {
			w.due = w.seen.Add(w.c.WaitDurationInOpenState.Std())
		} else if *limit > 0 {
			w.due = w.seen.Add(limit.Std())
		}
	}
	full := w.state == HalfOpen && w.admitted == w.c.PermittedNumberOfCallsInHalfOpenState
	if w.state == Open || w.state == ForcedOpen || full {
		w.refused++
		return twinPermit{}, false
	}
	if w.state == HalfOpen {
		w.admitted++
	}
	w.serial++
	w.out[w.serial] = true
	return twinPermit{w.seen, w.generation, w.serial}, true
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
	if !w.out[p.serial] {
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
	wait := w.c.WaitDurationInOpenState.Std()
	limit := w.c.ExponentialMaxWaitDurationInOpenState.Std()
	if w.c.EnableRandomizedWait && limit > 0 {
		limit = time.Duration(float64(limit) / (1 + w.c.RandomizedWaitFactor))
	}
	for i := 1; w.c.EnableExponentialBackoff && i < w.attempts && (limit == 0 || wait < limit); i++ {
		wait = time.Duration(float64(wait) * w.c.ExponentialBackoffMultiplier)
	}
	if limit > 0 {
		wait = min(wait, limit)
	}
	if f := w.c.RandomizedWaitFactor; w.c.EnableRandomizedWait {
		wait = time.Duration(float64(wait) * (1 - f + 2*f*draw))
	}
	w.due = at.Add(wait)
}

func (w *twin) enter(to State, at patterns.Instant, why Why) {
	w.log = append(w.log, Event{at, w.state, to, why})
	w.state = to
	w.generation++
	w.out, w.told, w.refused, w.due = map[int]bool{}, map[Why]bool{}, 0, patterns.Never
	if to != Open {
		w.fromTrials = to == HalfOpen
		w.calls, w.trials, w.admitted, w.row = nil, nil, 0, 0
	}
	if to == Closed || to == Disabled || to == MetricsOnly {
		w.attempts = 0
	}
}
