package budget

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// The tests of this file are faults that users reported against other libraries,
// each reduced to the shortest input that shows it.

var (
	failed   = patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
	rejected = patterns.Result{Outcome: patterns.Failure, Reason: patterns.Rejected}
	answered = patterns.Result{Outcome: patterns.Success}
)

// TestH15_WaitingRetriesCount: a thousand calls fail at the same instant and would
// all wait before their retry. With 20 percent only 200 are scheduled at all; the
// others end at once. The same when the refused ones have ended in between.
func TestH15_WaitingRetriesCount(t *testing.T) {
	for _, endAtOnce := range []bool{false, true} {
		b := New(compile(t, Config{Kind: Concurrency, Ratio: 0.2}))
		calls := make([]Stake, 1000)
		for i := range calls {
			b.Begin(0, &calls[i])
		}
		scheduled := 0
		for i := range calls {
			b.Ended(0, &calls[i], failed)
			if b.Schedule(0, &calls[i], failed) {
				scheduled++
			} else if endAtOnce {
				b.End(0, &calls[i])
			}
		}
		if scheduled != 200 {
			t.Errorf("refused calls ended: %v: %d retries scheduled, want 200", endAtOnce, scheduled)
		}
	}
}

// TestH16_LeastConcurrencyIsHonoured: one call in flight at a tenth of a percent,
// but at least three retries: three are granted, the fourth is not.
func TestH16_LeastConcurrencyIsHonoured(t *testing.T) {
	b := New(compile(t, Config{Kind: Concurrency, Ratio: 0.001, MinConcurrency: 3}))
	calls := make([]Stake, 4)
	for i := range calls {
		b.Begin(0, &calls[i])
		b.Ended(0, &calls[i], failed)
		if got := b.Schedule(0, &calls[i], failed); got != (i < 3) {
			t.Errorf("retry %d granted: %v", i+1, got)
		}
	}
}

// TestH17_SuccessesRefill drains each budget that successes fill by failed calls,
// makes 500 clean calls, and expects that the next failure may be retried.
func TestH17_SuccessesRefill(t *testing.T) {
	for _, c := range []Config{
		DefaultsOf(Quota), DefaultsOf(Tokens), DefaultsOf(FailureRate),
		{Ratio: 0.1, Capacity: 10, Deposit: PerSuccess},
	} {
		b := New(compile(t, c))
		call := func(r patterns.Result) bool {
			var s Stake
			b.Begin(0, &s)
			b.Ended(0, &s, r)
			again := r.Outcome == patterns.Failure && b.Schedule(0, &s, r)
			if again {
				b.Ended(0, &s, r)
			}
			b.End(0, &s)
			return again
		}
		for k := 0; call(failed); k++ {
			if k > 1000 {
				t.Fatalf("%s: never drained", c.kind())
			}
		}
		for range 500 {
			call(answered)
		}
		if !call(failed) {
			t.Errorf("%s: no retry after 500 clean calls", c.kind())
		}
	}
}

// TestRetriesNeverExceedTheirShare lets calls of every kind of budget fail for ever
// and each retry as often as it is granted. A window, bucket, quota and gate bound
// the retries by a share of the calls and a start; concurrency bounds those at one
// time; tokens stop at half.
func TestRetriesNeverExceedTheirShare(t *testing.T) {
	const calls = 2000
	for _, row := range []struct {
		c    Config
		most int
	}{
		{Config{Kind: Window, Ratio: 0.1, Window: patterns.Duration(10 * time.Second)}, calls / 10},
		{DefaultsOf(Bucket), calls/10 + 10},
		{DefaultsOf(Tokens), 5},
		{DefaultsOf(Quota), 500 / 14},
		{DefaultsOf(FailureRate), 9},
		{DefaultsOf(Concurrency), calls}, // one call at a time, one retry each
	} {
		b, retries := New(compile(t, row.c)), 0
		for range calls {
			var s Stake
			b.Begin(0, &s)
			b.Ended(0, &s, failed)
			if b.Schedule(0, &s, failed) {
				retries++
				b.Ended(0, &s, failed)
			}
			b.End(0, &s)
		}
		if retries > row.most || retries == 0 {
			t.Errorf("%s: %d retries, want at most %d", row.c.kind(), retries, row.most)
		}
	}
}

// TestTokensPassAboveHalf walks gRPC's rule with four tokens: each failure costs
// one, whether it is retried or not, and at two nothing is retried any more.
// Decimals of the ratio beyond the third do not count.
func TestTokensPassAboveHalf(t *testing.T) {
	b := New(compile(t, Config{Kind: Tokens, Capacity: 4, Ratio: 0.5009}))
	var s Stake
	for i, step := range []struct {
		result  patterns.Result
		balance float64
		again   bool
	}{
		{failed, 3, true}, {failed, 2, false}, {answered, 2.5, true}, {answered, 3, true},
		{answered, 3.5, true}, {answered, 4, true}, {answered, 4, true}, {failed, 3, true},
		{failed, 2, false}, {failed, 1, false}, {failed, 0, false}, {failed, 0, false}, {answered, 0.5, false},
	} {
		b.Ended(0, &s, step.result)
		again := b.Schedule(0, &s, step.result)
		b.End(0, &s)
		if got := b.Balance(0); got != step.balance || again != step.again {
			t.Errorf("step %d: %v tokens, retry %v, want %v and %v", i, got, again, step.balance, step.again)
		}
	}
}

