package world_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/codel"
	"github.com/resilsim/resilsim/patterns/priority"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// With all n workers busy with constant work a service does what the Universal
// Scalability Law says, n / (work (1 + s (n-1) + k n (n-1))): more up to the peak and
// less beyond it. What it tells as its capacity is the same.
func TestThroughputFollowsTheScalabilityLaw(t *testing.T) {
	for _, n := range []int{1, 8, 31, 100} {
		sc := simple(3000, n, constant(10*time.Millisecond))
		sc.Services[0].Scalability = scenario.Scalability{Contention: 0.02, Coherence: 0.001}
		sc.Services[0].Queue.Limit = 200
		_, l := run(t, sc, 20*second)
		want := float64(n) / 0.01 / (1 + 0.02*float64(n-1) + 0.001*float64(n)*float64(n-1))
		if got := float64(l.served[0]) / 20; math.Abs(got-want) > 0.01*want+float64(n)/20 {
			t.Errorf("%d workers do %.1f a second, want %.1f", n, got, want)
		}
		if c := l.level[0].CapacityPerSecond; math.Abs(c-want) > 1e-9*want {
			t.Errorf("%d workers: capacity %v, want %v", n, c, want)
		}
	}
}

// coreTime integrates the shared cores that work.
type coreTime struct {
	*ledger
	last       time.Duration
	busy, most int
	area       time.Duration
}

func (c *coreTime) Level(now time.Duration, s int, l models.Level) {
	c.ledger.Level(now, s, l)
	c.area += time.Duration(c.busy) * (now - c.last)
	c.last, c.busy, c.most = now, l.CoresBusy, max(c.most, l.CoresBusy)
}

// Two cores shared by all who come work as long in all as there is work, 10 ms for each
// request, whatever comes and goes meanwhile: to a nanosecond for each piece.
func TestSharedCoresWorkAsLongAsThereIsWork(t *testing.T) {
	sc := closing(station(180, func(s *scenario.Service) {
		s.Workers, s.Cores = scenario.Unlimited, 2
		s.Do = []scenario.Step{work(constant(10 * time.Millisecond))}
	}), time.Minute)
	c := &coreTime{ledger: newLedger(sc)}
	build(t, sc, 1, c).Run(2 * time.Minute)
	work := time.Duration(c.served[0]) * 10 * time.Millisecond
	if off := c.area - work; off < 0 || off > 2*time.Duration(c.served[0]) || c.busy != 0 || c.most != 2 {
		t.Errorf("cores worked for %s on %s of work; at most %d, and %d at the end", c.area, work, c.most, c.busy)
	}
}

// 40 workers share four cores: beyond their strength they do 400 pieces of 10 ms a second.
// For ten seconds a fault leaves half of the cores, and of the workers: then they do 200,
// also of the work that is under way when the fault begins and when it ends.
func TestSharedCoresAreLost(t *testing.T) {
	sc := simple(800, 40, constant(10*time.Millisecond))
	sc.Services[0].Cores, sc.Services[0].Queue.Limit = 4, 0
	f := fault(scenario.Capacity, 10*second, 10*second)
	f.Share = 0.5
	sc.Faults = []scenario.Fault{f}
	l := newLedger(sc)
	w := build(t, sc, 1, l)
	for i, want := range []float64{400, 200, 400} {
		before := l.served[0]
		w.Run(time.Duration(i+1)*10*second - 1)
		if got := float64(l.served[0]-before) / 10; math.Abs(got-want) > 0.03*want {
			t.Errorf("part %d: %v a second, want %v", i, got, want)
		}
		if got := l.level[0].CapacityPerSecond; got != want {
			t.Errorf("part %d: capacity %v, want %v", i, got, want)
		}
	}
}

// A service of 100 requests a second at full speed starts at 20 % and is warm within 10 s,
// so that the integral of its speed over that time is 60 %: what it does of a load beyond
// its strength, counted over the ramp.
func TestColdServicesWarmUp(t *testing.T) {
	sc := simple(300, 1, constant(10*time.Millisecond))
	sc.Services[0].Queue.Limit, sc.Services[0].Cores = 5, 1
	sc.Services[0].ColdStart = &scenario.ColdStart{From: 0.2, For: 10 * second}
	f := fault(scenario.CrashDown, second, second)
	sc.Faults = []scenario.Fault{f}
	l := newLedger(sc)
	w := build(t, sc, 1, l)
	w.Run(2 * second)
	before := l.served[0]
	w.Run(12 * second)
	if got := float64(l.served[0] - before); math.Abs(got-600) > 15 {
		t.Errorf("%v served while it warmed up, want 600", got)
	}
}

// Memory for 50 requests, 150 a second offered for 100 that are served: the queue grows
// by 50 a second, so that after a second the process is killed with all of them, and
// again so long after each restart of 2 s.
func TestMemoryRunsOut(t *testing.T) {
	sc := simple(150, 1, constant(10*time.Millisecond))
	sc.Services[0].Memory = &scenario.Memory{Limit: 120, Base: 20, PerRequest: 2, Restart: 2 * second}
	_, l := run(t, sc, 30*second)
	crashes := 0
	for _, h := range l.told {
		if h.Crash {
			crashes++
			if !strings.Contains(h.Detail, "memory") {
				t.Errorf("the log says %q", h.Detail)
			}
		}
	}
	if crashes != 10 {
		t.Errorf("%d crashes in 30 s, want one each 3 s", crashes)
	}
	if lost := l.callWhy[0][models.WhyCrashed]; lost != 51*10 {
		t.Errorf("%d requests lost, want 51 in each crash", lost)
	}
}

