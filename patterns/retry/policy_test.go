package retry

import (
	"testing"
	"time"
	"unsafe"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
)

func policy(t testing.TB, change func(*Config)) *Policy {
	t.Helper()
	c := Defaults()
	change(&c)
	p, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWhatIsRetried lists how an attempt can end and whether another follows, by
// default and where refusals by a bulkhead are listed.
func TestWhatIsRetried(t *testing.T) {
	plain := policy(t, func(*Config) {})
	listed := policy(t, func(c *Config) { c.RetryRefusals = []string{"bulkhead_full", "bulkhead_timeout"} })
	full := policy(t, func(c *Config) { c.RetryRefusals = []string{"bulkhead_full"} })
	for _, row := range []struct {
		result              patterns.Result
		plain, full, listed bool
	}{
		{patterns.Result{Outcome: patterns.Success}, false, false, false},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}, true, true, true},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.AttemptTimeout}, true, true, true},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.Rejected}, true, true, true},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.Panicked}, true, true, true},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.DeadlineExceeded}, false, false, false},
		{patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Failed}, false, false, false},
		{patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Cancelled}, false, false, false},
		{patterns.Result{Outcome: patterns.NotMade, Reason: patterns.BreakerOpen}, false, false, false},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.BreakerOpen}, false, false, false},
		{patterns.Result{Outcome: patterns.NotMade, Reason: patterns.BulkheadFull}, false, true, true},
		{patterns.Result{Outcome: patterns.NotMade, Reason: patterns.BulkheadTimeout}, false, false, true},
		{patterns.Result{Outcome: patterns.NotMade}, false, false, false},
		{patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed, RetryAfter: -1}, false, false, false},
	} {
		for _, k := range []struct {
			name string
			p    *Policy
			want bool
		}{{"plain", plain, row.plain}, {"full", full, row.full}, {"listed", listed, row.listed}} {
			var s State
			wait, again := k.p.Next(&s, row.result, 0)
			if again != k.want || (again && wait != 500*time.Millisecond) || (!again && wait != 0) {
				t.Errorf("%s, %+v: again %v after %s, want %v", k.name, row.result, again, wait, k.want)
			}
		}
	}
}

// TestHintsAreAFloor gives the dependency's hint with different ceilings: it is
// never undercut by our own shorter wait, our own longer wait stands, the ceiling
// clamps it, a6 takes it as it is, and a bulkhead's hint is not clamped.
func TestHintsAreAFloor(t *testing.T) {
	failed := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
	refused := patterns.Result{Outcome: patterns.NotMade, Reason: patterns.BulkheadFull}
	for _, row := range []struct {
		name   string
		result patterns.Result
		hint   time.Duration
		change func(*Config)
		want   time.Duration
	}{
		{"longer than ours", failed, 2 * time.Second, func(*Config) {}, 2 * time.Second},
		{"shorter than ours", failed, 100 * time.Millisecond, func(*Config) {}, 500 * time.Millisecond},
		{"above the ceiling", failed, time.Hour, func(c *Config) {
			c.ExponentialMaxWaitDuration = patterns.Duration(20 * time.Second)
		}, 20 * time.Second},
		{"a6, above the ceiling", failed, time.Hour, func(c *Config) {
			c.ExponentialMaxWaitDuration, c.Jitter = patterns.Duration(20*time.Second), A6
		}, time.Hour},
		{"a6, shorter than ours", failed, time.Millisecond, func(c *Config) { c.Jitter = A6 }, time.Millisecond},
		{"of a bulkhead", refused, time.Minute, func(c *Config) {
			c.ExponentialMaxWaitDuration = patterns.Duration(20 * time.Second)
			c.RetryRefusals = []string{"bulkhead_full"}
		}, time.Minute},
	} {
		var s State
		row.result.RetryAfter = row.hint
		if got, again := policy(t, row.change).Next(&s, row.result, 0.5); !again || got != row.want {
			t.Errorf("%s: %s (again: %v), want %s", row.name, got, again, row.want)
		}
	}
}

