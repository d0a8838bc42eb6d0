package world_test

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/throttle"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// limited is the simple system with one policy between the callers and the service.
func limited(rate float64, p scenario.Policy) *scenario.Scenario {
	sc := simple(rate, 100, constant(time.Millisecond), p)
	sc.Pipelines[0].Shared = true
	return sc
}

// A rate limiter of 100 a second before a fleet that offers about 300: each full
// second 100 are answered, all others are refused as rate_limited.
func TestRateLimiterPassesItsRate(t *testing.T) {
	sc := limited(300, scenario.Policy{RateLimiter: &ratelimit.Config{LimitForPeriod: 100, LimitRefreshPeriod: d(time.Second)}})
	_, l := run(t, sc, 10*time.Second)
	if got := l.ended[0][models.Answered]; got != 1000 {
		t.Errorf("%d answered in 10 s, want 1000", got)
	}
	if l.why[0][models.WhyRateLimited] == 0 || l.why[0][models.WhyRateLimited] != l.ended[0][models.Refused] {
		t.Errorf("refused %v, of which rate limited %v", l.ended[0][models.Refused], l.why[0][models.WhyRateLimited])
	}
}

// A service that always fails, behind the throttle of the SRE book with refused calls
// counted and a window of 10 s: the nth call of a window is refused with probability
// (n-1)/n, so that the sum of 1/n, some nine calls, are sent in the first window and
// one in each that follows: less than 1 % of what is offered.
func TestThrottleStopsWhatAlwaysFails(t *testing.T) {
	c := throttle.Defaults()
	c.SamplingWindow, c.Buckets = d(10*time.Second), 10
	sc := limited(300, scenario.Policy{Throttle: &c})
	sc.Services[0].ErrorShare = 1
	_, l := run(t, sc, 30*time.Second)
	if sent, offered := l.attempts[0], l.sent[0]; float64(sent) > 0.01*float64(offered) {
		t.Errorf("%d of %d were sent", sent, offered)
	}
}

// A limit of two in front of a service of constant 10 ms: never more than two inside,
// so at most 200 a second are answered.
func TestAdaptiveLimitBoundsWhatIsInside(t *testing.T) {
	c := adaptive.Defaults(adaptive.AIMD)
	c.InitialLimit, c.MinLimit, c.MaxLimit = 2, 1, 2
	sc := limited(1000, scenario.Policy{AdaptiveLimit: &c})
	sc.Services[0].Do = []scenario.Step{work(constant(10 * time.Millisecond))}
	_, l := run(t, sc, 10*time.Second)
	if got := l.ended[0][models.Answered]; got > 2000 || got < 1700 {
		t.Errorf("%d answered in 10 s, want a little less than 2000", got)
	}
	if l.why[0][models.WhyLimitReached] == 0 {
		t.Error("nobody met the limit")
	}
}
