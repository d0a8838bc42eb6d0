package patterns_test

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/window"
)

func breakerConfig(p peerConfig) breaker.Config {
	c := breaker.Defaults()
	c.WaitDurationInOpenState = millis(float64(p.WaitOpen))
	c.PermittedNumberOfCallsInHalfOpenState = p.Permitted
	c.HalfOpenDecision = breaker.Decision(p.HalfOpen)
	c.HalfOpenSuccesses = p.SuccessNeeded
	if p.Mode == "consecutive" {
		c.ConsecutiveFailures = p.Failures
	}
	switch p.Window {
	case "count":
		c.SlidingWindowSize = int(p.Size)
	case "time":
		c.SlidingWindowType = breaker.TimeBased
		c.SlidingWindowSize = int(p.Size / 1000)
	}
	if p.MinimumCalls != nil {
		c.MinimumNumberOfCalls = *p.MinimumCalls
	}
	if p.FailureRate != nil {
		c.FailureRateThreshold = patterns.PercentOf(*p.FailureRate)
	}
	if p.SlowCall != nil {
		c.SlowCallDurationThreshold = millis(float64(*p.SlowCall))
	}
	if p.SlowRate != nil {
		c.SlowCallRateThreshold = patterns.PercentOf(*p.SlowRate)
	}
	if p.WaitMultiplier > 0 {
		c.EnableExponentialBackoff = true
		c.ExponentialBackoffMultiplier = p.WaitMultiplier
	}
	if p.MaxWaitHalfOpen != nil {
		limit := millis(float64(*p.MaxWaitHalfOpen))
		c.MaxWaitDurationInHalfOpenState = &limit
	}
	return c
}

// breakerScript plays the steps of one case on one breaker.
type breakerScript struct {
	b       breaker.Breaker
	permits map[string]breaker.Permit
	log     []breaker.Event
}

func runBreakerCase(t *testing.T, c peerCase) {
	cfg := settings(t, c)
	compiled, err := breaker.Compile(breakerConfig(cfg))
	if err != nil {
		t.Fatal(err)
	}
	s := breakerScript{b: breaker.New(compiled), permits: map[string]breaker.Permit{}}
	for i, step := range c.Steps {
		s.play(t, i, step)
		now := at(step.T + step.Took)
		snap := s.b.Snapshot(now)
		if step.State != nil {
			state := s.b.State(now).String()
			same(t, i, "state", state, step.State)
		}
		near(t, i, "failure_rate", snap.FailureRate, step.FailureRate)
		near(t, i, "slow_rate", snap.SlowRate, step.SlowRate)
		same(t, i, "buffered", snap.Buffered, step.Buffered)
		same(t, i, "failed", snap.Failed, step.Failed)
		same(t, i, "succeeded", snap.Succeeded, step.Succeeded)
		same(t, i, "slow", snap.Slow, step.Slow)
		same(t, i, "slow_failed", snap.SlowFailed, step.SlowFailed)
		same(t, i, "not_permitted", snap.NotPermitted, step.NotPermitted)
		same(t, i, "transitions", len(s.log), step.Transitions)
	}
}

func (s *breakerScript) play(t *testing.T, i int, step peerStep) {
	t.Helper()
	now := at(step.T)
	switch step.Op {
	case "acquire":
		p, v := s.b.Acquire(now, 0, &s.log)
		same(t, i, "permit", v.OK, step.Permit)
		s.permits[step.ID] = p
	case "done":
		s.report(t, i, step, s.permits[step.ID])
	case "release":
		step.Result = "not_made"
		s.report(t, i, step, s.permits[step.ID])
	case "call", "calls":
		n := int64(1)
		if step.N != nil {
			n = *step.N
		}
		for range n {
			p, v := s.b.Acquire(now, 0, &s.log)
			same(t, i, "permit", v.OK, step.Permit)
			s.report(t, i, step, p)
		}
	case "force":
		s.force(t, i, step)
	case "check":
	default:
		t.Fatalf("step %d: unknown op %s", i, step.Op)
	}
}

func (s *breakerScript) report(t *testing.T, i int, step peerStep, p breaker.Permit) {
	t.Helper()
	outcomes := map[string]patterns.Outcome{
		"ok": patterns.Success, "fail": patterns.Failure, "panic": patterns.Failure,
		"ignore": patterns.Ignored, "not_made": patterns.NotMade,
	}
	if !s.b.Report(at(step.T+step.Took), p, outcomes[step.Result], 0, &s.log) {
		t.Errorf("step %d: permit not accepted", i)
	}
}

func (s *breakerScript) force(t *testing.T, i int, step peerStep) {
	t.Helper()
	if step.To == "reset" {
		s.b.Reset(at(step.T), &s.log)
		return
	}
	for to := breaker.Closed; to <= breaker.MetricsOnly; to++ {
		if to.String() == step.To {
			if !s.b.Force(at(step.T), to, 0, &s.log) {
				t.Errorf("step %d: not a legal step", i)
			}
			return
		}
	}
	t.Fatalf("step %d: unknown state %s", i, step.To)
}

func runWindowCase(t *testing.T, c peerCase) {
	cfg := settings(t, c)
	w := window.NewCount(int(cfg.Size))
	if cfg.Window == "time" {
		size, bucket := time.Duration(cfg.Size), time.Duration(cfg.Bucket)
		w = window.NewTime(size*time.Millisecond, bucket*time.Millisecond)
	}
	for i, step := range c.Steps {
		now := at(step.T)
		if step.Op == "add" {
			w.Add(now, step.Result == "fail", false)
		}
		for range step.OK {
			w.Add(now, false, false)
		}
		for range step.Fail {
			w.Add(now, true, false)
		}
		got := w.Read(now)
		same(t, i, "buffered", got.Total, step.Buffered)
		same(t, i, "failed", got.Failed, step.Failed)
		if step.Succeeded != nil {
			same(t, i, "succeeded", got.Succeeded(), step.Succeeded)
		}
		near(t, i, "failure_rate", 100*float64(got.Failed)/float64(got.Total), step.FailureRate)
	}
}