// TestHintsAboveTheCap takes the three rules of D8 with a wish of an hour and a cap of
// 20 s, with and without the a6 profile, and with a wish below the cap, which none of
// them touches.
func TestHintsAboveTheCap(t *testing.T) {
	for _, row := range []struct {
		hints  Hints
		jitter Jitter
		want   time.Duration // 0: no retry
	}{
		{"", None, 20 * time.Second}, {Clamp, None, 20 * time.Second}, {Stop, None, 0}, {Obey, None, time.Hour},
		{"", A6, time.Hour}, {Clamp, A6, 20 * time.Second}, {Stop, A6, 0}, {Obey, A6, time.Hour},
	} {
		p := policy(t, func(c *Config) {
			c.ServerHints, c.Jitter = row.hints, row.jitter
			c.ExponentialMaxWaitDuration = patterns.Duration(20 * time.Second)
		})
		r := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Rejected, RetryAfter: time.Hour}
		var s State
		if got, again := p.Next(&s, r, 0); got != row.want || again != (row.want > 0) {
			t.Errorf("%s with jitter %s: %s, %v, want %s", row.hints, row.jitter, got, again, row.want)
		}
		r.RetryAfter = 20 * time.Second
		var below State
		if got, _ := p.Next(&below, r, 0); got != 20*time.Second {
			t.Errorf("%s with jitter %s: %s for a wish of just the cap", row.hints, row.jitter, got)
		}
	}
}

// TestConditionsNameWhatIsRetried lists each word alone and expects that failure, and
// no other, to be retried.
func TestConditionsNameWhatIsRetried(t *testing.T) {
	failure := func(r patterns.Reason) patterns.Result { return patterns.Result{Outcome: patterns.Failure, Reason: r} }
	lost := failure(patterns.Failed)
	lost.Ambiguous = true
	results := map[string]patterns.Result{
		"failed": failure(patterns.Failed), "timeout": failure(patterns.AttemptTimeout),
		"rejected": failure(patterns.Rejected), "unreachable": failure(patterns.Unreachable),
		"connection_lost": lost, "panicked": failure(patterns.Panicked),
	}
	if len(results) != len(failures) {
		t.Errorf("%d results for %d words", len(results), len(failures))
	}
	for word := range results {
		p := policy(t, func(c *Config) { c.RetryOn = []string{word} })
		for other, r := range results {
			var s State
			if _, again := p.Next(&s, r, 0); again != (other == word) {
				t.Errorf("retry on %s: after %s again %v", word, other, again)
			}
		}
	}
	p := policy(t, func(c *Config) { c.RetryOn = []string{"failed"} })
	if _, again := p.Next(new(State), patterns.Result{Outcome: patterns.Failure}, 0); !again {
		t.Error("a failure without a reason is not taken as failed")
	}
}

// TestRefusalsAreRetriedOnlyIfListed: each refusal on the caller's side is retried when
// it is listed, then not before its own hint, and not otherwise; an open breaker never.
func TestRefusalsAreRetriedOnlyIfListed(t *testing.T) {
	all := []string{}
	for _, r := range refusals {
		all = append(all, r.String())
	}
	plain := policy(t, func(*Config) {})
	for r := patterns.None; int(r) < patterns.Reasons; r++ {
		if !r.Refusal() {
			continue
		}
		listed := policy(t, func(c *Config) { c.RetryRefusals = all })
		refused := patterns.Result{Outcome: patterns.NotMade, Reason: r, RetryAfter: time.Minute}
		wait, again := listed.Next(new(State), refused, 0)
		if again != (r != patterns.BreakerOpen) || (again && wait != time.Minute) {
			t.Errorf("%s listed: again %v after %s", r, again, wait)
		}
		if _, again := plain.Next(new(State), refused, 0); again {
			t.Errorf("%s is retried without being listed", r)
		}
	}
}

// TestAmbiguousFailuresOfNonIdempotentCalls: a timeout and a lost connection may have
// been carried out; they are not retried when the settings or the call say that this
// does harm, unless told. Failures that surely were not carried out are.
func TestAmbiguousFailuresOfNonIdempotentCalls(t *testing.T) {
	sure := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Unreachable}
	for _, maybe := range []patterns.Result{
		{Outcome: patterns.Failure, Reason: patterns.AttemptTimeout},
		{Outcome: patterns.Failure, Reason: patterns.Failed, Ambiguous: true},
	} {
		for _, row := range []struct{ settings, call, told, again bool }{
			{false, false, false, true}, {true, false, false, false}, {false, true, false, false},
			{true, true, false, false}, {true, false, true, true}, {false, true, true, true},
		} {
			p := policy(t, func(c *Config) { c.NonIdempotent, c.RetryAmbiguous = row.settings, row.told })
			if _, again := p.Next(&State{NonIdempotent: row.call}, maybe, 0); again != row.again {
				t.Errorf("%+v, %s: again %v", row, maybe.Reason, again)
			}
			if _, again := p.Next(&State{NonIdempotent: row.call}, sure, 0); !again {
				t.Errorf("%+v: a call that was surely not carried out is not retried", row)
			}
		}
	}
}

