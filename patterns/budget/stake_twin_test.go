package budget

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// callsTwin knows every call by itself and every outcome by the slice it fell in,
// and counts them all for each decision.
type callsTwin struct {
	c        Config
	money    twin // window: its movements; its clock serves the gate too
	calls    []*twinCall
	tokens   int64 // millionths: bucket, tokens, quota
	outcomes []twinOutcome
}

type twinCall struct {
	begun, retrying bool
	cost            int64
}

type twinOutcome struct {
	slice  int64
	failed bool
}

func newCallsTwin(c Config, calls int) *callsTwin {
	w := &callsTwin{c: c, money: twin{c: c}, tokens: int64(math.Round(c.Capacity * 1e6))}
	w.money.c.Window = max(c.Window, patterns.Duration(time.Second)) // the other kinds have no clock
	if c.Initial != nil {
		w.tokens = int64(math.Round(*c.Initial * 1e6))
	}
	for range calls {
		w.calls = append(w.calls, &twinCall{})
	}
	return w
}

func (w *callsTwin) number(which func(*twinCall) bool) int64 {
	n := int64(0)
	for _, k := range w.calls {
		if which(k) {
			n++
		}
	}
	return n
}

func (w *callsTwin) balance(now patterns.Instant) float64 {
	switch w.c.kind() {
	case Window:
		return float64(w.money.window(now)) / 1e6
	case Concurrency:
		inFlight := w.number(func(k *twinCall) bool { return k.begun })
		room := max(int64(math.Floor(float64(inFlight)*w.c.Ratio)), int64(w.c.MinConcurrency))
		return float64(room - w.number(func(k *twinCall) bool { return k.retrying }))
	case FailureRate:
		first, total, failed := w.money.slice(now)-9, 0, 0
		for _, o := range w.outcomes {
			if o.slice >= first {
				total++
				if o.failed {
					failed++
				}
			}
		}
		if total >= w.c.MinimumNumberOfCalls && float64(failed)*100 > w.c.FailureRateThreshold.Float()*float64(total) {
			return 0
		}
		return 1
	}
	return float64(w.tokens) / 1e6
}

func (w *callsTwin) earn(micros int64) {
	w.tokens = max(0, min(w.tokens+micros, int64(math.Round(w.c.Capacity*1e6))))
}

func (w *callsTwin) deposit(now patterns.Instant, per Deposit) {
	if w.c.Deposit != per && !(w.c.Deposit == "" && per == PerCall) {
		return
	}
	switch w.c.kind() {
	case Window:
		w.money.deposits = append(w.money.deposits, w.money.slice(now))
	case Bucket:
		w.earn(int64(math.Round(w.c.Ratio * 1e6)))
	}
}

func (w *callsTwin) schedule(now patterns.Instant, k *twinCall, rejected bool) bool {
	balance, need, cost := w.balance(now), 1.0, int64(1e6)
	switch w.c.kind() {
	case Tokens:
		need, cost = math.Nextafter(w.c.Capacity/2, 1e9), 0
	case Quota:
		cost = int64(w.c.Cost) * 1e6
		if rejected && w.c.RejectedCost > 0 {
			cost = int64(w.c.RejectedCost) * 1e6
		}
		need = float64(cost) / 1e6
	}
	if k.retrying || balance < need {
		return false
	}
	k.retrying, k.cost = true, cost
	w.tokens -= cost
	if w.c.kind() == Window {
		w.money.withdrawals = append(w.money.withdrawals, w.money.slice(now))
	}
	return true
}

func (w *callsTwin) cancel(now patterns.Instant, k *twinCall) {
	if !k.retrying {
		return
	}
	k.retrying = false
	switch w.c.kind() {
	case Window:
		w.money.cancelOldest(now)
	case Bucket, Quota:
		w.earn(k.cost)
	}
}

func (w *callsTwin) ended(now patterns.Instant, k *twinCall, o patterns.Outcome) {
	if o == patterns.NotMade {
		w.cancel(now, k)
		return
	}
	retry := k.retrying
	k.retrying = false
	if o == patterns.Ignored {
		return
	}
	w.outcomes = append(w.outcomes, twinOutcome{w.money.slice(now), o == patterns.Failure})
	if o == patterns.Success {
		w.deposit(now, PerSuccess)
	}
	switch kind := w.c.kind(); {
	case kind == Tokens && o == patterns.Failure:
		w.earn(-1e6)
	case kind == Tokens:
		w.earn(int64(math.Floor(w.c.Ratio*1000+1e-6)) * 1000)
	case kind == Quota && o == patterns.Success && retry:
		w.earn(k.cost)
	case kind == Quota && o == patterns.Success:
		w.earn(int64(math.Round(w.c.NoRetryIncrement * 1e6)))
	}
}

