package breaker

import (
	"math"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/window"
)

// trialRule decides a half-open stay. All three modes are one rule with other
// numbers: against closing at failedLimit failures or slowLimit slow calls,
// counted over the first results trials; early asks after every trial whether
// the answer is already certain, otherwise it is asked once, at the end.
type trialRule struct {
	permitted   uint32 // trials that may be out at once and in all
	results     uint32 // results that decide
	failedLimit uint32
	slowLimit   uint32 // MaxUint32: slow calls do not decide
	early       bool
}

func newTrialRule(c Config) trialRule {
	permitted := c.PermittedNumberOfCallsInHalfOpenState
	results := permitted
	if c.MinimumNumberOfCalls > 0 {
		results = min(results, c.MinimumNumberOfCalls)
	}
	mode := c.HalfOpenDecision
	if mode == "" && c.ConsecutiveFailures > 0 {
		mode = FirstFailure
	}
	if mode == FirstFailure || (mode == Early && c.HalfOpenSuccesses > 0) {
		results = permitted
	}
	r := trialRule{
		permitted:   uint32(permitted),
		results:     uint32(results),
		failedLimit: reachedAt(c.FailureRateThreshold, results),
		slowLimit:   math.MaxUint32,
		early:       mode == Early || mode == FirstFailure,
	}
	if c.SlowCallRateThreshold > 0 && c.SlowCallDurationThreshold > 0 {
		r.slowLimit = reachedAt(c.SlowCallRateThreshold, results)
	}
	switch {
	case mode == FirstFailure:
		r.failedLimit = 1
	case mode == Early && c.HalfOpenSuccesses > 0:
		r.failedLimit = uint32(permitted - c.HalfOpenSuccesses + 1)
	}
	return r
}

// reachedAt returns the least part of total that reaches p, at least 1.
func reachedAt(p patterns.Percent, total int) uint32 {
	whole := int64(patterns.PercentOf(100))
	return uint32(max((int64(p)*int64(total)+whole-1)/whole, 1))
}

type decision uint8

const (
	undecided decision = iota
	shut
	reopen
)

func (r *trialRule) decide(c window.Counts) decision {
	left := int64(r.results) - c.Total
	if !r.early && left > 0 {
		return undecided
	}
	if c.Failed >= int64(r.failedLimit) || c.Slow >= int64(r.slowLimit) {
		return reopen
	}
	if c.Failed+left < int64(r.failedLimit) && c.Slow+left < int64(r.slowLimit) {
		return shut
	}
	return undecided
}
