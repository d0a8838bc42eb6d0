package pipeline

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
)

// chaos drives many calls over one fleet with random inputs in any order,
// wrong ones included, and keeps books of its own.
type chaos struct {
	t     *testing.T
	r     *rand.Rand
	f     *Fleet
	e     Env
	calls []chaosCall
	done  int
}

type chaosCall struct {
	Call
	begun bool
	steps []uint32 // runs of fallback steps that have not ended, of any use
	out   []uint32 // attempts whose functions have not returned
}

// Draw is any draw.
func (x *chaos) Draw(Purpose, int, uint64) float64 { return x.r.Float64() }

func chaosPlan(r *rand.Rand) []Policy {
	var ps []Policy
	for range 1 + r.IntN(6) {
		switch r.IntN(10) {
		case 0:
			ps = append(ps, ladderOf("a", "b"))
		case 1:
			p := retryOf(1+r.IntN(4), int64(r.IntN(3)*20))
			p.Retry.RetryRefusals = []string{"bulkhead_full", "bulkhead_timeout", "throttled"}
			if r.IntN(2) == 0 {
				p.Retry.Budget = &budget.Config{Ratio: 0.5, Capacity: 5, Deposit: budget.PerSuccess}
			}
			ps = append(ps, p)
		case 2:
			ps = append(ps, breakerOf(2+r.IntN(5), int64(10+r.IntN(50))))
		case 3:
			ps = append(ps, bulkheadOf(1+r.IntN(3), int64(r.IntN(2)*30)))
		case 4:
			ps = append(ps, rateOf(1+r.IntN(3), int64(10+r.IntN(30)), int64(r.IntN(2)*30)))
		case 5:
			ps = append(ps, limitOf(1+r.IntN(3)))
		case 6:
			ps = append(ps, throttleOf(1.5))
		case 7:
			ps = append(ps, chaosHedge(r))
		case 8:
			ps = append(ps, chaosQueue(r))
		default:
			p := timeoutOf(int64(5 + r.IntN(60)))
			p.Timeout.Detached = r.IntN(3) == 0
			ps = append(ps, p)
		}
	}
	return ps
}

func chaosQueue(r *rand.Rand) Policy {
	if r.IntN(4) == 0 {
		return Policy{ThreadPoolBulkhead: &bulkhead.PoolConfig{CoreThreadPoolSize: 1, MaxThreadPoolSize: 2, QueueCapacity: 1 + r.IntN(3)}}
	}
	order := []bulkhead.Order{bulkhead.FIFO, bulkhead.LIFO, bulkhead.AdaptiveLIFO, bulkhead.Priority}[r.IntN(4)]
	p := queueOf(1+r.IntN(3), int64(5+r.IntN(30)), order)
	p.QueuedBulkhead.QueueCapacity = r.IntN(4)
	p.QueuedBulkhead.MinRemainingDuration = msd(int64(r.IntN(3) * 10))
	return p
}

func chaosHedge(r *rand.Rand) Policy {
	p := hedgeOf(1+r.IntN(3), int64(r.IntN(30)))
	p.Hedge.HedgeOnFailure = r.IntN(2) == 0
	if r.IntN(2) == 0 {
		b := budget.DefaultsOf([]budget.Kind{budget.Concurrency, budget.Tokens, budget.Quota}[r.IntN(3)])
		p.Hedge.Budget = &b
	}
	return p
}

// lawful returns random plans until one is allowed: two hedges, or a ladder inside
// one, are not.
func lawful(r *rand.Rand) *Plan {
	for {
		if p, err := Compile(chaosPlan(r)); err == nil {
			return p
		}
	}
}

func newChaos(t *testing.T, seed uint64) *chaos {
	x := &chaos{t: t, r: rand.New(rand.NewPCG(seed, 1)), calls: make([]chaosCall, 8)}
	x.f = NewFleet(lawful(x.r), 2)
	x.e.Dice = x
	return x
}

// act notes what an action asks for and delivers the grants of the step.
func (x *chaos) act(i int, a Action) {
	c := &x.calls[i]
	switch a.Kind {
	case Attempt:
		c.out = append(c.out, a.Attempt)
	case Step:
		c.steps = append(c.steps, a.Run)
	case Done:
		c.begun = false
		x.done++
	}
	grants := append([]Grant(nil), x.e.Grants...)
	x.e.Grants, x.e.Events, x.e.GivenUp = x.e.Grants[:0], x.e.Events[:0], x.e.GivenUp[:0]
	for _, g := range grants {
		x.act(int(g.Owner), x.calls[g.Owner].Granted(&x.e, g))
	}
}

func (x *chaos) result() patterns.Result {
	return []patterns.Result{success, failure, cancelResult, {Outcome: patterns.NotMade, Reason: patterns.BulkheadFull}}[x.r.IntN(4)]
}

// turn feeds one random input to one random call.
func (x *chaos) turn() {
	i := x.r.IntN(len(x.calls))
	c := &x.calls[i]
	x.e.Now += patterns.Instant(x.r.Int64N(int64(ms(8))))
	switch k := x.r.IntN(8); {
	case !c.begun && c.Outstanding() == 0:
		c.begun, c.out, c.Level = true, nil, x.r.IntN(4)
		deadline := never
		if k == 0 {
			deadline = x.e.Now + ms(x.r.Int64N(80))
		}
		x.act(i, c.Begin(&x.e, x.f, i%2, uint64(i), deadline))
	case k == 0 && c.begun:
		x.act(i, c.Cancel(&x.e))
	case k <= 2:
		x.act(i, c.Fire(&x.e))
	case k <= 4 && len(c.steps) > 0:
		x.stepEnds(i, x.r.IntN(len(c.steps)), x.result())
	case len(c.out) > 0:
		x.returns(i, x.r.IntN(len(c.out)))
	}
}

