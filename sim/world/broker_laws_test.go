package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// brokered is a producer of 100 a second whose messages a consumer handles in 5 ms
// each, and audits at a further service.
func brokered(depth int) *scenario.Scenario {
	sc := simple(100, 1, constant(5*time.Millisecond))
	sc.Services[0].Queue.Limit = depth
	sc.Services[0].Broker = &scenario.Broker{Deliveries: 1000, RedeliverAfter: second}
	return sc
}

// The consumer is down for 30 s. Every producer is answered at once all the same, 3,000
// messages wait, and the consumer, twice as fast as they come, has them done 30 s later:
// none is lost.
func TestBrokerKeepsWhatItsConsumerCannotTake(t *testing.T) {
	sc := closing(brokered(-1), 100*second)
	f := fault(scenario.CrashDown, 10*second, 30*second)
	f.Restart = 30 * second
	sc.Faults = []scenario.Fault{f}
	w, l := run(t, sc, 60*second)
	if q := l.level[0].Queue; q < 900 || q > 1100 {
		t.Errorf("%d wait after 20 s of two a turn, want about 1000", q)
	}
	_ = w
	_, l = run(t, sc, 200*second)
	wantCount(t, "answered", l.ended[0][models.Answered], l.sent[0])
	wantCount(t, "handled", l.served[0]-l.badly[0], l.sent[0])
	if l.level[0].Queue != 0 {
		t.Errorf("%d still wait", l.level[0].Queue)
	}
}

// A broker of depth 500 in front of a consumer that is down for 30 s takes 500 messages
// and refuses the others: a bounded queue tells its producers.
func TestFullBrokerRefuses(t *testing.T) {
	sc := closing(brokered(500), 50*second)
	f := fault(scenario.CrashDown, 10*second, 30*second)
	f.Restart = 30 * second
	sc.Faults = []scenario.Fault{f}
	_, l := run(t, sc, 200*second)
	refused := l.why[0][models.WhyQueueFull]
	if refused < 2480 || refused > 2520 {
		t.Errorf("%d refused, want 3000 - 500", refused)
	}
	wantCount(t, "handled", l.served[0]-l.badly[0], l.sent[0]-refused)
}

// The audit log behind the consumer fails for 60 s: each message is delivered again
// every second until it is written. Nobody at the door notices, and nothing is lost.
func TestMessagesAreRedeliveredUntilTheyAreHandled(t *testing.T) {
	sc := closing(brokered(-1), 100*second)
	sc.Services[0].Do = append(sc.Services[0].Do, scenario.Step{Call: 1, Through: -1, Probability: 1})
	sc.Services = append(sc.Services, service("log", 10, work(constant(time.Millisecond))))
	f := fault(scenario.Errors, 10*second, 60*second)
	f.Service, f.Share = 1, 1
	sc.Faults = []scenario.Fault{f}
	_, l := run(t, sc, 600*second)
	wantCount(t, "answered", l.ended[0][models.Answered], l.sent[0])
	wantCount(t, "written", l.served[0]-l.badly[0], l.sent[0])
}

// A message that fails every time is delivered as often as it may be, and given up.
func TestMessageIsGivenUpAfterItsLastDelivery(t *testing.T) {
	sc := closing(brokered(-1), 10*second)
	sc.Services[0].Broker.Deliveries = 3
	sc.Services[0].ErrorShare = 1
	_, l := run(t, sc, 100*second)
	wantCount(t, "delivered", l.served[0], 3*l.sent[0])
	wantCount(t, "failed", l.badly[0], 3*l.sent[0])
}

// The load on a service of two instances of ten workers doubles for ten minutes: the
// autoscaler ends up with load x work / (workers x target) instances, 300/s x 100 ms /
// (10 x 0.6) = 5, and goes back to 3 when the past of five minutes allows it.
func TestAutoscalerFollowsTheLoad(t *testing.T) {
	sc := simple(150, 10, constant(100*time.Millisecond))
	s := &sc.Services[0]
	s.Instances = 3
	s.Autoscale = &scenario.Autoscale{Min: 2, Max: 20, Target: 0.6, Tolerance: 0.1, Interval: 15 * second,
		StartupDelay: time.Minute, ScaleDownStabilisation: 5 * time.Minute}
	f := fault(scenario.Surge, 5*time.Minute, 10*time.Minute)
	f.Fleet, f.Times = 0, 2
	sc.Faults = []scenario.Fault{f}
	at := func(until time.Duration) int {
		_, l := run(t, sc, until)
		return l.level[0].Workers / 10
	}
	for _, c := range []struct {
		at   time.Duration
		want int
	}{{4 * time.Minute, 3}, {6 * time.Minute, 3}, {14 * time.Minute, 5}, {19 * time.Minute, 5}, {29 * time.Minute, 3}} {
		if got := at(c.at); got != c.want {
			t.Errorf("after %s: %d instances, want %d", c.at, got, c.want)
		}
	}
}

// An operator scales from two instances to four, which take requests a minute later, cold.
func TestScaleOutTakesItsTime(t *testing.T) {
	sc := simple(150, 10, constant(100*time.Millisecond))
	s := &sc.Services[0]
	s.Instances, s.ColdStart = 2, &scenario.ColdStart{From: 0.5, For: 100 * second}
	sc.Operators = []scenario.Operator{{Kind: scenario.ScaleOut, At: 10 * second, Service: 0, Pipeline: -1, Instances: 4, Startup: 60 * second}}
	capacity := func(at time.Duration) float64 {
		_, l := run(t, sc, at)
		return l.level[0].CapacityPerSecond
	}
	for _, c := range []struct {
		at   time.Duration
		want float64
	}{{60 * second, 200}, {71 * second, 300}, {300 * second, 400}} {
		if got := capacity(c.at); math.Abs(got-c.want) > 5 {
			t.Errorf("after %s: %.0f a second, want %.0f", c.at, got, c.want)
		}
	}
}
