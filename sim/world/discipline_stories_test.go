package world_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/codel"
	"github.com/resilsim/resilsim/patterns/priority"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// station is one caller before a service of exponential work of 10 ms, which one worker
// does at 100 a second.
func station(rate float64, change func(*scenario.Service), policies ...scenario.Policy) *scenario.Scenario {
	sc := simple(rate, 1, exponential(10*time.Millisecond), policies...)
	sc.Callers[0].Arrivals.Law = scenario.Poisson
	change(&sc.Services[0])
	return sc
}

func share(n, of uint64) float64 { return float64(n) / float64(of) }

// Callers with a timeout of 300 ms offer one and a half times what a service can do, and
// the service does not know that they go. Oldest first, everybody is served too late.
// With CoDel, with adaptive LIFO and with deadlines, those that are served are mostly
// served in time.
func TestQueuesThatLookAtTheirCallsSaveGoodput(t *testing.T) {
	goodput := func(change func(*scenario.Queue)) float64 {
		sc := station(150, func(s *scenario.Service) { change(&s.Queue) }, timeoutOf(300*time.Millisecond))
		_, l := run(t, sc, time.Minute)
		return share(l.ended[0][models.Answered], l.sent[0])
	}
	c := codel.Defaults()
	for _, row := range []struct {
		name    string
		lo, hi  float64
		setting func(*scenario.Queue)
	}{
		{"fifo", 0, 0.05, func(*scenario.Queue) {}},
		{"codel", 0.5, 0.67, func(q *scenario.Queue) { q.CoDel = &c }},
		{"adaptive lifo", 0.5, 0.67, func(q *scenario.Queue) {
			q.Discipline, q.MaxWait, q.Interval, q.Target = scenario.AdaptiveLIFO, 100*time.Millisecond, 100*time.Millisecond, 5*time.Millisecond
		}},
		{"deadlines", 0.05, 0.67, func(q *scenario.Queue) { q.Deadlines = true }},
		{"deadlines with time to work", 0.55, 0.67, func(q *scenario.Queue) { q.Deadlines, q.MinRemaining = true, 50*time.Millisecond }},
	} {
		got := goodput(row.setting)
		t.Logf("%s: %.3f answered in time", row.name, got)
		if got < row.lo || got > row.hi {
			t.Errorf("%s: %.3f answered in time, want %v to %v", row.name, got, row.lo, row.hi)
		}
	}
}

// startWatch hears how long those waited that got a worker.
type startWatch struct {
	*ledger
	longest time.Duration
}

func (w *startWatch) Started(now time.Duration, s int, waited time.Duration) {
	w.ledger.Started(now, s, waited)
	w.longest = max(w.longest, waited)
}

// Nobody starts who has waited longer than a request may, or has less time left than it
// needs: the longest wait of those that started, with a timeout of 200 ms and constant
// work of 20 ms.
func TestNobodyStartsTooLate(t *testing.T) {
	for _, row := range []struct {
		name    string
		setting func(*scenario.Queue)
		why     models.Why
		most    time.Duration
	}{
		{"maxWaitDuration", func(q *scenario.Queue) { q.MaxWait = 60 * time.Millisecond }, models.WhyQueueTimeout, 60 * time.Millisecond},
		{"deadlines", func(q *scenario.Queue) { q.Deadlines = true }, models.WhyDeadline, 200 * time.Millisecond},
		{"minRemainingDuration", func(q *scenario.Queue) { q.Deadlines, q.MinRemaining = true, 50*time.Millisecond }, models.WhyDeadline, 150 * time.Millisecond},
	} {
		sc := station(100, func(s *scenario.Service) {
			s.Do = []scenario.Step{work(constant(20 * time.Millisecond))}
			row.setting(&s.Queue)
		}, timeoutOf(200*time.Millisecond))
		w := &startWatch{ledger: newLedger(sc)}
		build(t, sc, 1, w).Run(time.Minute)
		if w.longest > row.most || w.longest < row.most-20*time.Millisecond {
			t.Errorf("%s: somebody started after %s, want at most %s and almost that", row.name, w.longest, row.most)
		}
		if row.why == models.WhyQueueTimeout && w.callWhy[0][row.why] == 0 || w.turned[0] == 0 {
			t.Errorf("%s: %d turned away, %d of them because of it", row.name, w.turned[0], w.callWhy[0][row.why])
		}
	}
}

