package world_test

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

func fault(kind scenario.FaultKind, at, lasts time.Duration) scenario.Fault {
	return scenario.Fault{Kind: kind, At: at, For: lasts, CallersTo: -1, Fleet: -1, Instances: 1}
}

// Half of the instances lose their responses: their requests are served all the
// same and nobody hears; the other half notices nothing.
func TestPartitionOfResponses(t *testing.T) {
	sc := closing(simple(100, 100, constant(10*time.Millisecond), timeoutOf(second)), 20*second)
	sc.Callers[0].Instances = 10
	f := fault(scenario.Partition, 0, time.Hour)
	f.Instances, f.Loses = 0.5, scenario.Responses
	sc.Faults = []scenario.Fault{f}
	_, l := run(t, sc, time.Minute)
	wantCount(t, "served", l.served[0], l.sent[0])
	timeouts, answered := l.why[0][models.WhyTimeout], l.ended[0][models.Answered]
	wantCount(t, "ended", timeouts+answered, l.sent[0])
	// Whose request it is, is a draw: n/2 within 4 standard errors of sqrt(n)/2.
	if n := int(l.sent[0]); 2*int(timeouts)-n > 4*45 || n-2*int(timeouts) > 4*45 {
		t.Errorf("%d of %d timed out, want about half", timeouts, n)
	}
}

// A partition that refuses is noticed at once, in either direction.
func TestPartitionThatRefuses(t *testing.T) {
	for _, loses := range []scenario.Loses{scenario.Requests, scenario.Responses} {
		sc := closing(simple(10, 100, constant(10*time.Millisecond), timeoutOf(second)), 10*second)
		f := fault(scenario.Partition, 0, time.Hour)
		f.Loses, f.How = loses, scenario.Refused
		sc.Faults = []scenario.Fault{f}
		_, l := run(t, sc, time.Minute)
		wantCount(t, "unreachable", l.why[0][models.WhyUnreachable], l.sent[0])
	}
}

// A restart loses queue and work, and refuses while it lasts; a freeze of the same
// length keeps the queue and loses nothing.
func TestRestartLosesTheQueueFreezeKeepsIt(t *testing.T) {
	for _, restart := range []bool{true, false} {
		sc := closing(simple(20, 1, constant(100*time.Millisecond)), 9990*time.Millisecond)
		if restart {
			sc.Operators = []scenario.Operator{{Kind: scenario.RestartService, At: 5010 * time.Millisecond, Downtime: second}}
		} else {
			sc.Faults = []scenario.Fault{fault(scenario.Freeze, 5010*time.Millisecond, second)}
		}
		_, l := run(t, sc, time.Minute)
		wantCount(t, "sent", l.sent[0], 199)
		if !restart {
			wantCount(t, "answered", l.ended[0][models.Answered], 199)
			continue
		}
		// 100 came by 5.01 s and 49 were answered by then; 20 came while it was down.
		wantCount(t, "crashed", l.why[0][models.WhyCrashed], 51)
		wantCount(t, "unreachable", l.why[0][models.WhyUnreachable], 20)
		wantCount(t, "answered", l.ended[0][models.Answered], 128)
	}
}

// Faults compose while they overlap and end each on its own: 1 s of work, twice
// as long from 10 s, three times on top from 20 s, 1 s more from 30 s.
func TestFaultsComposeAndEndIndependently(t *testing.T) {
	slow := func(at, until time.Duration, times float64, plus time.Duration) scenario.Fault {
		f := fault(scenario.Latency, at, until-at)
		f.Times, f.Plus = times, plus
		return f
	}
	sc := closing(simple(0.1, 100, constant(second)), 75*second)
	sc.Faults = []scenario.Fault{
		slow(15*second, 45*second, 2, 0), slow(25*second, 65*second, 3, 0), slow(35*second, 55*second, 0, second),
	}
	p := timed(t, sc, 1, 2*time.Minute)
	want := []time.Duration{second, 2 * second, 6 * second, 7 * second, 4 * second, 3 * second, second}
	if len(p.requests) != len(want) {
		t.Fatalf("%d requests ended", len(p.requests))
	}
	for i := range want {
		if p.requests[i] != want[i] {
			t.Errorf("request at %ds took %v, want %v", 10*(i+1), p.requests[i], want[i])
		}
	}
}