// FuzzStakesAgreeWithTheirTwin plays whole calls, in any order and through one
// another, on budgets of every kind. What is granted and what is left must be as
// the twin says; when all calls are over nothing is in flight.
func FuzzStakesAgreeWithTheirTwin(f *testing.F) {
	for seed := range byte(240) {
		tape := make([]byte, 400)
		rand.NewChaCha8([32]byte{seed, 7}).Read(tape)
		tape[0] = seed
		f.Add(tape)
	}
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 4 {
			return
		}
		c := twinConfig(tape)
		const calls = 8
		b, naive := New(compile(t, c)), newCallsTwin(c, calls)
		stakes := make([]Stake, calls)
		var now patterns.Instant
		for i, op := range tape[3:] {
			s, k := &stakes[op>>3%calls], naive.calls[op>>3%calls]
			switch op & 7 {
			case 0, 1, 2:
				if !k.begun {
					b.Begin(now, s)
					k.begun = true
					naive.deposit(now, PerCall)
					break
				}
				rejected := op > 128
				r := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
				if rejected {
					r.Reason = patterns.Rejected
				}
				want := naive.schedule(now, k, rejected)
				if got := b.Schedule(now, s, r); got != want {
					t.Fatalf("%+v: op %d of %v: granted %v, want %v", c, i, tape, got, want)
				}
			case 3, 4:
				o := []patterns.Outcome{patterns.Failure, patterns.Success, patterns.Ignored, patterns.NotMade, patterns.Failure, patterns.Success, patterns.Failure, patterns.Failure}[op>>5]
				if k.begun {
					b.Ended(now, s, patterns.Result{Outcome: o})
					naive.ended(now, k, o)
				}
			case 5:
				b.Cancel(now, s)
				naive.cancel(now, k)
			case 6:
				b.End(now, s)
				*k = twinCall{}
			case 7: // -200 ms to 3 s
				now = max(0, now.Add(time.Duration(op>>3)*100*time.Millisecond-200*time.Millisecond))
			}
			if got, want := b.Balance(now), naive.balance(now); got != want {
				t.Fatalf("%+v: after op %d of %v: balance %v, want %v", c, i, tape, got, want)
			}
		}
		for i := range stakes {
			b.End(now, &stakes[i])
		}
		if c.kind() == Concurrency && b.account != 0 {
			t.Fatalf("%d calls and %d retries in flight after the last call", b.high(), b.low())
		}
	})
}

// twinConfig draws settings of a kind whose numbers floats hold exactly.
func twinConfig(tape []byte) Config {
	kinds := []Kind{Window, Bucket, Concurrency, Tokens, Quota, FailureRate}
	c := DefaultsOf(kinds[int(tape[0])%len(kinds)])
	one, two := int(tape[1]), int(tape[2])
	use := func(key string) bool { return slices.Contains(belongs(c.Kind), key) }
	if use("ratio") {
		c.Ratio = float64(one%9) / 8
	}
	if use("window") {
		c.Window = patterns.Duration(2 * time.Second)
	}
	if use("capacity") {
		c.Capacity = float64(2 + two%5)
	}
	if use("initial") && one > 100 {
		half := c.Capacity / 2
		c.Initial = &half
	}
	if use("deposit") {
		c.Deposit = []Deposit{"", PerCall, PerSuccess}[one%3]
	}
	switch c.Kind {
	case Window:
		c.MinPerSecond = float64(two % 3)
	case Concurrency:
		c.MinConcurrency = two % 4
	case Quota:
		c.Cost, c.RejectedCost, c.NoRetryIncrement = 1+two%3, one%3, float64(one%3)/2
	case FailureRate:
		c.FailureRateThreshold = patterns.PercentOf(float64(one % 4 * 25))
		c.MinimumNumberOfCalls = two % 4
	}
	return c
}
