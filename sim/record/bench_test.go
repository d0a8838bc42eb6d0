package record

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/sim/models"
)

// attempt is every probe call of one request with one attempt and its breaker
// changing twice.
func attempt(r *Recorder, now, took time.Duration) {
	r.RequestSent(now, 0)
	r.AttemptSent(now, 0, false)
	r.CallSent(now, 0)
	r.Arrived(now, 0)
	r.Level(now, 0, models.Level{Busy: 1, Workers: 8, CapacityPerSecond: 100})
	r.Started(now, 0, 0)
	r.Served(now, 0, took, true, false)
	r.Level(now, 0, models.Level{Workers: 8, CapacityPerSecond: 100})
	r.CallEnded(now, 0, models.Answered, models.WhyNone)
	r.AttemptEnded(now, 0, patterns.None, took)
	r.RequestEnded(now, 0, models.Answered, models.WhyNone, took)
}

// Steady state: within an interval no probe call allocates.
func TestProbeCallsAllocateNothing(t *testing.T) {
	r, rng, now := recorder(time.Hour, time.Minute, 800), rand.New(rand.NewPCG(1, 2)), time.Duration(0)
	got := testing.AllocsPerRun(10000, func() {
		now += ms
		attempt(r, now, time.Duration(50e6*rng.ExpFloat64()))
		r.BreakerChanged(now, 0, 700, breaker.Event{From: breaker.Closed, To: breaker.HalfOpen})
		r.BreakerChanged(now, 0, 700, breaker.Event{From: breaker.HalfOpen, To: breaker.Closed})
	})
	if got != 0 {
		t.Errorf("%v allocations per request", got)
	}
}

func latencies() []time.Duration {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]time.Duration, 4096)
	for i := range out {
		out[i] = time.Duration(50e6 * rng.ExpFloat64())
	}
	return out
}

// BenchmarkRequest is the eleven probe calls of a request that is answered at
// once.
func BenchmarkRequest(b *testing.B) {
	r, took := recorder(1e6*time.Hour, time.Hour, 0), latencies()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		attempt(r, time.Duration(i)*time.Microsecond, took[i&4095])
	}
}

// BenchmarkLatency is the one probe call that records a latency.
func BenchmarkLatency(b *testing.B) {
	r, took := recorder(1e6*time.Hour, time.Hour, 0), latencies()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.RequestEnded(0, 0, models.Answered, models.WhyNone, took[i&4095])
	}
}

// BenchmarkInterval is 800 answered requests and the end of their interval.
func BenchmarkInterval(b *testing.B) {
	took := latencies()
	r := recorder(4096*s, s, 0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%4096 == 0 {
			r = recorder(4096*s, s, 0)
		}
		for k := range 800 {
			r.RequestEnded(0, 0, models.Answered, models.WhyNone, took[(800*i+k)&4095])
		}
		r.closeInterval(time.Duration(i%4096+1) * s)
	}
}