// TestQuotaKnowsWhatARetryCost: a throttled attempt's retry is cheaper, a success
// takes back what its own retry had cost, a retry that was not made costs nothing.
func TestQuotaKnowsWhatARetryCost(t *testing.T) {
	b := New(compile(t, DefaultsOf(Quota)))
	var s Stake
	want := func(what string, tokens float64) {
		t.Helper()
		if got := b.Balance(0); got != tokens {
			t.Errorf("%s: %v tokens, want %v", what, got, tokens)
		}
	}
	b.Begin(0, &s)
	b.Ended(0, &s, failed)
	b.Schedule(0, &s, failed)
	want("first retry", 486)
	b.Ended(0, &s, rejected)
	b.Schedule(0, &s, rejected)
	want("second, throttled", 481)
	if b.Schedule(0, &s, failed) {
		t.Error("a second retry was scheduled beside the first")
	}
	b.Ended(0, &s, patterns.Result{Outcome: patterns.NotMade, Reason: patterns.BreakerOpen})
	want("refused further in", 486)
	b.Schedule(0, &s, rejected)
	b.Ended(0, &s, answered)
	want("answered", 486)
	b.End(0, &s)
	b.Ended(0, &s, answered)
	want("clean", 487)
	b.Schedule(0, &s, failed)
	b.Cancel(0, &s)
	b.Cancel(0, &s)
	want("cancelled, twice", 487)
	b.Schedule(0, &s, failed)
	b.Ended(0, &s, patterns.Result{Outcome: patterns.Ignored})
	want("ignored", 473)
}

// TestAbandonedRetryLeavesNothingInFlight: a call that ends while its retry is in
// flight gives its place back, once, also when it is ended twice.
func TestAbandonedRetryLeavesNothingInFlight(t *testing.T) {
	b := New(compile(t, Config{Kind: Concurrency, Ratio: 1, MinConcurrency: 1}))
	var s Stake
	for range 3 {
		b.Begin(0, &s)
		b.Begin(0, &s)
		b.Ended(0, &s, failed)
		if !b.Schedule(0, &s, failed) || b.Balance(0) != 0 {
			t.Error("the only retry was not granted")
		}
		b.End(0, &s)
		b.End(0, &s)
		if got := b.Balance(0); got != 1 || b.account != 0 {
			t.Errorf("%v retries may be scheduled, want 1", got)
		}
	}
	b.Return(0) // nothing is out: nothing comes back
	if !b.Withdraw(0) || b.Withdraw(0) {
		t.Error("not exactly one retry without a stake")
	}
}

// TestGateOpensWithTheWindow: three failures of three shut the gate; when they have
// left the window retries pass again. The share must be above the threshold.
func TestGateOpensWithTheWindow(t *testing.T) {
	b := New(compile(t, Config{Kind: FailureRate, Window: patterns.Duration(time.Second),
		FailureRateThreshold: patterns.PercentOf(75), MinimumNumberOfCalls: 4}))
	var s Stake
	for i, want := range []bool{true, true, true, false} {
		b.Ended(0, &s, failed)
		if got := b.Withdraw(0); got != want {
			t.Errorf("after %d failures: %v", i+1, got)
		}
	}
	b.Ended(0, &s, answered)
	if b.Withdraw(0) {
		t.Error("4 of 5 failed: a retry passed")
	}
	b.Ended(0, &s, answered)
	b.Ended(0, &s, patterns.Result{Outcome: patterns.Ignored})
	if !b.Withdraw(0) {
		t.Error("4 of 6 failed: no retry passed")
	}
	for range 6 {
		b.Ended(0, &s, failed)
	}
	if b.Withdraw(0) || !b.Withdraw(patterns.Instant(time.Second)) {
		t.Error("the gate did not open with the window")
	}
}

// TestFullSliceStopsCountingAttempts puts a gate's slice at its largest number, by
// hand: no further attempt counts, and all leave with the window.
func TestFullSliceStopsCountingAttempts(t *testing.T) {
	b := New(compile(t, DefaultsOf(FailureRate)))
	for i := range b.ring.slices {
		b.ring.slices[i] = slice{countMax, countMax}
	}
	b.ring.running, b.account = parts-1, 0
	b.count(parts*countMax, parts*countMax)
	now := patterns.Instant(9 * time.Second)
	var s Stake
	b.Ended(now, &s, failed)
	if b.high() != parts*countMax || b.low() != parts*countMax || b.Withdraw(now) {
		t.Errorf("%d attempts, %d failures", b.high(), b.low())
	}
	b.expire(now.Add(9 * time.Second))
	if b.high() != countMax || b.low() != countMax {
		t.Errorf("%d attempts, %d failures after 9 s, want one slice", b.high(), b.low())
	}
}
