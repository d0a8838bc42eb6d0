package hedge_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/hedge"
)

func mustNew(t testing.TB, c hedge.Config) *hedge.Hedge {
	t.Helper()
	s, err := hedge.Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	h := hedge.New(s)
	return &h
}

// FuzzDelayIsThePercentileOfTheLatestAnswers holds the sorted window against a twin
// that keeps every answer, takes the last ones and sorts them.
func FuzzDelayIsThePercentileOfTheLatestAnswers(f *testing.F) {
	f.Add(uint64(1), uint16(10), uint16(3), uint32(95_000), uint16(50))
	f.Add(uint64(2), uint16(1), uint16(1), uint32(1), uint16(5))
	f.Add(uint64(3), uint16(100), uint16(100), uint32(99_999), uint16(300))
	f.Fuzz(func(t *testing.T, seed uint64, size, least uint16, rank uint32, n uint16) {
		c := hedge.Defaults()
		c.WindowSize = int(size%200) + 1
		c.MinimumNumberOfCalls = int(least)%c.WindowSize + 1
		c.DelayPercentile = patterns.Percent(rank%99_999 + 1)
		h := mustNew(t, c)
		r := rand.New(rand.NewPCG(seed, 0))
		var all []time.Duration
		for range n % 500 {
			d := time.Duration(r.IntN(20)) * time.Millisecond
			all = append(all, d)
			h.Observe(d)
			if got, want := h.Delay(), recount(c, all); got != want {
				t.Fatalf("after %v: delay %v, the twin says %v", all, got, want)
			}
		}
	})
}

func recount(c hedge.Config, all []time.Duration) time.Duration {
	last := slices.Clone(all[max(0, len(all)-c.WindowSize):])
	if len(last) < c.MinimumNumberOfCalls {
		return c.Delay.Std()
	}
	slices.Sort(last)
	for i, d := range last {
		if (i+1)*100_000 >= int(c.DelayPercentile)*len(last) {
			return d
		}
	}
	return last[len(last)-1]
}

// TestOvertakenAttemptsKeepThePercentileInPlace: attempts take an exponential time
// of mean 1 s; those that run past the delay are remembered with the delay only, as
// when a hedge answers at once. The delay still settles at the 95th percentile, ln 20
// seconds, within 4 standard errors of the percentile of a window of 10,000 answers.
func TestOvertakenAttemptsKeepThePercentileInPlace(t *testing.T) {
	c := hedge.Defaults()
	c.WindowSize, c.MinimumNumberOfCalls, c.Delay = 10_000, 10_000, patterns.Duration(time.Hour)
	h := mustNew(t, c)
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		h.Observe(time.Duration(r.ExpFloat64() * float64(time.Second)))
	}
	for range 100_000 {
		took := time.Duration(r.ExpFloat64() * float64(time.Second))
		h.Observe(min(took, h.Delay()+1))
	}
	want := math.Log(20)
	se := math.Sqrt(0.05*0.95/10_000) / 0.05 // of the percentile: sqrt(p(1-p)/n)/f
	if got := h.Delay().Seconds(); math.Abs(got-want) > 4*se {
		t.Fatalf("delay %.3f s, theory %.3f s, standard error %.3f", got, want, se)
	}
}

// TestFixedDelayRemembersNothing: without a percentile no answer moves the delay.
func TestFixedDelayRemembersNothing(t *testing.T) {
	c := hedge.Config{MaxHedges: 2, Delay: patterns.Duration(time.Second), HedgeOnFailure: true}
	h := mustNew(t, c)
	h.Observe(time.Minute)
	if s := h.Snapshot(); s.Delay != time.Second || s.Remembered != 0 {
		t.Fatalf("%+v", s)
	}
	h.Started()
	h.Started()
	h.Won()
	if s := h.Snapshot(); s.Started != 2 || s.Won != 1 {
		t.Fatalf("%+v", s)
	}
}

// TestSettingsOutOfRangeAreNamed: each bad value gives a fault at its own key.
func TestSettingsOutOfRangeAreNamed(t *testing.T) {
	bad := map[string]func(*hedge.Config){
		"maxHedges":            func(c *hedge.Config) { c.MaxHedges = 0 },
		"delay":                func(c *hedge.Config) { c.Delay = -1 },
		"delayPercentile":      func(c *hedge.Config) { c.DelayPercentile = patterns.PercentOf(100) },
		"windowSize":           func(c *hedge.Config) { c.WindowSize = 0 },
		"minimumNumberOfCalls": func(c *hedge.Config) { c.MinimumNumberOfCalls = 101 },
		"budget.window":        func(c *hedge.Config) { b := budget.Defaults(); b.Window = 0; c.Budget = &b },
	}
	for key, spoil := range bad {
		c := hedge.Defaults()
		spoil(&c)
		fs := c.Validate()
		if len(fs) != 1 || fs[0].Key != key {
			t.Errorf("%s: %v", key, fs)
		}
		if _, err := hedge.Compile(c); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestFullWindowAllocatesNothing counts.
func TestFullWindowAllocatesNothing(t *testing.T) {
	h := mustNew(t, hedge.Defaults())
	for i := range 1000 {
		h.Observe(time.Duration(i))
	}
	i := 0
	if n := testing.AllocsPerRun(1000, func() { i += 7; h.Observe(time.Duration(i % 100)); h.Delay() }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func BenchmarkObserveAndDelay(b *testing.B) {
	h := mustNew(b, hedge.Defaults())
	for i := range b.N {
		h.Observe(time.Duration(i * 7919 % 1000))
		h.Delay()
	}
}