func (x *chaos) returns(i, k int) {
	c := &x.calls[i]
	attempt := c.out[k]
	c.out = append(c.out[:k], c.out[k+1:]...)
	x.act(i, c.Ended(&x.e, attempt, x.result()))
}

// stepEnds ends a run of a step. One that is not the last one changes nothing.
func (x *chaos) stepEnds(i, k int, r patterns.Result) {
	c := &x.calls[i]
	run, state, frames := c.steps[k], c.state, slices.Clone(c.frames)
	late := k < len(c.steps)-1
	c.steps = append(c.steps[:k], c.steps[k+1:]...)
	a := c.StepEnded(&x.e, run, r)
	if late && (a != Action{} || c.state != state || !slices.Equal(c.frames, frames)) {
		x.t.Errorf("run %d of a step is late and was heard: %+v", run, a)
	}
	x.act(i, a)
}

// drain ends every call: whatever waits is fired, whatever runs returns.
func (x *chaos) drain() {
	for round := 0; ; round++ {
		open := 0
		for i := range x.calls {
			c := &x.calls[i]
			if !c.begun && c.Outstanding() == 0 {
				continue
			}
			open++
			x.e.Now += ms(1)
			if len(c.out) > 0 {
				x.returns(i, 0)
				continue
			}
			if len(c.steps) > 0 {
				x.stepEnds(i, 0, success)
				continue
			}
			if t := c.Timer(); t != never {
				x.e.Now = max(x.e.Now, t)
			}
			x.act(i, c.Fire(&x.e))
		}
		if open == 0 {
			return
		}
		if round > 10000 {
			x.t.Fatalf("calls hang: %+v", x.calls[0].Call)
		}
	}
}

// check: no slot is in use, nobody waits, and no breaker, limit or throttle has a
// call inside.
func (x *chaos) check() {
	for i := range x.f.Len() {
		for k := range x.f.Bulkheads(i) {
			if s := x.f.Bulkheads(i)[k].Snapshot(); s.InUse != 0 || s.Waiting != 0 {
				x.t.Errorf("pipeline %d bulkhead %d: %+v", i, k, s)
			}
		}
		for k := range x.f.Breakers(i) {
			s := x.f.Breakers(i)[k].Snapshot(x.e.Now)
			if s.InFlight != 0 {
				x.t.Errorf("pipeline %d breaker %d: %+v", i, k, s)
			}
		}
		for k, c := range x.concurrent() {
			got, idle := x.f.Budgets(i)[k].Balance(x.e.Now), c.Balance(x.e.Now)
			if got != idle {
				x.t.Errorf("pipeline %d budget %d: balance %v, %v when nothing is in flight", i, k, got, idle)
			}
		}
		for k := range x.f.AdaptiveLimits(i) {
			if n := x.f.AdaptiveLimits(i)[k].InFlight(); n != 0 {
				x.t.Errorf("pipeline %d adaptive limit %d: %d inside", i, k, n)
			}
		}
		for k := range x.f.Throttles(i) {
			if s := x.f.Throttles(i)[k].Snapshot(x.e.Now); s.InFlight != 0 {
				x.t.Errorf("pipeline %d throttle %d: %+v", i, k, s)
			}
		}
	}
}

// concurrent returns fresh budgets in place of those that count what is in flight.
func (x *chaos) concurrent() map[int]*budget.Budget {
	fresh, k := map[int]*budget.Budget{}, 0
	for _, p := range x.f.plan.policies {
		c := (*budget.Config)(nil)
		switch {
		case p.Retry != nil:
			c = p.Retry.Budget
		case p.Hedge != nil:
			c = p.Hedge.Budget
		}
		if c == nil {
			continue
		}
		if c.Kind == budget.Concurrency {
			fresh[k] = &NewFleet(x.f.plan, 1).Budgets(0)[k]
		}
		k++
	}
	return fresh
}

func runChaos(t *testing.T, seed uint64, turns int) int {
	x := newChaos(t, seed)
	for range turns {
		x.turn()
	}
	x.drain()
	x.check()
	return x.done
}

// TestEveryAdmittedCallIsSettledOnce drives random plans with random inputs,
// late and foreign ones included, then lets every function return: no slot and
// no permit may be left, and every call has ended.
func TestEveryAdmittedCallIsSettledOnce(t *testing.T) {
	done := 0
	for seed := range uint64(2000) {
		done += runChaos(t, seed, 400)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if done < 50000 {
		t.Errorf("only %d calls ended: the test hardly tests", done)
	}
}

// FuzzEveryAdmittedCallIsSettledOnce is the same law for seeds of the fuzzer's choice.
func FuzzEveryAdmittedCallIsSettledOnce(f *testing.F) {
	f.Add(uint64(1), uint16(100))
	f.Fuzz(func(t *testing.T, seed uint64, turns uint16) { runChaos(t, seed, int(turns)) })
}
