package breaker

import (
	"math/big"

	"github.com/resilsim/resilsim/patterns"
)

// window returns what the sliding window holds.
func (w *twin) window() []result {
	if w.c.SlidingWindowType != TimeBased {
		return w.calls[max(0, len(w.calls)-w.c.SlidingWindowSize):]
	}
	var in []result
	for _, r := range w.calls {
		if int64(r.at)/1e9 > int64(w.seen)/1e9-int64(w.c.SlidingWindowSize) {
			in = append(in, r)
		}
	}
	return in
}

func tally(rs []result) (failed, slow, slowFailed int) {
	for _, r := range rs {
		if r.failed {
			failed++
		}
		if r.slow {
			slow++
		}
		if r.failed && r.slow {
			slowFailed++
		}
	}
	return failed, slow, slowFailed
}

// reached compares a share with a threshold as fractions of any size.
func reached(part, total int, p patterns.Percent) bool {
	return total > 0 && big.NewRat(int64(part)*100, int64(total)).Cmp(big.NewRat(int64(p), 1000)) >= 0
}

func (w *twin) minimum() int {
	if w.c.SlidingWindowType == TimeBased {
		return w.c.MinimumNumberOfCalls
	}
	return min(w.c.MinimumNumberOfCalls, w.c.SlidingWindowSize)
}

func (w *twin) judgeCalls(draw float64) {
	in := w.window()
	failed, _, _ := tally(in)
	both := append(w.running(), in...)
	_, slow, _ := tally(both)
	var whys []Why
	if w.c.ConsecutiveFailures > 0 {
		if w.row >= w.c.ConsecutiveFailures {
			whys = append(whys, Consecutive)
		}
	} else {
		if len(in) >= w.minimum() && reached(failed, len(in), w.c.FailureRateThreshold) {
			whys = append(whys, FailureRate)
		}
		if len(both) >= w.minimum() && reached(slow, len(both), w.c.SlowCallRateThreshold) {
			whys = append(whys, SlowRate)
		}
	}
	for _, why := range whys {
		if w.state == Closed {
			w.open(w.seen, why, draw)
			return
		}
		if !w.told[why] {
			w.told[why] = true
			w.log = append(w.log, Event{w.seen, MetricsOnly, MetricsOnly, why})
			return
		}
	}
}

// judgeTrials asks the verdict of the mode. Early asks what the verdict would be
// if all that is still to come were good, and if it were bad.
func (w *twin) judgeTrials(draw float64) {
	permitted := w.c.PermittedNumberOfCallsInHalfOpenState
	needed := min(permitted, w.c.MinimumNumberOfCalls)
	mode := w.c.HalfOpenDecision
	if mode == "" && w.c.ConsecutiveFailures > 0 {
		mode = FirstFailure
	}
	if mode == FirstFailure || (mode == Early && w.c.HalfOpenSuccesses > 0) {
		needed = permitted
	}
	bad := func(rs []result) bool {
		failed, slow, _ := tally(rs)
		if reached(slow, len(rs), w.c.SlowCallRateThreshold) {
			return true
		}
		switch {
		case mode == FirstFailure:
			return failed > 0
		case mode == Early && w.c.HalfOpenSuccesses > 0:
			return len(rs)-failed < w.c.HalfOpenSuccesses
		}
		return reached(failed, len(rs), w.c.FailureRateThreshold)
	}
	// Running trials may only speak against closing, in the place of results to come.
	with := append(append([]result{}, w.trials...), w.running()...)
	with = with[:min(len(with), max(needed, len(w.trials)))]
	if w.certain(with, needed, mode, result{}, bad, true) {
		w.open(w.seen, TrialsFailed, draw)
	} else if w.certain(w.trials, needed, mode, result{failed: true, slow: true}, bad, false) {
		w.enter(Closed, w.seen, TrialsPassed)
	}
}

// certain fills the results up with ones of a kind to all that are needed and asks
// whether the verdict is then as wanted. Only the early modes may ask before all
// results are there.
func (w *twin) certain(rs []result, needed int, mode Decision, rest result, bad func([]result) bool, wanted bool) bool {
	if mode != Early && mode != FirstFailure && len(rs) < needed {
		return false
	}
	all := append([]result{}, rs...)
	for len(all) < needed {
		all = append(all, rest)
	}
	return bad(all) == wanted
}
