package record

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/result"
)

var nan = math.NaN()

// Each instant belongs to the interval that begins there, the end of the run to
// the last one: requests are put on and around the borders and counted.
func TestAnInstantOnABorderBelongsToTheNextInterval(t *testing.T) {
	r := recorder(3*s, s, 0)
	for _, at := range []time.Duration{0, s - 1, s, 2 * s, 3*s - 1, 3 * s} {
		answer(r, at, 0)
	}
	closed(t, r, 3*s, counted{})
	same(t, r, "callers.web", "offered", 2, 1, 3)
	same(t, r, "callers.web", "goodput", 2, 1, 3)
	same(t, r, "callers.web", "goodput_share", 1, 1, 1)
}

// Rates of the last interval are per second of what it covers: a run of 2.5 s
// with intervals of 1 s ends with half of one.
func TestAShortLastIntervalKeepsItsRates(t *testing.T) {
	r := recorder(2500*ms, s, 0)
	for at := time.Duration(0); at < 2500*ms; at += 100 * ms {
		answer(r, at, 0)
	}
	closed(t, r, 2500*ms, counted{})
	same(t, r, "callers.web", "offered", 10, 10, 10)
	if got := r.Series().StartS; len(got) != 3 || got[2] != 2 {
		t.Fatalf("starts %v", got)
	}
}

// An interrupted run has the intervals up to where it came, and no more.
func TestAnInterruptedRunEndsWhereItCame(t *testing.T) {
	r := recorder(100*s, s, 0)
	answer(r, 500*ms, 0)
	closed(t, r, 1500*ms, counted{})
	same(t, r, "callers.web", "offered", 1, 0)
	same(t, r, "callers.web", "goodput_share", 1, nan)
}

// Silence is recorded as zero load and absent latency, whatever its length.
func TestSilenceIsZeroLoadAndAbsentLatency(t *testing.T) {
	r := recorder(4*s, s, 0)
	answer(r, 3*s, 10*ms)
	closed(t, r, 4*s, counted{})
	same(t, r, "callers.web", "offered", 0, 0, 0, 1)
	same(t, r, "callers.web", "latency_p99", nan, nan, nan, 10)
	same(t, r, "callers.web", "amplification", nan, nan, nan, 0)
	same(t, r, "callers.web", "breakers_open", nan, nan, nan, nan)
}

// One request that is tried three times: two timeouts, then an answer.
func TestRetriesAmplify(t *testing.T) {
	r := recorder(3*s, 3*s, 0)
	r.RequestSent(0, 0)
	for i := range 3 {
		at := time.Duration(i) * s
		r.AttemptSent(at, 0, i > 0)
		why := patterns.AttemptTimeout
		if i == 2 {
			why = patterns.None
		}
		r.AttemptEnded(at+900*ms, 0, why, 900*ms)
	}
	r.RequestEnded(2900*ms, 0, models.Answered, models.WhyNone, 2900*ms)
	closed(t, r, 3*s, counted{})
	same(t, r, "callers.web", "amplification", 3)
	same(t, r, "callers.web", "retries", 2.0/3)
	same(t, r, "callers.web", "timeouts", 2.0/3)
	rows := r.Latency()
	if rows[0].Kind != "call" || *rows[0].MaxMS != 2900 || rows[1].Kind != "attempt" || *rows[1].MeanMS != 900 {
		t.Fatalf("rows %+v", rows)
	}
}

// Busy workers are averaged over time: 4 held for a quarter of the first interval
// and on into the second up to its middle are 3 and 2; levels are the last ones.
func TestBusyIsATimeAverageAndLevelsAreTheLast(t *testing.T) {
	r := recorder(3*s, s, 0)
	r.Level(0, 0, models.Level{Workers: 8, CapacityPerSecond: 80})
	r.Level(250*ms, 0, models.Level{Workers: 8, Busy: 4, Queue: 7, CapacityPerSecond: 80})
	r.Level(1500*ms, 0, models.Level{Workers: 4, CapacityPerSecond: 40})
	closed(t, r, 3*s, counted{})
	same(t, r, "services.db", "busy", 3, 2, 0)
	same(t, r, "services.db", "utilisation", 3.0/8, 2.0/4, 0)
	same(t, r, "services.db", "queue", 7, 0, 0)
	same(t, r, "services.db", "workers", 8, 4, 4)
	same(t, r, "services.db", "capacity", 80, 40, 40)
}

