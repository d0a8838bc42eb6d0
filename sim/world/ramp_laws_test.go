package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// Errors that come to half of the requests in 40 s, stay for 40 s and go in 20 s fail as
// many as the area under that: (20 + 40 + 10) s x 100/s x 0.5, less or more half a step
// of each ramp. Within that and 4 standard errors.
func TestFaultComesAndGoesInARamp(t *testing.T) {
	sc := closing(simple(100, 100, constant(time.Millisecond)), 200*second)
	f := fault(scenario.Errors, 20*second, 100*second)
	f.Share, f.RampIn, f.RampOut = 0.5, 40*second, 20*second
	sc.Faults = []scenario.Fault{f}
	_, l := run(t, sc, 210*second)
	want, step := 70*100*0.5, (40+20)*100*0.5/40.0
	if got := float64(l.ended[0][models.Failed]); math.Abs(got-want) > step+4*math.Sqrt(want) {
		t.Errorf("%.0f failed, want %.0f, half a step is %.0f", got, want, step)
	}
}

// A surge to three times the load in a ramp sends the area under it more.
func TestSurgeComesInARamp(t *testing.T) {
	sc := closing(simple(100, 100, constant(time.Millisecond)), 200*second)
	f := fault(scenario.Surge, 20*second, 100*second)
	f.Service, f.Fleet, f.Times, f.RampIn, f.RampOut = -1, 0, 3, 50*second, 50*second
	sc.Faults = []scenario.Fault{f}
	_, l := run(t, sc, 210*second)
	want := 200.0*100 + 50*200
	if got := float64(l.sent[0]); math.Abs(got-want) > 300 {
		t.Errorf("%.0f sent, want %.0f", got, want)
	}
}

// A check that says healthy keeps a frozen instance in use; one that says unhealthy takes
// healthy ones out.
func TestHealthChecksThatLie(t *testing.T) {
	for _, healthy := range []bool{true, false} {
		sc := closing(simple(100, 10, constant(10*time.Millisecond), timeoutOf(100*time.Millisecond)), 100*second)
		sc.Services[0].Instances = 10
		sc.Services[0].LoadBalancer = &scenario.LoadBalancer{Policy: scenario.RoundRobin, HealthCheck: check(scenario.Shallow)}
		lie := fault(scenario.LyingCheck, 10*second, 80*second)
		lie.Healthy = healthy
		freeze := fault(scenario.Freeze, 20*second, 60*second)
		freeze.Instances = 0.1
		sc.Faults = []scenario.Fault{lie, freeze}
		_, l := run(t, sc, 110*second)
		timeouts, refused := l.why[0][models.WhyTimeout], l.why[0][models.WhyUnreachable]
		if healthy && (timeouts < 590 || refused > 0) || !healthy && (refused < 7700 || timeouts > 0) {
			t.Errorf("healthy %v: %d timeouts, %d refused", healthy, timeouts, refused)
		}
	}
}