// What is called by a handler of a service that looks at deadlines has the deadline of
// the first caller: of the second service, busy beyond its strength, nobody starts who
// came with less than nothing left.
func TestDeadlinesTravelOn(t *testing.T) {
	sc := station(100, func(s *scenario.Service) {
		s.Workers, s.Queue.Deadlines = 1000, true
		s.Do = append(s.Do, callTo(1, -1))
	}, timeoutOf(200*time.Millisecond))
	sc.Services = append(sc.Services, service("far", 1, work(constant(20*time.Millisecond))))
	sc.Services[1].Queue.Deadlines = true
	w := &startWatch{ledger: newLedger(sc)}
	build(t, sc, 1, w).Run(time.Minute)
	if w.longest > 200*time.Millisecond || w.turned[1] == 0 {
		t.Errorf("longest wait %s, %d dropped at the second service", w.longest, w.turned[1])
	}
}

// Each kind of admission at a door lets in what it says, of about 200 requests a second
// for which there is capacity in plenty, or, for the classes, none.
func TestDoorsAdmitWhatTheySay(t *testing.T) {
	door := func(a scenario.Admission) *ledger {
		sc := station(200, func(s *scenario.Service) {
			s.Workers, s.Admission = scenario.Unlimited, []scenario.Admission{a}
			s.Do = []scenario.Step{work(constant(50 * time.Millisecond))}
		})
		_, l := run(t, sc, 10*second)
		return l
	}
	l := door(scenario.Admission{RateLimiter: &ratelimit.Config{LimitForPeriod: 50, LimitRefreshPeriod: d(second)}})
	wantCount(t, "started by the rate limiter", l.started[0], 500)
	if l.callWhy[0][models.WhyRateLimited] != l.arrived[0]-500 {
		t.Errorf("%d rate limited of %d", l.callWhy[0][models.WhyRateLimited], l.arrived[0])
	}
	l = door(scenario.Admission{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: 4}})
	if n := l.started[0]; n > 800 || n < 600 || l.callWhy[0][models.WhyBulkheadFull] == 0 {
		t.Errorf("%d started through 4 slots of 50 ms in 10 s, want a little less than 800", n)
	}
	c := adaptive.Defaults(adaptive.AIMD)
	c.InitialLimit, c.MinLimit, c.MaxLimit = 2, 1, 2
	l = door(scenario.Admission{AdaptiveLimit: &c})
	if n := l.started[0]; n > 400 || n < 300 || l.callWhy[0][models.WhyLimitReached] == 0 {
		t.Errorf("%d started through a limit of 2 in 10 s, want a little less than 400", n)
	}
}

// outcomes of two classes.
type outcomes struct {
	models.Silent
	sent, answered [2]uint64
}

func (o *outcomes) ClassSent(_ time.Duration, _, class int) { o.sent[class]++ }
func (o *outcomes) ClassEnded(_ time.Duration, _, class int, how models.Ending, _ models.Why, _ time.Duration) {
	if how == models.Answered {
		o.answered[class]++
	}
}

// Two classes offer 150 a second to a service that does 100. Without a look at them both
// lose as much. Shedding by class, a priority queue that is full, and interruption spare
// the important one, which alone would find room.
func TestImportantRequestsAreSpared(t *testing.T) {
	shed := priority.Defaults()
	shed.Classes = 2
	for _, row := range []struct {
		name      string
		setting   func(*scenario.Service)
		low, high float64 // answered at most, at least
	}{
		{"none", func(*scenario.Service) {}, 0.7, 0.6},
		{"shed", func(s *scenario.Service) {
			s.Admission = []scenario.Admission{{Priority: &scenario.ClassShedding{Config: shed, From: 0, To: 15}}}
		}, 0.5, 0.9},
		{"priority", func(s *scenario.Service) { s.Queue.Discipline = scenario.Priority }, 0.4, 0.99},
		{"preemptive", func(s *scenario.Service) { s.Queue.Discipline = scenario.PreemptivePriority }, 0.4, 0.99},
	} {
		sc := station(150, func(s *scenario.Service) {
			s.Queue.Limit = 20
			row.setting(s)
		})
		sc.Callers[0].Classes = []scenario.Class{{Name: "low", Weight: 1, Idempotent: true}, {Name: "high", Weight: 1, Priority: 1, Idempotent: true}}
		o := &outcomes{}
		build(t, sc, 1, o).Run(2 * time.Minute)
		low, high := share(o.answered[0], o.sent[0]), share(o.answered[1], o.sent[1])
		t.Logf("%s: %.3f of the low and %.3f of the high class answered", row.name, low, high)
		if low > row.low || high < row.high {
			t.Errorf("%s: %.3f of the low and %.3f of the high class answered, want at most %v and at least %v", row.name, low, high, row.low, row.high)
		}
	}
}