// Three handlers of 100, 200 and 300 ms; the last one's caller had gone, so half
// of the service time was wasted.
func TestWorkForGoneCallersIsWasted(t *testing.T) {
	r := recorder(s, s, 0)
	for i, held := range []time.Duration{100 * ms, 200 * ms, 300 * ms} {
		r.Arrived(0, 0)
		r.Started(time.Duration(i)*ms, 0, time.Duration(i)*ms)
		r.Served(500*ms, 0, held, i < 2, i == 0)
	}
	r.TurnedAway(0, 0, models.WhyQueueFull)
	r.TurnedAway(0, 0, models.WhyUnreachable)
	closed(t, r, s, counted{})
	same(t, r, "services.db", "wasted_share", 0.5)
	same(t, r, "services.db", "work", 0.6)
	same(t, r, "services.db", "useful", 2)
	same(t, r, "services.db", "errors", 1)
	same(t, r, "services.db", "wait_mean", 1)
	same(t, r, "services.db", "rejected", 1)
	same(t, r, "services.db", "unreachable", 1)
	if a := r.Accounts()[1]; a.Boundary != "services.db" || a.WorkS != 0.6 || a.WastedS != 0.3 {
		t.Fatalf("account %+v", a)
	}
}

// A crash is a line of the timeline and a count of its own service.
func TestACrashIsCountedOnce(t *testing.T) {
	r := recorder(2*s, s, 0)
	r.Happened(1500*ms, models.Happening{Source: "service", Subject: "services.db", What: "db crashes", Crash: true})
	r.Happened(1600*ms, models.Happening{Source: "fault", Subject: "services.db", What: "crash begins"})
	closed(t, r, 2*s, counted{})
	same(t, r, "services.db", "crashes", 0, 1)
	if r.Crashes() != 1 || len(r.Events()) != 2 {
		t.Fatalf("%d crashes, events %v", r.Crashes(), r.Events())
	}
}

// Every metric of the catalogue that belongs to a scope has a curve of full
// length, and each can be present: one busy interval leaves none of them absent.
func TestEveryMetricOfTheCatalogueIsRecorded(t *testing.T) {
	r := New(Config{Fleets: []Fleet{{Name: "web", Breakers: 2, Retrial: true}}, Services: []string{"db"}, Once: true, Cached: map[int]bool{0: true}, Shared: map[int]bool{0: true}, Duration: s, Interval: s})
	answer(r, 0, ms)
	r.Started(0, 0, 0)
	r.Served(ms, 0, ms, true, false)
	r.Level(0, 0, models.Level{Workers: 1, Cores: 1})
	r.BreakerChanged(0, 0, 0, breaker.Event{From: breaker.Closed, To: breaker.Open})
	r.SetBreakers(nil, []int{2})
	r.OnwardSent(0, 0, false)
	r.CacheLooked(0, 0, true)
	closed(t, r, s, counted{})
	series := r.Series()
	scopes := map[result.ScopeKind]string{result.Callers: "callers.web", result.Services: "services.db"}
	for _, m := range result.Catalogue() {
		if m.Kind == result.Run {
			continue
		}
		if got := series.Column(scopes[m.Kind], m.Name); len(got) != 1 || math.IsNaN(got[0]) {
			t.Errorf("%s: %v", m.Name, got)
		}
	}
}

// However fine an interval is asked for, there are at most IntervalsMax, each a
// whole multiple of what was asked, and no request is lost.
func TestFineIntervalsAreMadeCoarser(t *testing.T) {
	for _, duration := range []time.Duration{IntervalsMax * s, IntervalsMax*s + 1, 10 * IntervalsMax * s, 12345 * s} {
		r := recorder(duration, s, 0)
		for i := range 100 {
			answer(r, time.Duration(i)*(duration/100), 0)
		}
		closed(t, r, duration, counted{})
		series, sent := r.Series(), 0.0
		for i, v := range series.Column("callers.web", "offered") {
			sent += v * r.widthS(i)
		}
		n := len(series.StartS)
		if n > IntervalsMax || r.Interval()%s != 0 || math.Abs(sent-100) > 1e-6 {
			t.Errorf("%v: %d intervals of %v, %v requests", duration, n, r.Interval(), sent)
		}
	}
}

// A queue that grows to 9 and is gone before the interval ends is seen by its
// maximum; one that lasts over a border is the longest of both intervals, and an
// empty interval has none.
func TestTheLongestQueueOfAnIntervalIsKept(t *testing.T) {
	r := recorder(4*s, s, 0)
	r.Level(100*ms, 0, models.Level{Workers: 8, Queue: 9})
	r.Level(200*ms, 0, models.Level{Workers: 8})
	r.Level(1900*ms, 0, models.Level{Workers: 8, Queue: 5})
	r.Level(2100*ms, 0, models.Level{Workers: 8})
	closed(t, r, 4*s, counted{})
	same(t, r, "services.db", "queue_max", 9, 5, 5, 0)
	same(t, r, "services.db", "queue", 0, 5, 0, 0)
}

// Instants of whole nanoseconds are written with nine decimals at most:
// Duration.Seconds would give 124.76999287699999.
func TestInstantsCarryNoNoise(t *testing.T) {
	r := recorder(200*s, s, 0)
	r.Happened(124769992877, models.Happening{What: "x"})
	closed(t, r, 200*s, counted{})
	if got := r.Events()[0].TS; got != 124.769992877 {
		t.Errorf("%v", got)
	}
}
