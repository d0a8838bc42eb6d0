package outlier

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

func compile(t testing.TB, c Config) *Settings {
	t.Helper()
	s, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at(d time.Duration) patterns.Instant { return patterns.Instant(d) }

// report tells so many calls of a host, the first of them failed.
func report(s *Set, now patterns.Instant, host, calls, failed int, log *[]Event) {
	for i := range calls {
		o := patterns.Success
		if i < failed {
			o = patterns.Failure
		}
		s.Report(now, host, o, 0, log)
	}
}

// TestEnvoysWorkedExample: rates of 50, 100, 100, 100, 100 have mean 90 and
// deviation 20, so that the threshold is 90 - 1.9 x 20 = 52 and the first host goes.
// With one host or one call fewer nobody is judged.
func TestEnvoysWorkedExample(t *testing.T) {
	for _, row := range []struct {
		hosts, calls int
		ejected      int
	}{{5, 100, 1}, {4, 100, 0}, {5, 98, 0}} {
		c := Defaults()
		c.ConsecutiveFailures = 0
		s := New(compile(t, c), row.hosts)
		for i := range row.hosts {
			failed := 0
			if i == 0 {
				failed = row.calls / 2
			}
			report(s, 0, i, row.calls, failed, nil)
		}
		s.Tick(at(10*time.Second)-1, 0, nil)
		if v := s.Snapshot(0); v.Ejected != 0 || v.Mean != -1 {
			t.Errorf("%+v: judged before the interval: %+v", row, v)
		}
		s.Tick(at(10*time.Second), 0, nil)
		v := s.Snapshot(0)
		if v.Ejected != row.ejected {
			t.Errorf("%+v: %+v", row, v)
		}
		if row.ejected == 1 && (v.Mean != 90 || v.Threshold != 52 || !s.Ejected(0, 0)) {
			t.Errorf("mean %v, threshold %v", v.Mean, v.Threshold)
		}
		if h, _ := s.Host(0, 0); h.SuccessRate != 50 || h.Calls != 0 {
			t.Errorf("host 0: %+v", h)
		}
	}
}

// TestEqualHostsAreNoOutliers: rates that are equal but cannot be written exactly
// leave a deviation of rounding; with a factor near 0 no host is ejected.
func TestEqualHostsAreNoOutliers(t *testing.T) {
	c := Defaults()
	c.ConsecutiveFailures, c.SuccessRateStdevFactor = 0, 1e-9
	for calls := 100; calls < 200; calls++ {
		s := New(compile(t, c), 7)
		for i := range 7 {
			report(s, 0, i, calls, calls/3, nil)
		}
		s.Tick(at(10*time.Second), 0, nil)
		if v := s.Snapshot(0); v.Ejections+v.Spared != 0 {
			t.Fatalf("%d calls: %+v", calls, v)
		}
	}
}

// TestEjectionTimeGrowsAndIsForgiven: a host that fails as soon as it is back
// stays away base, 2 base, 3 base and so on to the maximum, rounded up to an
// interval; each full good interval takes one off. The times are Envoy's formula.
func TestEjectionTimeGrowsAndIsForgiven(t *testing.T) {
	c := Defaults()
	c.BaseEjectionTime, c.MaxEjectionTime = patterns.Duration(25*time.Second), patterns.Duration(60*time.Second)
	s := New(compile(t, c), 10)
	now, log := at(time.Second), []Event(nil)
	for _, want := range []struct {
		times   int
		away    time.Duration
		returns time.Duration // after the origin
	}{{1, 25 * time.Second, 30 * time.Second}, {2, 50 * time.Second, 90 * time.Second}, {3, 60 * time.Second, 160 * time.Second}, {3, 60 * time.Second, 230 * time.Second}} {
		s.Tick(now, 0, nil)
		log = log[:0]
		report(s, now, 0, 5, 5, &log)
		if len(log) != 1 || log[0].Times != want.times || log[0].Until != now.Add(want.away) {
			t.Fatalf("at %v: %+v, want %+v", now, log, want)
		}
		if !s.Ejected(at(want.returns)-1, 0) || s.Ejected(at(want.returns), 0) {
			t.Errorf("at %v: it does not return at %v", now, want.returns)
		}
		now = at(want.returns) + 1
	}
	for i, want := range []int{3, 2, 1, 0, 0} { // at its return, then after each full interval
		now := at(230 * time.Second).Add(time.Duration(i) * 10 * time.Second)
		s.Tick(now, 0, nil)
		if h, _ := s.Host(now, 0); h.Ejected || h.Times != want {
			t.Errorf("%d intervals later: times %d, want %d", i, h.Times, want)
		}
	}
}

// TestNeverMoreThanTheShare plays random failures and looks after each event at how many are
// out: never above the maximum, but for one alone, if that is allowed.
func TestNeverMoreThanTheShare(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for run := range 300 {
		c := Defaults()
		c.MaxEjectionPercent = patterns.PercentOf(float64(r.IntN(101)))
		c.AlwaysEjectOneHost = run%2 == 0
		c.SuccessRateRequestVolume, c.EnforcingFailurePercentage = 3, patterns.PercentOf(100)
		c.MaxEjectionTimeJitter = patterns.Duration(20 * time.Second)
		n := 1 + r.IntN(20)
		s := New(compile(t, c), n)
		var log []Event
		now, out := patterns.Instant(0), 0
		for range 2000 {
			now = now.Add(time.Duration(r.ExpFloat64() * float64(100*time.Millisecond)))
			o := patterns.Failure
			if r.IntN(3) == 0 {
				o = patterns.Success
			}
			s.Report(now, r.IntN(n), o, r.Float64(), &log)
			for _, e := range log {
				switch e.Kind {
				case HostEjected:
					out++
				case HostReturned:
					out--
				}
				if alone := out == 1 && c.AlwaysEjectOneHost; 100*float64(out) > c.MaxEjectionPercent.Float()*float64(n) && !alone {
					t.Fatalf("%d of %d are out, at most %s percent", out, n, c.MaxEjectionPercent)
				}
			}
			log = log[:0]
		}
	}
}

// TestEjectionLastsItsTime compares each return with its ejection: not before min(base x times,
// max), and not more than the jitter and an interval after it.
func TestEjectionLastsItsTime(t *testing.T) {
	c := Defaults()
	c.MaxEjectionTime, c.MaxEjectionTimeJitter = patterns.Duration(90*time.Second), patterns.Duration(15*time.Second)
	c.MaxEjectionPercent = patterns.PercentOf(100)
	s := New(compile(t, c), 6)
	r := rand.New(rand.NewPCG(5, 6))
	var log []Event
	for now := patterns.Instant(0); now < at(time.Hour); now = now.Add(time.Duration(r.IntN(int(time.Second)))) {
		s.Report(now, r.IntN(6), patterns.Failure, r.Float64(), &log)
	}
	last, returns, longest := map[int]Event{}, 0, 0
	for _, e := range log {
		switch e.Kind {
		case HostEjected:
			last[e.Host] = e
		case HostReturned:
			begun := last[e.Host]
			least := min(time.Duration(begun.Times)*30*time.Second, 90*time.Second)
			if d := e.At.Sub(begun.At); d < least || d >= least+25*time.Second {
				t.Errorf("host %d was away for %s, ejected %d times", e.Host, d, begun.Times)
			}
			returns++
			longest = max(longest, begun.Times)
		}
	}
	if returns < 50 || longest != 3 {
		t.Errorf("%d returns, %d times: the run did not go as meant", returns, longest)
	}
}

// TestJittersOfOneStepDiffer: three hosts that are ejected by one sweep take three
// different draws of the one that was given, spread over the whole jitter.
func TestJittersOfOneStepDiffer(t *testing.T) {
	c := Defaults()
	c.FailurePercentageMinimumHosts, c.FailurePercentageRequestVolume = 1, 1
	c.EnforcingFailurePercentage, c.MaxEjectionPercent = patterns.PercentOf(100), patterns.PercentOf(100)
	c.MaxEjectionTimeJitter = patterns.Duration(10 * time.Second)
	s := New(compile(t, c), 3)
	for i := range 3 {
		report(s, 0, i, 1, 1, nil)
	}
	var log []Event
	s.Tick(at(10*time.Second), 0.25, &log)
	for i, want := range []float64{0.25, 0.25 + 0.618034 - 0, 0.25 + 2*0.618034 - 1} {
		if got := log[i].Until.Sub(at(40*time.Second)).Seconds() / 10; math.Abs(got-want) > 1e-5 {
			t.Errorf("host %d takes %v of the jitter, want %v", i, got, want)
		}
	}
	if s.Draws() != 1 {
		t.Errorf("%d steps used a draw, want 1", s.Draws())
	}
}

// TestTooFewHostsAreAllUsed: of four hosts two are down; the panic begins with the first
// ejection, when one is left, and ends when that host is back.
func TestTooFewHostsAreAllUsed(t *testing.T) {
	s := New(compile(t, Defaults()), 4)
	var log []Event
	s.Mark(0, 0, true, 0, &log)
	s.Mark(0, 1, true, 0, &log)
	usable := func(now patterns.Instant) (n int) {
		for i := range 4 {
			if s.Usable(now, i) {
				n++
			}
		}
		return n
	}
	if n := usable(0); n != 2 || s.Panicking(0) {
		t.Errorf("half are down: %d usable, panic %v", n, s.Panicking(0))
	}
	report(s, 0, 2, 5, 5, &log)
	if n := usable(0); n != 4 || !s.Panicking(0) || !s.Ejected(0, 2) {
		t.Errorf("one is left: %d usable, panic %v", n, s.Panicking(0))
	}
	if s.Report(0, 2, patterns.Success, 0, &log); s.Snapshot(0).Late != 1 {
		t.Error("what a panic let in is not counted as late")
	}
	back := at(30 * time.Second)
	if n := usable(back); n != 2 || s.Panicking(back) {
		t.Errorf("back: %d usable", n)
	}
	s.Tick(back, 0, &log)
	want := []Kind{HostEjected, PanicBegan, HostReturned, PanicEnded}
	if len(log) != len(want) {
		t.Fatalf("%v", log)
	}
	for i, e := range log {
		if e.Kind != want[i] {
			t.Errorf("event %d is %v, want %v", i, e.Kind, want[i])
		}
	}
}

// TestDriverSleepsWhenNothingIsDue: a set without calls has no next instant; a call,
// an ejection and times that are not forgiven have.
func TestDriverSleepsWhenNothingIsDue(t *testing.T) {
	s := New(compile(t, Defaults()), 3)
	if _, ok := s.Next(); ok {
		t.Error("a fresh set wants a tick")
	}
	report(s, 0, 1, 5, 5, nil)
	ticks := 0
	for next, ok := s.Next(); ok; next, ok = s.Next() {
		s.Tick(next, 0, nil)
		ticks++
	}
	// back at 30 s; one full interval in use until 40 s.
	if ticks != 4 || s.Ejected(0, 1) {
		t.Errorf("%d ticks, want 4", ticks)
	}
}

// TestFarFutureIsReachedAtOnce: an idle century costs a few sweeps, and the end of
// time does not overflow.
func TestFarFutureIsReachedAtOnce(t *testing.T) {
	c := Defaults()
	c.Interval = patterns.Duration(time.Millisecond)
	s := New(compile(t, c), 3)
	report(s, 0, 0, 5, 5, nil)
	s.Tick(at(100*365*24*time.Hour), 0, nil)
	if h, _ := s.Host(0, 0); h.Ejected || h.Times != 0 {
		t.Errorf("%+v", h)
	}
	s.Tick(patterns.Never, 0, nil)
	report(s, patterns.Never, 0, 5, 5, nil)
	if h, _ := s.Host(0, 0); h.Times != 1 {
		t.Errorf("%+v", h)
	}
}

// TestUnknownHostsAreRefused: numbers that are not in the set change nothing.
func TestUnknownHostsAreRefused(t *testing.T) {
	s := New(compile(t, Defaults()), 1)
	for _, i := range []int{-1, 1, 99} {
		_, ok := s.Host(0, i)
		if ok || s.Report(0, i, patterns.Failure, 0, nil) || s.Mark(0, i, true, 0, nil) || s.Remove(0, i, 0, nil) || s.Usable(0, i) || s.Ejected(0, i) {
			t.Errorf("host %d is in the set", i)
		}
	}
	if !s.Report(0, 0, patterns.Ignored, 0, nil) || s.hosts[0].total != 0 {
		t.Error("an ignored call counts")
	}
}

// TestWordsAreKnown: each word has a name and one that does not exist has none.
func TestWordsAreKnown(t *testing.T) {
	for k := HostEjected; k <= PanicEnded; k++ {
		if k.String() == "unknown" {
			t.Errorf("kind %d has no word", k)
		}
	}
	for w := Consecutive; w <= FailurePercentage; w++ {
		if w.String() == "unknown" {
			t.Errorf("rule %d has no word", w)
		}
	}
	if Kind(99).String() != "unknown" || Why(99).String() != "unknown" {
		t.Error("words that do not exist are known")
	}
}

// TestSetsDoNotAllocate: through failures, sweeps and returns no memory is asked for.
func TestSetsDoNotAllocate(t *testing.T) {
	c := Defaults()
	c.SuccessRateRequestVolume, c.MaxEjectionTimeJitter = 1, patterns.Duration(time.Second)
	s := New(compile(t, c), 20)
	k, now := 0, patterns.Instant(0)
	if n := testing.AllocsPerRun(5000, func() {
		k++
		now = now.Add(50 * time.Millisecond)
		o := patterns.Success
		if k%20 < 4 {
			o = patterns.Failure
		}
		s.Report(now, k%20, o, 0.5, nil)
		s.Usable(now, k%20)
		s.Next()
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	if v := s.Snapshot(now); v.Ejections == 0 || v.Spared == 0 {
		t.Errorf("%+v: the run did not go as meant", v)
	}
}

// TestEveryFaultIsTold spoils sound settings one key at a time and expects that key,
// and only it, to be named.
func TestEveryFaultIsTold(t *testing.T) {
	if fs := Defaults().Validate(); fs != nil {
		t.Fatal(fs.Err())
	}
	over, day := patterns.PercentOf(100)+1, patterns.Duration(24*time.Hour)
	for _, row := range []struct {
		key   string
		spoil func(*Config)
	}{
		{"interval", func(c *Config) { c.Interval = 0 }},
		{"interval", func(c *Config) { c.Interval = day + 1 }},
		{"baseEjectionTime", func(c *Config) { c.BaseEjectionTime = 0 }},
		{"maxEjectionTime", func(c *Config) { c.MaxEjectionTime = c.BaseEjectionTime - 1 }},
		{"maxEjectionTime", func(c *Config) { c.MaxEjectionTime = day + 1 }},
		{"maxEjectionTimeJitter", func(c *Config) { c.MaxEjectionTimeJitter = -1 }},
		{"maxEjectionPercent", func(c *Config) { c.MaxEjectionPercent = over }},
		{"panicThreshold", func(c *Config) { c.PanicThreshold = -1 }},
		{"consecutiveFailures", func(c *Config) { c.ConsecutiveFailures = -1 }},
		{"enforcingConsecutiveFailures", func(c *Config) { c.EnforcingConsecutiveFailures = over }},
		{"successRateStdevFactor", func(c *Config) { c.SuccessRateStdevFactor = 1900 }},
		{"successRateStdevFactor", func(c *Config) { c.SuccessRateStdevFactor = math.NaN() }},
		{"successRateMinimumHosts", func(c *Config) { c.SuccessRateMinimumHosts = 0 }},
		{"successRateRequestVolume", func(c *Config) { c.SuccessRateRequestVolume = -1 }},
		{"enforcingSuccessRate", func(c *Config) { c.EnforcingSuccessRate = over }},
		{"failurePercentageThreshold", func(c *Config) { c.FailurePercentageThreshold = over }},
		{"failurePercentageMinimumHosts", func(c *Config) { c.FailurePercentageMinimumHosts = 0 }},
		{"failurePercentageRequestVolume", func(c *Config) { c.FailurePercentageRequestVolume = 0 }},
		{"enforcingFailurePercentage", func(c *Config) { c.EnforcingFailurePercentage = -1 }},
	} {
		c := Defaults()
		row.spoil(&c)
		if fs := c.Validate(); len(fs) != 1 || fs[0].Key != row.key {
			t.Errorf("faults %v, want one of %s", fs, row.key)
		}
		if _, err := Compile(c); err == nil {
			t.Errorf("compiles with a fault of %s", row.key)
		}
	}
}

// TestDrawsAreAskedForWhenTheyMatter: only a jitter, or a rule in force now and then,
// uses chance.
func TestDrawsAreAskedForWhenTheyMatter(t *testing.T) {
	plain, jitter, half := Defaults(), Defaults(), Defaults()
	jitter.MaxEjectionTimeJitter = 1
	half.EnforcingSuccessRate = patterns.PercentOf(50)
	for i, c := range []Config{plain, jitter, half} {
		if got := compile(t, c).NeedsDraw(); got != (i > 0) {
			t.Errorf("row %d needs a draw: %v", i, got)
		}
	}
}

func BenchmarkReport(b *testing.B) {
	s := New(compile(b, Defaults()), 100)
	b.ReportAllocs()
	for i := range b.N {
		o := patterns.Success
		if i&7 == 0 {
			o = patterns.Failure
		}
		s.Report(patterns.Instant(i)*patterns.Instant(time.Millisecond), i%100, o, 0.5, nil)
	}
}
