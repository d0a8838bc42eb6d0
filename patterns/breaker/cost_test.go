package breaker

import (
	"testing"
	"time"
	"unsafe"

	"github.com/resilsim/resilsim/patterns"
)

// TestBreakerIsSmall holds the size that a fleet of a million callers counts on:
// state, window and a budget's 24 B fit into 300 B with resilience4j's defaults.
func TestBreakerIsSmall(t *testing.T) {
	s, err := Compile(Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if got := int(unsafe.Sizeof(Breaker{})) + 8*s.Cells(); got > 276 {
		t.Errorf("a breaker takes %d B, want at most 276", got)
	}
}

// TestBreakersDoNotAllocate: through opening and closing no memory is asked for.
func TestBreakersDoNotAllocate(t *testing.T) {
	b := New(compile(t, func(c *Config) {
		c.SlidingWindowSize, c.MinimumNumberOfCalls = 10, 5
		c.CountRunningSlowCalls, c.SlowCallDurationThreshold = true, 1
		c.SlowCallRateThreshold, c.EnableRandomizedWait = patterns.PercentOf(99), true
	}))
	if !b.settings.NeedsDraw() {
		t.Error("a randomised wait needs no draw")
	}
	var now patterns.Instant
	k := 0
	if n := testing.AllocsPerRun(2000, func() {
		k++
		now = now.Add(100 * time.Millisecond)
		if p, v := b.Acquire(now, 0.5, nil); v.OK {
			o := patterns.Success
			if k%50 < 25 {
				o = patterns.Failure
			}
			b.Overdue(now.Add(time.Duration(k%3)), &p, 0.5, nil)
			b.Report(now, p, o, 0.5, nil)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	if b.Openings() < 10 {
		t.Errorf("only %d openings: the run did not go through the states", b.Openings())
	}
}

func BenchmarkAcquireReport(b *testing.B) {
	count, timed := Defaults(), Defaults()
	timed.SlidingWindowType, timed.SlidingWindowSize = TimeBased, 10
	for _, k := range []struct {
		name string
		c    Config
	}{{"count", count}, {"time", timed}} {
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			s, err := Compile(k.c)
			if err != nil {
				b.Fatal(err)
			}
			br := New(s)
			for i := range b.N {
				now := patterns.Instant(i) * patterns.Instant(time.Millisecond)
				p, _ := br.Acquire(now, 0, nil)
				o := patterns.Success
				if i&3 == 0 {
					o = patterns.Failure
				}
				br.Report(now, p, o, 0, nil)
			}
		})
	}
}