// 20 requests are always in service, and with the rest of the process take 60 of 100 MiB:
// an overhead of 20 % at half of the memory is one of 30 % then, and throughput is that
// of 20 workers divided by 1.3.
func TestGarbageSlowsWorkDown(t *testing.T) {
	sc := simple(20_000, 20, constant(10*time.Millisecond))
	sc.Services[0].Queue.Limit = 0
	sc.Services[0].Memory = &scenario.Memory{Limit: 100, Base: 20, PerRequest: 2, Restart: second, Collector: 0.2}
	_, l := run(t, sc, 10*second)
	if got, want := float64(l.served[0])/10, 20/0.01/1.3; math.Abs(got-want) > 0.01*want {
		t.Errorf("%.1f a second, want %.1f", got, want)
	}
}

// A service at 80 % stands still for 0.7 s. Without garbage the queue drains. With an
// overhead of 30 % what waits makes it slower than what comes: it runs out of memory
// again and again although nothing is wrong any more.
func TestGarbageOutlivesAStandstill(t *testing.T) {
	for _, overhead := range []float64{0, 0.3} {
		sc := simple(80, 1, constant(10*time.Millisecond))
		sc.Services[0].Memory = &scenario.Memory{Limit: 110, Base: 10, PerRequest: 1, Restart: second, Collector: overhead}
		sc.Faults = []scenario.Fault{fault(scenario.Freeze, 10*second, 700*time.Millisecond)}
		_, l := run(t, sc, time.Minute)
		if crashed := l.callWhy[0][models.WhyCrashed] > 0; crashed != (overhead > 0) || (!crashed && l.level[0].Queue > 2) {
			t.Errorf("overhead %v: crashed %v, %d wait at the end", overhead, crashed, l.level[0].Queue)
		}
	}
}

// downtime integrates the workers that are there.
type downtime struct {
	models.Silent
	last    time.Duration
	workers int
	area    float64
	lines   int
}

func (a *downtime) Level(now time.Duration, _ int, l models.Level) {
	a.area += float64(a.workers) * float64(now-a.last)
	a.last, a.workers = now, l.Workers
}

func (a *downtime) Happened(_ time.Duration, h models.Happening) {
	if strings.Contains(h.What, "breaks down") || strings.Contains(h.What, "is repaired") {
		a.lines++
	}
}

// 50 instances that are up for 60 s and down for 20 s on average are up for three
// quarters of the time, and each breakdown and repair is a line of the log. Crashed or
// frozen, the law is the same.
func TestBreakdownsTakeTheirShareOfTheTime(t *testing.T) {
	for _, how := range []scenario.How{scenario.Crashing, scenario.Freezing} {
		sc := simple(10, 1, constant(10*time.Millisecond), timeoutOf(second))
		sc.Services[0].Instances = 50
		f := fault(scenario.RandomDown, 0, 3*time.Hour)
		f.Breakdowns = scenario.Breakdowns{MeanUp: time.Minute, MeanDown: 20 * second, How: how}
		sc.Faults = []scenario.Fault{f}
		a := &downtime{}
		w := build(t, sc, 1, a)
		w.Run(3*time.Hour + second)
		if a.workers != 50 {
			t.Errorf("%s: %d instances are up when the fault is over, want 50", how, a.workers)
		}
		up := a.area / float64(3*time.Hour) / 50
		// A cycle of 80 s: 6750 cycles, in each of which the share varies by less than one half.
		if math.Abs(up-0.75) > 4*0.5*0.75/math.Sqrt(6750) {
			t.Errorf("%s: up for %.4f of the time, want 0.75", how, up)
		}
		if cycles := float64(a.lines) / 2; math.Abs(cycles-6750) > 4*math.Sqrt(6750) {
			t.Errorf("%s: %d lines in the log, want about two for each of 6750 breakdowns", how, a.lines)
		}
	}
}

// Services that do all they can allocate nothing once they have grown to their size.
func TestAbleServicesAllocateNothing(t *testing.T) {
	c, limit, shed := codel.Defaults(), adaptive.Defaults(adaptive.Gradient2), priority.Defaults()
	for name, change := range map[string]func(*scenario.Service){
		"random": func(s *scenario.Service) { s.Queue.Discipline = scenario.Random },
		"adaptive": func(s *scenario.Service) {
			s.Queue.Discipline, s.Queue.MaxWait, s.Queue.Interval, s.Queue.Target = scenario.AdaptiveLIFO, second, second/10, second/100
		},
		"priority": func(s *scenario.Service) { s.Queue.Discipline, s.Queue.CoDel = scenario.Priority, &c },
		"preempt":  func(s *scenario.Service) { s.Queue.Discipline = scenario.PreemptivePriority },
		"shared":   func(s *scenario.Service) { s.Workers, s.Cores, s.Scalability.Contention = 500, 40, 0.0001 },
		"async":    func(s *scenario.Service) { s.Asynchronous = true },
		"doors": func(s *scenario.Service) {
			s.Admission = []scenario.Admission{{AdaptiveLimit: &limit}, {Priority: &scenario.ClassShedding{Config: shed, From: 10, To: 100}}}
		},
		"deadline": func(s *scenario.Service) { s.Queue.Deadlines = true },
	} {
		sc := simple(3800, 40, exponential(10*time.Millisecond), timeoutOf(second))
		sc.Callers[0].Arrivals.Law, sc.Services[0].Queue.Limit = scenario.Poisson, 300
		sc.Callers[0].Classes = []scenario.Class{{Name: "low", Weight: 1, Idempotent: true}, {Name: "high", Weight: 1, Priority: 1, Idempotent: true}}
		change(&sc.Services[0])
		w := build(t, sc, 1, nil)
		w.Run(60 * second)
		at := w.Now()
		if n := testing.AllocsPerRun(5, func() { at += second; w.Run(at) }); n != 0 {
			t.Errorf("%s: %v allocations per simulated second", name, n)
		}
	}
}