// TestRejectedCallsWaitFromABaseOfTheirOwn: as the AWS SDKs do, 50 ms and 1 s, one
// exponent for both, under one cap.
func TestRejectedCallsWaitFromABaseOfTheirOwn(t *testing.T) {
	p := policy(t, func(c *Config) {
		c.MaxAttempts, c.EnableExponentialBackoff, c.ExponentialBackoffMultiplier = 10, true, 2
		c.WaitDuration, c.RejectedWaitDuration = patterns.Duration(50*time.Millisecond), patterns.Duration(time.Second)
		c.ExponentialMaxWaitDuration = patterns.Duration(20 * time.Second)
	})
	var s State
	for i, row := range []struct {
		why patterns.Reason
		ms  time.Duration
	}{
		{patterns.Failed, 50}, {patterns.Rejected, 2000}, {patterns.AttemptTimeout, 200}, {patterns.Rejected, 8000},
		{patterns.Rejected, 16000}, {patterns.Rejected, 20000}, {patterns.Failed, 3200},
	} {
		got, _ := p.Next(&s, patterns.Result{Outcome: patterns.Failure, Reason: row.why}, 0)
		if got != row.ms*time.Millisecond {
			t.Errorf("wait %d, after %s: %s, want %d ms", i+1, row.why, got, row.ms)
		}
	}
}

// TestPollyStartsOverAfterAHint: the curve is followed from call to call and begins
// anew after the dependency's wish.
func TestPollyStartsOverAfterAHint(t *testing.T) {
	p := policy(t, func(c *Config) { c.MaxAttempts, c.Jitter = 10, Polly })
	b := p.backoff
	failed := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
	hinted := failed
	hinted.RetryAfter = time.Hour
	var s State
	first, sum := b.Step(1, 0, 0.5)
	second := b.Wait(2, sum, 0.5)
	for i, want := range []time.Duration{first, second, time.Hour, first, second} {
		r := failed
		if i == 2 {
			r = hinted
		}
		if got, _ := p.Next(&s, r, 0.5); got != want {
			t.Errorf("wait %d: %s, want %s", i+1, got, want)
		}
	}
}

// TestDecorrelatedRemembersItsLastWait: each wait is drawn from the one before,
// until a hint starts the schedule over.
func TestDecorrelatedRemembersItsLastWait(t *testing.T) {
	p := policy(t, func(c *Config) { c.MaxAttempts = 10; c.Jitter = Decorrelated })
	failed := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
	hinted := failed
	hinted.RetryAfter = time.Minute
	var s State
	for i, row := range []struct {
		result patterns.Result
		want   time.Duration
	}{
		{failed, time.Second}, {failed, 1750 * time.Millisecond}, {hinted, time.Minute}, {failed, time.Second},
	} {
		if got, _ := p.Next(&s, row.result, 0.5); got != row.want {
			t.Errorf("wait %d: %s, want %s", i+1, got, row.want)
		}
	}
	if s.Tries != 4 {
		t.Errorf("%d tries, want 4", s.Tries)
	}
}

// TestAttemptsAreCountedInAll: maxAttempts counts the first attempt, and hints do
// not start that count over.
func TestAttemptsAreCountedInAll(t *testing.T) {
	for _, most := range []int{1, 2, 7} {
		p := policy(t, func(c *Config) { c.MaxAttempts = most })
		var s State
		attempts := 1
		for {
			_, again := p.Next(&s, patterns.Result{Outcome: patterns.Failure, RetryAfter: time.Second}, 0)
			if !again {
				break
			}
			attempts++
		}
		if attempts != most {
			t.Errorf("%d attempts, want %d", attempts, most)
		}
	}
}

