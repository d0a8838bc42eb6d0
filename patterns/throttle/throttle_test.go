package throttle

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

const never = 0.999999 // a draw that only certainty refuses

// fill sends so many calls of which the first are accepted.
func fill(t *testing.T, th *Throttle, now patterns.Instant, calls, accepted int) {
	t.Helper()
	for i := range calls {
		if !th.Acquire(now, never).OK {
			t.Fatalf("call %d was refused", i)
		}
		o := patterns.Failure
		if i < accepted {
			o = patterns.Success
		}
		if !th.Report(now, o) {
			t.Fatalf("result %d was not heard", i)
		}
	}
}

// TestDrawBelowTheProbabilityIsRefused: 100 calls, 10 accepted: p = 80/101. The
// draw just below it is refused, the draw at it is not; what is refused counts.
func TestDrawBelowTheProbabilityIsRefused(t *testing.T) {
	th := New(compile(t, Defaults()))
	fill(t, &th, 0, 100, 10)
	p := 80.0 / 101
	if got := th.Snapshot(0).Probability; got != p {
		t.Fatalf("probability %v, want %v", got, p)
	}
	if !th.Acquire(0, p).OK {
		t.Error("a draw of p was refused")
	}
	th.Report(0, patterns.Ignored)
	if v := th.Acquire(0, math.Nextafter(p, 0)); v.OK || v.Reason != patterns.Throttled || v.RetryAfter != 0 {
		t.Errorf("a draw below p: %+v", v)
	}
	if s := th.Snapshot(0); s.Requests != 101 || s.Accepts != 10 || s.Refused != 1 || s.Rejected != 1 || s.Admitted != 101 {
		t.Errorf("%+v", s)
	}
}

// equilibrium offers 100 calls a second to a server that accepts 20 and returns
// how many a second are sent once the throttle has settled. Draws are spread
// evenly by the golden ratio.
func equilibrium(t *testing.T, c Config) float64 {
	t.Helper()
	th := New(compile(t, c))
	sent, draw := 0, 0.5
	for second := range 1200 {
		accepted := 0
		for k := range 100 {
			now := patterns.Instant(second)*patterns.Instant(time.Second) + patterns.Instant(k)*patterns.Instant(10*time.Millisecond)
			_, draw = math.Modf(draw + math.Phi)
			if !th.Acquire(now, draw).OK {
				continue
			}
			o := patterns.Failure
			if accepted < 20 {
				accepted++
				o = patterns.Success
			}
			th.Report(now, o)
			if second >= 600 {
				sent++
			}
		}
	}
	return float64(sent) / 600
}

// TestCountingRuleDecidesTheExcess: with K = 2, an offer of 100 and 20 accepted, K
// c = 40 a second are sent if refused calls count, and sqrt(o K c) = 63.2 if not.
func TestCountingRuleDecidesTheExcess(t *testing.T) {
	all, sent := Defaults(), Defaults()
	sent.Counting = Sent
	for _, row := range []struct {
		c    Config
		want float64
	}{{all, 40}, {sent, math.Sqrt(100 * 2 * 20)}} {
		if got := equilibrium(t, row.c); math.Abs(got/row.want-1) > 0.02 {
			t.Errorf("%s: %.2f a second are sent, want %.2f", row.c.Counting, got, row.want)
		}
	}
}

// TestThresholdsHoldBack: with failures only, nothing is refused one request short
// of the least number, or of the least rate over the window; at it, it is.
func TestThresholdsHoldBack(t *testing.T) {
	calls := Defaults()
	calls.MinimumNumberOfCalls = 50
	rate := Defaults()
	rate.SamplingWindow, rate.RPSThreshold = patterns.Duration(10*time.Second), 4.95 // 49.5 calls
	for _, c := range []Config{calls, rate} {
		th := New(compile(t, c))
		fill(t, &th, 0, 49, 0)
		if p := th.Snapshot(0).Probability; p != 0 {
			t.Errorf("%+v: 49 calls: probability %v", c, p)
		}
		fill(t, &th, 0, 1, 0)
		if p := th.Snapshot(0).Probability; p != 50.0/51 {
			t.Errorf("%+v: 50 calls: probability %v", c, p)
		}
	}
}

// TestAggressionAndCap: 100 calls, none accepted, gives 100/101 up to the cap; 100
// calls with 36 accepted by K = 1 gives 64/101, and with an aggression of 2 its
// square root.
func TestAggressionAndCap(t *testing.T) {
	capped := compile(t, Envoy())
	if got := capped.Probability(100, 0); got != 0.8 {
		t.Errorf("capped: %v, want 0.8", got)
	}
	c := Defaults()
	c.K, c.Aggression = 1, 2
	if got, want := compile(t, c).Probability(100, 36), math.Sqrt(64.0/101); math.Abs(got-want) > 1e-15 {
		t.Errorf("aggression 2: %v, want %v", got, want)
	}
}