// Half of the workers are gone: what runs is finished, and the service halves.
func TestCapacityFaultLetsRunningWorkFinish(t *testing.T) {
	sc := closing(simple(10, 4, constant(300*time.Millisecond)), 4*second)
	f := fault(scenario.Capacity, 2*second, second)
	f.Share = 0.5
	sc.Faults = []scenario.Fault{f}
	l := newLedger(sc)
	w := build(t, sc, 1, l)
	w.Run(2500 * time.Millisecond)
	if l.level[0].Workers != 2 || l.level[0].Busy != 2 {
		t.Errorf("during the fault: %+v", l.level[0])
	}
	w.Run(time.Minute)
	wantCount(t, "answered", l.ended[0][models.Answered], l.sent[0])
	wantCount(t, "workers at the end", uint64(l.level[0].Workers), 4)
}

// A surge moves the later requests forward in time, and no key with them: the n-th
// request comes from the same instance and its work is as long as without.
func TestSurgeKeepsTheRequestsDraws(t *testing.T) {
	hear := func(surge bool) *times {
		sc := simple(100, 100_000, exponential(second))
		sc.Callers[0].Arrivals.Law = scenario.Poisson
		if surge {
			f := fault(scenario.Surge, 5*second, 10*second)
			f.Service, f.Fleet, f.Times = -1, 0, 3
			sc.Faults = []scenario.Fault{f}
		}
		return timed(t, closing(sc, 30*second), 1, time.Hour)
	}
	calm, wild := hear(false), hear(true)
	extra := len(wild.arrivals) - len(calm.arrivals)
	if extra < 1700 || extra > 2300 {
		t.Errorf("%d requests more, want about 2000", extra)
	}
	for i := range calm.arrivals {
		if c, w := calm.arrivals[i], wild.arrivals[i]; c < 5*second && c != w || c > 5*second && w > c {
			t.Fatalf("request %d came at %v and, with the surge, at %v", i, c, w)
		}
	}
	sum := func(p *times) (s time.Duration) {
		for _, v := range p.requests {
			s += v
		}
		return s
	}
	if len(calm.requests) != len(calm.arrivals) || sum(calm) == 0 {
		t.Fatal("requests are left over")
	}
}

// A process that dies of a long queue comes back cold, and dies again while the
// load that it could carry warm is too much for it cold.
func TestOverloadCrashLoops(t *testing.T) {
	sc := closing(simple(80, 1, constant(10*time.Millisecond)), time.Minute)
	sc.Services[0].Crash = &scenario.Crash{QueueAbove: 20, Restart: 5 * second}
	sc.Services[0].ColdStart = &scenario.ColdStart{From: 0.1, For: 10 * second}
	f := fault(scenario.Freeze, 10*second, second)
	sc.Faults = []scenario.Fault{f}
	_, l := run(t, sc, 2*time.Minute)
	crashes := 0
	for _, h := range l.told {
		if h.Crash {
			crashes++
		}
	}
	// Down for 5 s, then 20 waiting after 0.3 s at a tenth of the speed.
	if crashes < 8 || crashes > 10 {
		t.Errorf("%d crashes in 50 s", crashes)
	}
}

// An errors fault fails its share, on top of the service's own.
func TestErrorsFaultFailsItsShare(t *testing.T) {
	sc := closing(simple(1000, 100, constant(time.Millisecond)), 20*second)
	sc.Services[0].ErrorShare = 0.5
	f := fault(scenario.Errors, 0, time.Hour)
	f.Share = 0.5
	sc.Faults = []scenario.Fault{f}
	_, l := run(t, sc, time.Minute)
	// 3/4 of 20,000 within 4 standard errors of sqrt(20000 x 3/16) = 61.
	if n := int(l.why[0][models.WhyError]); n < 15000-250 || n > 15000+250 {
		t.Errorf("%d of %d failed, want three quarters", n, l.sent[0])
	}
}
