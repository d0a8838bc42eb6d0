package record

import (
	"math"
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

// What a service's handlers do at other services is counted apart from what
// arrives at it: three attempts for two calls in the first second, one of which
// times out, and one of two breakers that opens in the second.
func TestPipelinesOfAServiceAreRecorded(t *testing.T) {
	r := recorder(2*s, s, 0)
	r.SetBreakers(nil, []int{2})
	r.OnwardSent(0, 0, false)
	r.OnwardEnded(10*ms, 0, patterns.AttemptTimeout, 10*ms)
	r.OnwardSent(20*ms, 0, true)
	r.OnwardEnded(30*ms, 0, patterns.None, 10*ms)
	r.OnwardSent(40*ms, 0, false)
	r.OnwardBreaker(1500*ms, 0, 1, breaker.Event{From: breaker.Closed, To: breaker.Open})
	closed(t, r, 2*s, counted{})
	same(t, r, "services.db", "calls", 2, 0)
	same(t, r, "services.db", "attempts", 3, 0)
	same(t, r, "services.db", "retries", 1, 0)
	same(t, r, "services.db", "timeouts", 1, 0)
	same(t, r, "services.db", "amplification", 1.5, math.NaN())
	same(t, r, "services.db", "breakers_open", 0, 0.5)
	same(t, r, "services.db", "breakers_closed", 1, 0.5)
	same(t, r, "services.db", "breaker_trips", 0, 1)
	same(t, r, "services.db", "arrivals", 0, 0)
	if e := r.Events(); len(e) != 3 || e[0].Subject != "services.db[1]" {
		t.Errorf("%+v", e)
	}
}