// TestProbabilityIsMonotone: more accepted calls never raise the probability, more
// refused ones never lower it, and it stays in [0, cap].
func TestProbabilityIsMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		c := Defaults()
		c.K, c.Aggression = 1+9*r.Float64(), 1+4*r.Float64()
		c.MaxRejectionProbability = patterns.PercentOf(1 + 99*r.Float64())
		s := compile(t, c)
		n, a := r.Int64N(1000), int64(0)
		if n > 0 {
			a = r.Int64N(n)
		}
		p := s.Probability(n, a)
		if !(p >= 0 && p <= c.MaxRejectionProbability.Float()/100) {
			t.Fatalf("%+v: p(%d,%d) = %v", c, n, a, p)
		}
		if s.Probability(n, a+1) > p || s.Probability(n+1, a) < p || s.Probability(n+1, a+1) > max(p, s.Probability(n+1, a)) {
			t.Fatalf("%+v: p around (%d,%d) = %v is not monotone", c, n, a, p)
		}
	}
}

// TestRecoveryIsNoticed: after ten minutes of failures only, calls are still sent
// now and then. Once the server accepts again, what is sent grows by K in each
// window if refused calls count, so that all calls are sent after log_K(r) windows
// of r calls, and two more; else after two windows.
func TestRecoveryIsNoticed(t *testing.T) {
	for name, c := range map[string]Config{"book": Defaults(), "envoy": Envoy(), "failsafe": Failsafe(), "kratos": Kratos()} {
		th := New(compile(t, c))
		r := rand.New(rand.NewPCG(1, 2))
		var now patterns.Instant
		run := func(d time.Duration, o patterns.Outcome) (sent int) {
			for end := now.Add(d); now < end; now = now.Add(10 * time.Millisecond) {
				if th.Acquire(now, r.Float64()).OK {
					sent++
					th.Report(now, o)
				}
			}
			return sent
		}
		if run(10*time.Minute, patterns.Failure); run(c.SamplingWindow.Std(), patterns.Failure) == 0 {
			t.Errorf("%s: nothing was sent for a whole window", name)
		}
		windows := 2
		if c.Counting == All {
			k := c.K
			if k == 0 {
				k = 100 / c.SuccessRateThreshold.Float()
			}
			windows += int(math.Ceil(math.Log(c.SamplingWindow.Std().Seconds()*100) / math.Log(k)))
		}
		run(time.Duration(windows)*c.SamplingWindow.Std(), patterns.Success)
		if got, want := run(10*time.Second, patterns.Success), 1000; got != want {
			t.Errorf("%s: %d of %d sent after recovery", name, got, want)
		}
	}
}

// TestResultsWithoutCallsAreRefused: a throttle hears one result for each call,
// whatever it is; ignored ones and those not made do not count.
func TestResultsWithoutCallsAreRefused(t *testing.T) {
	th := New(compile(t, Defaults()))
	if th.Report(0, patterns.Success) {
		t.Error("a result without a call was heard")
	}
	for _, o := range []patterns.Outcome{patterns.Success, patterns.Failure, patterns.Ignored, patterns.NotMade} {
		th.Acquire(0, never)
		if !th.Report(0, o) || th.Report(0, o) {
			t.Errorf("%s was not heard exactly once", o)
		}
	}
	if s := th.Snapshot(0); s.Requests != 2 || s.Accepts != 1 || s.InFlight != 0 {
		t.Errorf("%+v, want 2 requests and 1 accepted", s)
	}
}

// TestFleetThrottlesAreApart: what fails for one client is not held against another.
func TestFleetThrottlesAreApart(t *testing.T) {
	fleet := NewFleet(compile(t, Defaults()), 3)
	fill(t, &fleet[1], 0, 100, 0)
	for i, want := range []bool{false, true, false} {
		if got := fleet[i].Snapshot(0).Probability > 0; got != want {
			t.Errorf("client %d refuses: %v", i, got)
		}
	}
}

// TestThrottlesDoNotAllocate: through refusals and expiry no memory is asked for.
func TestThrottlesDoNotAllocate(t *testing.T) {
	c := Envoy()
	c.Aggression = 1.5
	th := New(compile(t, c))
	var now patterns.Instant
	k := 0
	if n := testing.AllocsPerRun(2000, func() {
		k++
		now = now.Add(50 * time.Millisecond)
		if th.Acquire(now, float64(k%10)/10).OK {
			th.Report(now, patterns.Failure)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	if s := th.Snapshot(now); s.Rejected == 0 || s.Admitted == 0 {
		t.Errorf("%+v: the run did not go as meant", s)
	}
}

func BenchmarkAcquireReport(b *testing.B) {
	for _, k := range []struct {
		name string
		c    Config
	}{{"book", Defaults()}, {"envoy", Envoy()}} {
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			th := New(compile(b, k.c))
			for i := range b.N {
				now := patterns.Instant(i) * patterns.Instant(time.Millisecond)
				if th.Acquire(now, float64(i&15)/16).OK {
					o := patterns.Failure
					if i&3 == 0 {
						o = patterns.Success
					}
					th.Report(now, o)
				}
			}
		})
	}
}
