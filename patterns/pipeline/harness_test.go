package pipeline

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/throttle"
	"github.com/resilsim/resilsim/patterns/timeout"
)

const never = patterns.Never

var (
	success = patterns.Result{Outcome: patterns.Success}
	failure = patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
)

// fixedDice always throws the same.
type fixedDice float64

func (d fixedDice) Draw(Purpose, int, uint64) float64 { return float64(d) }

func ms(n int64) patterns.Instant { return patterns.Instant(n * int64(time.Millisecond)) }

func msd(n int64) patterns.Duration { return patterns.Duration(ms(n)) }

func mustCompile(t testing.TB, ps []Policy) *Plan {
	t.Helper()
	p, err := Compile(ps)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func retryOf(attempts int, wait int64) Policy {
	return Policy{Retry: &retry.Config{MaxAttempts: attempts, WaitDuration: msd(wait)}}
}

func timeoutOf(n int64) Policy {
	return Policy{Timeout: &timeout.Config{TimeoutDuration: msd(n)}}
}

func ladderOf(names ...string) Policy { return Policy{Fallback: &fallback.Config{Steps: names}} }

func bulkheadOf(slots int, wait int64) Policy {
	return Policy{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: slots, MaxWaitDuration: msd(wait), Order: bulkhead.FIFO}}
}

// breakerOf opens at 50 % of n calls, waits wait ms, lets one trial through.
func breakerOf(n int, wait int64) Policy {
	c := breaker.Defaults()
	c.SlidingWindowSize, c.MinimumNumberOfCalls = n, n
	c.WaitDurationInOpenState = msd(wait)
	c.PermittedNumberOfCallsInHalfOpenState = 1
	return Policy{CircuitBreaker: &c}
}

// rateOf lets n calls pass in each period of ms; a call waits at most so long.
func rateOf(n int, period, wait int64) Policy {
	return Policy{RateLimiter: &ratelimit.Config{LimitForPeriod: n, LimitRefreshPeriod: msd(period), TimeoutDuration: msd(wait)}}
}

// limitOf is an additive limit that begins at n.
func limitOf(n int) Policy {
	c := adaptive.Defaults(adaptive.AIMD)
	c.InitialLimit, c.MinLimit, c.MaxLimit = n, 1, 10
	return Policy{AdaptiveLimit: &c}
}

// queueOf is a bulkhead whose queue looks at its calls: three levels, 2 ms of patience
// when it has not been empty for 5.
func queueOf(slots int, wait int64, order bulkhead.Order) Policy {
	c := bulkhead.QueueConfig{
		Config:   bulkhead.Config{MaxConcurrentCalls: slots, MaxWaitDuration: msd(wait), Order: order},
		Interval: msd(5), Target: msd(2),
	}
	if order == bulkhead.Priority {
		c.Levels = 3
	}
	return Policy{QueuedBulkhead: &c}
}

// hedgeOf starts up to n attempts more, one each wait ms.
func hedgeOf(n int, wait int64) Policy {
	return Policy{Hedge: &hedge.Config{MaxHedges: n, Delay: msd(wait)}}
}

func throttleOf(k float64) Policy {
	c := throttle.Defaults()
	c.K, c.MinimumNumberOfCalls = k, 0
	return Policy{Throttle: &c}
}

func guarded() []Policy {
	r := retryOf(3, 10)
	r.Retry.Budget = &budget.Config{Ratio: 0.1, Capacity: 10, Deposit: budget.PerCall}
	return []Policy{r, breakerOf(20, 1000), bulkheadOf(10, 0), timeoutOf(1000)}
}

// script is what the dependency does with the k-th attempt: it answers after
// takes, or (takes < 0) never.
type script func(k uint32) (takes patterns.Instant, r patterns.Result)

// bench drives one call in virtual time by hand: at most one function, one timer.
type bench struct {
	t        *testing.T
	e        Env
	c        Call
	f        *Fleet
	do       script
	starts   []patterns.Instant
	answerAt patterns.Instant
	answer   patterns.Result
	attempt  uint32
	cancelAt patterns.Instant
}

func newBench(t *testing.T, ps []Policy, do script) *bench {
	return &bench{t: t, f: NewFleet(mustCompile(t, ps), 1), do: do, e: Env{Dice: fixedDice(0.5)}, cancelAt: never, answerAt: never}
}

// run begins a call now and follows it to its end. An answer beats a timer at
// the same instant, a cancel beats both.
func (b *bench) run(deadline patterns.Instant) patterns.Result {
	a := b.c.Begin(&b.e, b.f, 0, 1, deadline)
	for {
		switch a.Kind {
		case Done:
			return a.Result
		case Attempt:
			b.starts = append(b.starts, b.e.Now)
			takes, r := b.do(a.Attempt)
			b.attempt, b.answer, b.answerAt = a.Attempt, r, never
			if takes >= 0 {
				b.answerAt = b.e.Now + takes
			}
		case Step:
			a = b.c.StepEnded(&b.e, a.Run, success)
			continue
		case Linger:
			b.answerAt = never
			a = b.c.Returned(&b.e, a.Abandoned)
			continue
		}
		a = b.next()
	}
}

func (b *bench) next() Action {
	timer := b.c.Timer()
	now := min(b.answerAt, timer, b.cancelAt)
	if now == never {
		b.t.Fatal("the call waits for nothing")
	}
	b.e.Now = now
	switch {
	case b.cancelAt == now:
		b.cancelAt = never
		return b.c.Cancel(&b.e)
	case b.answerAt == now:
		b.answerAt = never
		return b.c.Ended(&b.e, b.attempt, b.answer)
	}
	return b.c.Fire(&b.e)
}

func always(takes int64, r patterns.Result) script {
	return func(uint32) (patterns.Instant, patterns.Result) { return ms(takes), r }
}

var hangs script = func(uint32) (patterns.Instant, patterns.Result) { return -1, failure }