// TestDrawsAreAskedForOnlyIfUsed: a policy that says it needs no draw gives the
// same wait for any; one that says it does, does not.
func TestDrawsAreAskedForOnlyIfUsed(t *testing.T) {
	for _, j := range []Jitter{"", None, Full, Equal, Factor, Decorrelated, A6, Resilience4j, Polly, AWSLegacy} {
		p := policy(t, func(c *Config) { c.Jitter = j })
		var one, two State
		r := patterns.Result{Outcome: patterns.Failure}
		low, _ := p.Next(&one, r, 0.1)
		high, _ := p.Next(&two, r, 0.9)
		if (low != high) != p.NeedsDraw() {
			t.Errorf("jitter '%s': waits %s and %s, needs a draw: %v", j, low, high, p.NeedsDraw())
		}
	}
}

// TestEveryFaultIsTold spoils sound settings one key at a time and expects that
// key, and only it, to be named.
func TestEveryFaultIsTold(t *testing.T) {
	if fs := Defaults().Validate(); fs != nil {
		t.Fatalf("the defaults have faults: %v", fs.Err())
	}
	for _, row := range []struct {
		key   string
		spoil func(*Config)
	}{
		{"maxAttempts", func(c *Config) { c.MaxAttempts = 0 }},
		{"waitDuration", func(c *Config) { c.WaitDuration = -1 }},
		{"exponentialBackoffMultiplier", func(c *Config) {
			c.EnableExponentialBackoff, c.ExponentialBackoffMultiplier = true, 0.99
		}},
		{"exponentialMaxWaitDuration", func(c *Config) { c.ExponentialMaxWaitDuration = -1 }},
		{"jitter", func(c *Config) { c.Jitter = "some" }},
		{"jitter", func(c *Config) { c.Jitter, c.EnableRandomizedWait = None, true }},
		{"randomizedWaitFactor", func(c *Config) { c.Jitter, c.RandomizedWaitFactor = Factor, 1 }},
		{"rejectedWaitDuration", func(c *Config) { c.RejectedWaitDuration = -1 }},
		{"randomizedWaitFactor", func(c *Config) { c.Jitter, c.RandomizedWaitFactor = Resilience4j, -0.1 }},
		{"serverHints", func(c *Config) { c.ServerHints = "ignore" }},
		{"retryOn", func(c *Config) { c.RetryOn = []string{"failed", "none"} }},
		{"retryOn", func(c *Config) { c.RetryOn = []string{"bulkhead_full"} }},
		{"retryRefusals", func(c *Config) { c.RetryRefusals = []string{"breaker_open"} }},
		{"retryRefusals", func(c *Config) { c.RetryRefusals = []string{"full"} }},
		{"budget.ratio", func(c *Config) {
			b := budget.Defaults()
			b.Ratio = -1
			c.Budget = &b
		}},
	} {
		c := Defaults()
		row.spoil(&c)
		fs := c.Validate()
		if len(fs) != 1 || fs[0].Key != row.key {
			t.Errorf("faults %v, want one of %s", fs, row.key)
		}
		if _, err := Compile(c); err == nil {
			t.Errorf("compiles with a fault of %s", row.key)
		}
	}
}

// TestPoliciesDoNotAllocate: deciding asks for no memory.
func TestPoliciesDoNotAllocate(t *testing.T) {
	p := policy(t, func(c *Config) { c.EnableExponentialBackoff = true; c.Jitter = Factor })
	if n := testing.AllocsPerRun(1000, func() {
		var s State
		for again := true; again; {
			_, again = p.Next(&s, patterns.Result{Outcome: patterns.Failure}, 0.3)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// TestStateIsSmall: one for each retry of each call in flight.
func TestStateIsSmall(t *testing.T) {
	if got := unsafe.Sizeof(State{}); got > 24 {
		t.Errorf("%d B, want at most 24", got)
	}
	if got := unsafe.Sizeof(patterns.Result{}); got > 16 {
		t.Errorf("a result takes %d B, want at most 16", got)
	}
}

func BenchmarkNext(b *testing.B) {
	b.ReportAllocs()
	p := policy(b, func(c *Config) { c.EnableExponentialBackoff = true; c.Jitter = Factor })
	for range b.N {
		var s State
		p.Next(&s, patterns.Result{Outcome: patterns.Failure}, 0.3)
	}
}
