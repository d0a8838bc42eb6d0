package ratelimit

import (
	"testing"

	"github.com/resilsim/resilsim/patterns"
)

// TestSlackAtTheEndOfTime: a smooth limiter that hands out what passed unused is never idle
// again when the slack reaches beyond the last instant; a change there takes over what
// there is, and nobody gets a permit for ever.
func TestSlackAtTheEndOfTime(t *testing.T) {
	fine := compile(t, Config{Type: Smooth, LimitForPeriod: 1, LimitRefreshPeriod: 1, Slack: 1000})
	end := patterns.Never - 10
	l := New(fine)
	for range 1001 {
		if v := l.Try(end, 1); !v.OK {
			t.Fatalf("%+v", v)
		}
	}
	if v := l.Try(end, 1); v.OK {
		t.Error("more than the slack was handed out")
	}
	l.Change(end, compile(t, perSecond(Cycle, 5)))
	if s := l.Snapshot(end); s.Permits < 0 || s.Permits > 5 {
		t.Errorf("%+v", s)
	}
}