// Work that is interrupted goes on where it stopped: with constant work each request
// holds the worker for exactly as long as it works, however often it was interrupted,
// and requests of the high class are done at once.
func TestInterruptedWorkGoesOnWhereItStopped(t *testing.T) {
	sc := closing(station(80, func(s *scenario.Service) {
		s.Queue.Discipline = scenario.PreemptivePriority
		s.Do = []scenario.Step{work(constant(10 * time.Millisecond))}
	}), time.Minute)
	sc.Callers[0].Classes = []scenario.Class{{Name: "low", Weight: 1, Idempotent: true}, {Name: "high", Weight: 1, Priority: 1, Idempotent: true}}
	_, l := run(t, sc, 2*time.Minute)
	wantCount(t, "served", l.served[0], l.sent[0])
	if want := time.Duration(l.served[0]) * 10 * time.Millisecond; l.held[0] != want {
		t.Errorf("workers were held for %s, want %s", l.held[0], want)
	}
}

// A handler works for 1 ms and calls a service that takes 100 ms. With one worker it does
// 10 a second, or, if it holds none meanwhile, all of the 200 that come.
func TestAsynchronousHandlersHoldNoWorker(t *testing.T) {
	for _, async := range []bool{false, true} {
		sc := simple(200, 1, constant(time.Millisecond))
		sc.Services[0].Asynchronous = async
		sc.Services[0].Do = []scenario.Step{work(constant(time.Millisecond)), callTo(1, -1), work(constant(time.Millisecond))}
		sc.Services = append(sc.Services, service("far", scenario.Unlimited, work(constant(100*time.Millisecond))))
		_, l := run(t, sc, 10*second)
		want := 10 * second / (102 * time.Millisecond)
		if async {
			want = 200*10 - 200*103/1000
		}
		if got := float64(l.served[0]); math.Abs(got-float64(want)) > 2 {
			t.Errorf("asynchronous %v: %v served in 10 s, want %d", async, got, want)
		}
	}
}

// Rooms with nothing to do are plain: a bulkhead without deadlines or patience, cores for
// all workers, interruption within one class, and CoDel below its target change no wait
// of anybody and no time that a worker is held, to the nanosecond.
func TestRoomsWithNothingToDoArePlain(t *testing.T) {
	sequence := func(change func(*scenario.Service)) []time.Duration {
		sc := station(250, func(s *scenario.Service) {
			s.Workers, s.Queue.Limit = 3, 30
			s.Do = append(s.Do, callTo(1, -1))
			change(s)
		})
		sc.Services = append(sc.Services, service("far", 2, work(exponential(time.Millisecond))))
		sc.Faults = []scenario.Fault{fault(scenario.Freeze, 5*second, second/10), fault(scenario.CrashDown, 8*second, second)}
		p := timed(t, sc, 7, 20*second)
		return append(append(p.waits, p.requests...), p.attempts...)
	}
	plain := sequence(func(*scenario.Service) {})
	c := codel.Config{Target: d(time.Hour), Interval: d(time.Hour)}
	for name, change := range map[string]func(*scenario.Service){
		"bulkhead": func(s *scenario.Service) { s.Queue.Deadlines = true },
		"patience": func(s *scenario.Service) { s.Queue.MaxWait = time.Hour },
		"levels":   func(s *scenario.Service) { s.Queue.Discipline = scenario.Priority },
		"preempt":  func(s *scenario.Service) { s.Queue.Discipline = scenario.PreemptivePriority },
		"codel":    func(s *scenario.Service) { s.Queue.CoDel = &c },
		"cores":    func(s *scenario.Service) { s.Cores = 3 },
		"memory":   func(s *scenario.Service) { s.Memory = &scenario.Memory{Limit: 1e9, PerRequest: 1} },
		"door": func(s *scenario.Service) {
			s.Admission = []scenario.Admission{{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: 1000}}}
		},
	} {
		if got := sequence(change); !slices.Equal(got, plain) {
			t.Errorf("%s: %d and %d times, which are not the same", name, len(got), len(plain))
		}
	}
}
