package world_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/timeout"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// guarded is n callers with one call a second each through a retry with a token
// budget, a breaker and a timeout of 1 s, to a service that is 70 % busy.
func guarded(n int) *scenario.Scenario {
	b := breaker.Defaults()
	return &scenario.Scenario{
		Name: "guarded", Duration: time.Hour,
		Callers: []scenario.Fleet{{Name: "app", Instances: n,
			Arrivals: scenario.Arrivals{Law: scenario.Poisson, Curve: []scenario.RatePoint{{Rate: float64(n)}}},
			Do:       []scenario.Step{callTo(0, 0)}}},
		Pipelines: []scenario.Pipeline{{Name: "client", Policies: []scenario.Policy{
			{Retry: &retry.Config{MaxAttempts: 3, WaitDuration: d(100 * time.Millisecond),
				Budget: &budget.Config{Ratio: 0.1, Capacity: 10}}},
			{CircuitBreaker: &b},
			{Timeout: &timeout.Config{TimeoutDuration: d(time.Second)}},
		}}},
		Services: []scenario.Service{{Name: "db", Instances: 1, Workers: max(n/14, 1),
			Do:    []scenario.Step{work(exponential(50 * time.Millisecond))},
			Queue: scenario.Queue{Limit: -1, Discipline: scenario.FIFO}, Abandoned: scenario.Keep, ErrorShare: 0.01}},
	}
}

// In steady state a simulated second, some ten thousand attempts through the real
// patterns, allocates nothing.
func TestAttemptsAllocateNothing(t *testing.T) {
	w := build(t, guarded(10_000), 1, nil)
	w.Run(30 * time.Second)
	at := w.Now()
	if n := testing.AllocsPerRun(5, func() { at += time.Second; w.Run(at) }); n != 0 {
		t.Errorf("%v allocations per simulated second", n)
	}
}

// A retry storm allocates nothing either once it has grown to its full size.
func TestStormAllocatesNothing(t *testing.T) {
	sc := storm()
	sc.Faults[0].At = 10 * second
	w := build(t, sc, 1, nil)
	w.Run(time.Minute)
	at := w.Now()
	if n := testing.AllocsPerRun(5, func() { at += time.Second; w.Run(at) }); n != 0 {
		t.Errorf("%v allocations per simulated second", n)
	}
}

// BenchmarkAttempt is the whole cost of one attempt: arrival, request, the
// patterns, queue, worker, answer, timers.
func BenchmarkAttempt(b *testing.B) {
	sc := guarded(10_000)
	l := newLedger(sc)
	w := build(b, sc, 1, l)
	w.Run(10 * time.Second)
	b.ReportAllocs()
	from, events := l.attempts[0], w.Executed()
	b.ResetTimer()
	for at := w.Now(); l.attempts[0]-from < uint64(b.N); {
		at += 10 * time.Millisecond
		w.Run(at)
	}
	n := float64(l.attempts[0] - from)
	b.ReportMetric(float64(w.Executed()-events)/n, "events/attempt")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/attempt")
}

// BenchmarkRetryStorm tells how many seconds of the storm are simulated in a
// second; an op is a simulated second at full storm.
func BenchmarkRetryStorm(b *testing.B) {
	sc := storm()
	sc.Faults[0].At = 10 * second
	l := newLedger(sc)
	w := build(b, sc, 1, l)
	w.Run(2 * time.Minute)
	from := l.attempts[0]
	b.ReportAllocs()
	b.ResetTimer()
	at := w.Now()
	for range b.N {
		at += time.Second
		w.Run(at)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "simulated_s/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(l.attempts[0]-from), "ns/attempt")
}

// A million callers, each with a breaker and a retry budget, fit in 512 MB
// after a simulated second of a call each.
func TestAMillionCallersFit(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	w := build(t, guarded(1_000_000), 1, models.Silent{})
	w.Run(time.Second)
	runtime.GC()
	runtime.ReadMemStats(&after)
	used := after.HeapAlloc - before.HeapAlloc
	t.Logf("%d bytes per caller", used/1_000_000)
	if used > 512<<20 {
		t.Errorf("%d MB for a million callers", used>>20)
	}
	runtime.KeepAlive(w)
}

// BenchmarkService is the cost of one request at a busy service of 100 workers, by what
// the service does besides a plain line.
func BenchmarkService(b *testing.B) {
	for _, row := range []struct {
		name   string
		change func(*scenario.Service)
	}{
		{"plain", func(*scenario.Service) {}},
		{"random", func(s *scenario.Service) { s.Queue.Discipline = scenario.Random }},
		{"priority", func(s *scenario.Service) { s.Queue.Discipline = scenario.Priority }},
		{"preemptive", func(s *scenario.Service) { s.Queue.Discipline = scenario.PreemptivePriority }},
		{"patience", func(s *scenario.Service) { s.Queue.MaxWait = time.Second }},
		{"shared by 100", func(s *scenario.Service) { s.Cores = 90 }},
		{"shared by 10000", func(s *scenario.Service) { s.Workers, s.Cores = 10_000, 80 }},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			sc := simple(9000, 100, exponential(10*time.Millisecond))
			sc.Callers[0].Arrivals.Law, sc.Services[0].Queue.Limit = scenario.Poisson, 1000
			row.change(&sc.Services[0])
			w := build(b, sc, 1, nil)
			w.Run(20 * time.Second)
			b.ResetTimer()
			w.Run(w.Now() + time.Duration(b.N)*time.Second/9000)
		})
	}
}
