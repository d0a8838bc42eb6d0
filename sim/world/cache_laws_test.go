package world_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// shelf is a shop of four workers that looks into a cache before it asks the database,
// which needs 100 ms. Requests, 100 a second, are about one of n keys.
func shelf(n int, exponent float64, c scenario.Cache) *scenario.Scenario {
	sc := simple(100, 1000, constant(time.Millisecond))
	sc.Callers[0].Arrivals.Law = scenario.Poisson
	sc.Callers[0].Keys = &scenario.Keys{Count: n, Exponent: exponent}
	sc.Services[0].Do = []scenario.Step{{Call: 1, Through: -1, Probability: 1, Cache: 1}}
	sc.Services = append(sc.Services, service("db", 1000, work(constant(100*time.Millisecond))))
	c.Name = "shelf"
	sc.Caches = []scenario.Cache{c}
	return sc
}

// looks counts what comes of looks into caches.
type looks struct {
	*times
	hits, misses int
	loads        []time.Duration
}

func (l *looks) CacheLooked(_ time.Duration, _ int, hit bool) {
	if hit {
		l.hits++
	} else {
		l.misses++
	}
}

func (l *looks) Arrived(now time.Duration, s int) {
	l.times.Arrived(now, s)
	if s == 1 {
		l.loads = append(l.loads, now)
	}
}

func looked(t *testing.T, sc *scenario.Scenario, until time.Duration) *looks {
	t.Helper()
	l := &looks{times: &times{ledger: newLedger(sc)}}
	w := build(t, sc, 1, l)
	w.Run(until)
	l.balance(t, w)
	return l
}

// A key that is asked for at rate r with a ttl T, loaded in no time, is missed once in
// each T + 1/r: its hit ratio is rT/(1+rT). Ten keys at 10 a second each and T of 1 s
// make 10/11, within five standard errors of 60,000 looks (misses are renewals).
func TestHitRatioIsAConsequenceOfTTLAndRate(t *testing.T) {
	sc := shelf(10, 0, scenario.Cache{TTL: time.Second})
	sc.Services[1].Do = []scenario.Step{work(constant(time.Nanosecond))}
	l := looked(t, sc, 600*second)
	want := 10.0 / 11
	got := float64(l.hits) / float64(l.hits+l.misses)
	if se := math.Sqrt(want * (1 - want) / float64(l.hits+l.misses)); math.Abs(got-want) > 5*se {
		t.Errorf("hit ratio %.4f, theory %.4f, standard error %.4f", got, want, se)
	}
}

// A cache for c of n keys that are asked for alike, without a ttl, holds c of them: the
// hit ratio is c/n whichever is evicted.
func TestHitRatioOfASmallCacheIsItsShare(t *testing.T) {
	for _, fifo := range []bool{false, true} {
		sc := shelf(100, 0, scenario.Cache{Capacity: 30, FIFO: fifo})
		sc.Services[1].Do = []scenario.Step{work(constant(time.Nanosecond))}
		l := looked(t, sc, 600*second)
		got := float64(l.hits) / float64(l.hits+l.misses)
		if math.Abs(got-0.3) > 0.01 {
			t.Errorf("fifo %v: hit ratio %.4f, theory 0.3", fifo, got)
		}
	}
}

// With popular keys the least recently used cache keeps those: it finds more than the
// one that throws away what came first.
func TestRecentlyUsedKeysStay(t *testing.T) {
	share := func(fifo bool) float64 {
		l := looked(t, shelf(10_000, 1, scenario.Cache{Capacity: 500, FIFO: fifo}), 300*second)
		return float64(l.hits) / float64(l.hits+l.misses)
	}
	if lru, fifo := share(false), share(true); lru < fifo+0.02 {
		t.Errorf("lru %.3f, fifo %.3f", lru, fifo)
	}
}

