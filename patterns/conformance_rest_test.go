package patterns_test

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/retry"
)

func retryConfig(p peerConfig) retry.Config {
	c := retry.Config{
		MaxAttempts:                max(p.MaxAttempts, 1),
		WaitDuration:               millis(p.Base),
		ExponentialMaxWaitDuration: millis(p.Max),
		Jitter:                     retry.Jitter(p.Jitter),
		RandomizedWaitFactor:       p.JitterFactor,
	}
	switch p.Kind {
	case "exponential":
		c.EnableExponentialBackoff = true
		c.ExponentialBackoffMultiplier = p.Factor
	case "decorrelated":
		c.Jitter = retry.Decorrelated
	}
	return c
}

func runBackoffCase(t *testing.T, c peerCase) {
	cfg := settings(t, c)
	b, err := retry.NewBackoff(retryConfig(cfg))
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range c.Steps {
		switch step.Op {
		case "delay":
			draw := 0.0
			if len(step.Rnd) > 0 {
				draw = step.Rnd[0]
			}
			want := millis(decode[float64](t, step.MS)).Std()
			if got := b.Wait(step.Attempt, 0, draw); got != want {
				t.Errorf("step %d: wait %s, want %s", i, got, want)
			}
		case "range":
			checkRange(t, i, b, step)
		case "sequence":
			prev := time.Duration(0)
			for k, want := range decode[[]float64](t, step.MS) {
				prev = b.Wait(k+1, prev, step.Rnd[k])
				if prev != millis(want).Std() {
					t.Errorf("step %d: wait %d is %s, want %v ms", i, k+1, prev, want)
				}
			}
		default:
			t.Fatalf("step %d: unknown op %s", i, step.Op)
		}
	}
}

// checkRange takes the least and the largest draw, and some between: the waits
// stay in the range and reach both its ends to a millionth of its width, plus the
// nanosecond that truncation may take.
func checkRange(t *testing.T, i int, b retry.Backoff, step peerStep) {
	t.Helper()
	ends := decode[[2]float64](t, step.MS)
	lo, hi := millis(ends[0]).Std(), millis(ends[1]).Std()
	last := math.Nextafter(1, 0)
	for _, draw := range []float64{0, 0.1, 0.5, 0.9, last} {
		if got := b.Wait(step.Attempt, 0, draw); got < lo-1 || got > hi {
			t.Errorf("step %d: wait %s for draw %v is not in [%s, %s]", i, got, draw, lo, hi)
		}
	}
	slack := (hi-lo)/1e6 + 1
	if got := b.Wait(step.Attempt, 0, 0); got > lo+slack {
		t.Errorf("step %d: least wait %s, want %s", i, got, lo)
	}
	if got := b.Wait(step.Attempt, 0, last); got < hi-slack {
		t.Errorf("step %d: largest wait %s, want %s", i, got, hi)
	}
}

// runRetryCase drives a Policy by hand: the k-th outcome arrives, the policy says
// how long to wait. The instants are sums of what the policy said.
func runRetryCase(t *testing.T, c peerCase) {
	cfg := settings(t, c)
	rc := retryConfig(decode[peerConfig](t, cfg.Backoff))
	rc.MaxAttempts = cfg.MaxAttempts
	p, err := retry.Compile(rc)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range c.Steps {
		var s retry.State
		now, waits, attempts := int64(0), []int64{}, 0
		var last patterns.Result
		for again := true; again; {
			last = peerResult(t, step.Outcomes[attempts])
			attempts++
			now += step.Takes
			var wait time.Duration
			if wait, again = p.Next(&s, last, 0); again {
				waits = append(waits, wait.Milliseconds())
				now += wait.Milliseconds()
			}
		}
		same(t, i, "attempts", attempts, step.Attempts)
		same(t, i, "ends_at", now, step.EndsAt)
		if step.Waits != nil && !slices.Equal(waits, *step.Waits) {
			t.Errorf("step %d: waits %v, want %v", i, waits, *step.Waits)
		}
		if ok := last.Outcome == patterns.Success; ok != (step.Result == "ok") {
			t.Errorf("step %d: ended with %s, want %s", i, last.Outcome, step.Result)
		}
	}
}

func peerResult(t *testing.T, text json.RawMessage) patterns.Result {
	t.Helper()
	if text[0] == '"' {
		if decode[string](t, text) == "ok" {
			return patterns.Result{Outcome: patterns.Success}
		}
		return patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
	}
	hinted := decode[struct{ After int64 }](t, text)
	return patterns.Result{
		Outcome: patterns.Failure, Reason: patterns.Failed,
		RetryAfter: time.Duration(hinted.After) * time.Millisecond,
	}
}

func runBudgetCase(t *testing.T, c peerCase) {
	cfg := settings(t, c)
	compiled, err := budget.Compile(budget.Config{
		Ratio: cfg.Ratio, Window: millis(float64(cfg.TTL)), MinPerSecond: cfg.MinPerSec,
	})
	if err != nil {
		t.Fatal(err)
	}
	b := budget.New(compiled)
	for i, step := range c.Steps {
		now := at(step.T)
		switch step.Op {
		case "deposit":
			for range *step.N {
				b.Deposit(now, budget.Call)
			}
		case "withdraw":
			want := decode[bool](t, step.Granted)
			same(t, i, "granted", b.Withdraw(now), &want)
		case "withdraw_n":
			granted := int64(0)
			for range *step.N {
				if b.Withdraw(now) {
					granted++
				}
			}
			want := decode[int64](t, step.Granted)
			same(t, i, "granted", granted, &want)
		case "balance":
			same(t, i, "balance", int64(math.Floor(b.Balance(now))), step.N)
		default:
			t.Fatalf("step %d: unknown op %s", i, step.Op)
		}
	}
}

func runBulkheadCase(t *testing.T, c peerCase) {
	cfg := settings(t, c)
	compiled, err := bulkhead.Compile(bulkhead.Config{
		MaxConcurrentCalls: int(cfg.Max), MaxWaitDuration: millis(float64(cfg.MaxWait)),
		QueueCapacity: cfg.Queue, Order: bulkhead.Order(cfg.Order),
	})
	if err != nil {
		t.Fatal(err)
	}
	b := bulkhead.New(compiled)
	tickets, granted := map[string]bulkhead.Ticket{}, []string{}
	for i, step := range c.Steps {
		switch step.Op {
		case "acquire":
			ticket, d := b.Enter(at(step.T), uint64(step.ID[0]))
			tickets[step.ID] = ticket
			outcome := d.String()
			same(t, i, "outcome", outcome, step.Outcome)
		case "done":
			var grants []bulkhead.Grant
			if !b.Leave(at(step.T), tickets[step.ID], &grants) {
				t.Errorf("step %d: %s held no slot", i, step.ID)
			}
			for _, g := range grants {
				granted = append(granted, string(rune(g.Owner)))
			}
		default:
			t.Fatalf("step %d: unknown op %s", i, step.Op)
		}
		same(t, i, "in_use", b.Snapshot().InUse, step.InUse)
		if step.Granted != nil && !slices.Equal(granted, decode[[]string](t, step.Granted)) {
			t.Errorf("step %d: granted %v, want %s", i, granted, step.Granted)
		}
	}
}
