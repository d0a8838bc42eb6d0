package budget

import (
	"testing"
	"time"
	"unsafe"

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

// TestM11_RatioIsNotCutToAnInteger buys retries with deposits until refused:
// exactly ratio x deposits of them, also where 1/ratio is no whole number.
func TestM11_RatioIsNotCutToAnInteger(t *testing.T) {
	for _, row := range []struct {
		ratio    float64
		deposits int
		buys     int
	}{
		{0.6, 10, 6}, {0.3, 10, 3}, {0.1, 10, 1}, {0.1, 9, 0}, {0.7, 10, 7}, {0.15, 20, 3}, {600, 1, 600}, {0, 1000, 0},
	} {
		for name, c := range map[string]Config{
			"window": {Ratio: row.ratio, Window: patterns.Duration(10 * time.Second)},
			"bucket": {Ratio: row.ratio, Capacity: 1000, Initial: new(float64)},
		} {
			b, bought := New(compile(t, c)), 0
			for range row.deposits {
				b.Deposit(0, Call)
			}
			for b.Withdraw(0) {
				bought++
			}
			if bought != row.buys {
				t.Errorf("%s: %d deposits at %v buy %d retries, want %d", name, row.deposits, row.ratio, bought, row.buys)
			}
		}
	}
}

// TestBucketHoldsAtMostItsCapacity walks one token bucket: start full or as told,
// pay whole retries only, earn fractions, take back, never overflow.
func TestBucketHoldsAtMostItsCapacity(t *testing.T) {
	start := 2.5
	b := New(compile(t, Config{Ratio: 0.1, Capacity: 5, Initial: &start, Deposit: PerSuccess}))
	want := func(what string, balance float64) {
		t.Helper()
		if got := b.Balance(0); got != balance {
			t.Errorf("%s: balance %v, want %v", what, got, balance)
		}
	}
	first, second, third := b.Withdraw(0), b.Withdraw(0), b.Withdraw(0)
	if !first || !second || third {
		t.Error("2.5 tokens did not buy exactly two retries")
	}
	want("after two", 0.5)
	b.Deposit(0, Call)
	want("a call earns nothing here", 0.5)
	b.Deposit(0, Success)
	want("a success earns the ratio", 0.6)
	b.Return(0)
	want("a retry that was not made", 1.6)
	for range 100 {
		b.Deposit(0, Success)
		b.Return(0)
	}
	want("full", 5)
	full := New(compile(t, Config{Capacity: 3}))
	if got := full.Balance(0); got != 3 {
		t.Errorf("without an initial balance %v, want full: 3", got)
	}
}

// TestReturnNeverLendsTooMuch: two withdrawals of different slices, one given
// back. While a withdrawal is in the window the balance is never above what it
// is when only the later one had been made.
func TestReturnNeverLendsTooMuch(t *testing.T) {
	c := Config{Window: patterns.Duration(time.Second), MinPerSecond: 3}
	b, later := New(compile(t, c)), New(compile(t, c))
	b.Withdraw(0)
	second := patterns.Instant(500 * time.Millisecond)
	b.Withdraw(second)
	later.Withdraw(second)
	b.Return(second)
	for ms := 500; ms < 1700; ms += 50 {
		now := patterns.Instant(ms) * patterns.Instant(time.Millisecond)
		if got, want := b.Balance(now), later.Balance(now); got != want {
			t.Errorf("at %d ms: balance %v, want %v", ms, got, want)
		}
	}
	b.Return(patterns.Instant(time.Minute))
	if got := b.Balance(patterns.Instant(time.Minute)); got != 3 {
		t.Errorf("a return long after: balance %v, want the reserve of 3", got)
	}
}

// TestBudgetIsSmall holds the sizes that a fleet of a million callers counts on.
func TestBudgetIsSmall(t *testing.T) {
	if got := unsafe.Sizeof(Budget{}); got > 24 {
		t.Errorf("a token bucket takes %d B, want at most 24", got)
	}
	if got := unsafe.Sizeof(Stake{}); got > 8 {
		t.Errorf("a call's stake takes %d B, want at most 8", got)
	}
	if got := unsafe.Sizeof(ring{}); got > 88 {
		t.Errorf("a window takes %d B more, want at most 88", got)
	}
}

// TestFullSliceStopsCounting puts a slice one movement short of its largest
// number, by hand: one more deposit and one more withdrawal count, the next do not.
func TestFullSliceStopsCounting(t *testing.T) {
	b := New(compile(t, Config{Ratio: 1000, Window: patterns.Duration(time.Second)}))
	b.ring.slices[0] = slice{countMax - 1, countMax - 1}
	b.account = (countMax - 1) * 999 * micro
	for range 3 {
		b.Deposit(0, Call)
	}
	if got, want := b.Balance(0), float64(countMax-1)*999+1000; got != want {
		t.Errorf("balance %v, want %v", got, want)
	}
	if !b.Withdraw(0) || b.Withdraw(0) {
		t.Error("not exactly one more withdrawal")
	}
	if got := b.Balance(patterns.Instant(time.Second)); got != 0 {
		t.Errorf("balance %v after the window, want 0", got)
	}
}

// TestFleetBudgetsAreApart: what one caller spends is not missing at another.
func TestFleetBudgetsAreApart(t *testing.T) {
	for _, c := range []Config{
		{Window: patterns.Duration(time.Second), MinPerSecond: 1}, {Capacity: 1},
		{Kind: Concurrency, MinConcurrency: 1}, {Kind: Quota, Capacity: 1, Cost: 1},
	} {
		fleet := NewFleet(compile(t, c), 3)
		if !fleet[1].Withdraw(0) || fleet[1].Withdraw(0) {
			t.Error("caller 1 did not get exactly one retry")
		}
		if !fleet[0].Withdraw(0) || !fleet[2].Withdraw(0) {
			t.Error("caller 1 spent another's retry")
		}
	}
}

// TestBudgetsDoNotAllocate: after it is made a budget never asks for memory.
func TestBudgetsDoNotAllocate(t *testing.T) {
	for _, k := range []Kind{Window, Bucket, Concurrency, Tokens, Quota, FailureRate} {
		b := New(compile(t, DefaultsOf(k)))
		var now patterns.Instant
		var s Stake
		if n := testing.AllocsPerRun(1000, func() {
			now = now.Add(300 * time.Millisecond)
			b.Begin(now, &s)
			b.Ended(now, &s, failed)
			if b.Schedule(now, &s, failed) {
				b.Ended(now, &s, answered)
			}
			b.End(now, &s)
			if b.Withdraw(now) {
				b.Return(now)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations, want 0", k, n)
		}
	}
}

func BenchmarkDepositWithdraw(b *testing.B) {
	for _, k := range []struct {
		name string
		c    Config
	}{{"window", Defaults()}, {"bucket", Config{Ratio: 0.1, Capacity: 10}}} {
		b.Run(k.name, func(b *testing.B) {
			b.ReportAllocs()
			bud := New(compile(b, k.c))
			for i := range b.N {
				now := patterns.Instant(i) * patterns.Instant(time.Millisecond)
				bud.Deposit(now, Call)
				bud.Withdraw(now)
			}
		})
	}
}

func BenchmarkStake(b *testing.B) {
	for _, k := range []Kind{Window, Bucket, Concurrency, Tokens, Quota, FailureRate} {
		b.Run(string(k), func(b *testing.B) {
			b.ReportAllocs()
			bud := New(compile(b, DefaultsOf(k)))
			var s Stake
			for i := range b.N {
				now := patterns.Instant(i) * patterns.Instant(time.Millisecond)
				bud.Begin(now, &s)
				if i&7 == 0 {
					bud.Ended(now, &s, failed)
					bud.Schedule(now, &s, failed)
				}
				bud.Ended(now, &s, answered)
				bud.End(now, &s)
			}
		})
	}
}