// One hot key, 100 a second, a ttl of 10 s and a load of 100 ms. Each time the answer ends
// its time, some ten callers find nothing and load it: the stampede. With coalescing one
// does; with stale answers one does and nobody waits; with early refresh nobody finds it
// gone, as a rule, and it is loaded a few times too often.
func TestStampedeAndItsProtections(t *testing.T) {
	plain := looked(t, shelf(1, 0, scenario.Cache{TTL: 10 * second}), 600*second)
	one := looked(t, shelf(1, 0, scenario.Cache{TTL: 10 * second, Coalesce: true}), 600*second)
	stale := looked(t, shelf(1, 0, scenario.Cache{TTL: 10 * second, Coalesce: true, StaleWhileRevalidate: 5 * second}), 600*second)
	early := looked(t, shelf(1, 0, scenario.Cache{TTL: 10 * second, Coalesce: true, EarlyRefresh: 3}), 600*second)
	if n := len(plain.loads); n < 500 || n > 800 {
		t.Errorf("stampede: %d loads in 60 rounds, want about ten each", n)
	}
	if n := len(one.loads); n < 58 || n > 61 {
		t.Errorf("coalesced: %d loads in 60 rounds", n)
	}
	if n := len(stale.loads); n < 57 || n > 61 || stale.misses > 15 {
		t.Errorf("stale: %d loads, %d misses", n, stale.misses)
	}
	if n := len(early.loads); n < 60 || n > 75 || early.misses > 40 {
		t.Errorf("early: %d loads, %d misses", n, early.misses)
	}
	waits := func(l *looks) time.Duration {
		r := slices.Sorted(slices.Values(l.requests))
		return r[len(r)*998/1000]
	}
	if waits(one) != 100*time.Millisecond && waits(one) < 50*time.Millisecond || waits(stale) != 0 {
		t.Errorf("99.8th percentile: coalesced %s, stale %s", waits(one), waits(stale))
	}
}

// Whoever waits for a load hears how it ended, an error as well, and an error is not kept.
func TestErrorsAreSharedAndNotKept(t *testing.T) {
	sc := shelf(1, 0, scenario.Cache{Coalesce: true})
	f := fault(scenario.Errors, 0, 20*second)
	f.Service, f.Share = 1, 1
	sc.Faults = []scenario.Fault{f}
	l := looked(t, sc, 60*second)
	failed := l.ended[0][models.Failed]
	if failed < 1800 || failed > 2200 {
		t.Errorf("%d failed in 20 s of 100 a second", failed)
	}
	if n := len(l.loads); n < 170 || n > 201 {
		t.Errorf("%d loads: one every 100 ms while they fail, then one", n)
	}
}

// A flush of a minute: everything is asked of the database meanwhile, and afterwards the
// cache fills anew.
func TestFlushEmptiesTheCache(t *testing.T) {
	sc := shelf(10, 0, scenario.Cache{})
	f := fault(scenario.Flush, 60*second, 60*second)
	sc.Faults = []scenario.Fault{f}
	l := looked(t, sc, 180*second)
	during := 0
	for _, at := range l.loads {
		if at >= 60*second && at < 120*second {
			during++
		}
	}
	if during < 5700 || during > 6300 {
		t.Errorf("%d loads in a minute of 100 a second", during)
	}
	if rest := len(l.loads) - during; rest < 20 || rest > 220 {
		t.Errorf("%d loads outside it: ten keys, twice, with a small stampede each", rest)
	}
}

// A local cache is lost with its instance, a shared one is not: after a crash of one of
// two instances ten keys are loaded again, or none.
func TestCrashEmptiesALocalCache(t *testing.T) {
	for _, local := range []bool{true, false} {
		sc := shelf(10, 0, scenario.Cache{Local: local, Coalesce: true})
		sc.Services[0].Instances = 2
		f := fault(scenario.CrashDown, 60*second, 5*second)
		f.Restart, f.Instances = 5*second, 0.5
		sc.Faults = []scenario.Fault{f}
		l := looked(t, sc, 120*second)
		want := map[bool]int{true: 30, false: 10}[local]
		if n := len(l.loads); n != want {
			t.Errorf("local %v: %d loads, want %d", local, n, want)
		}
	}
}
