package pipeline

import (
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/throttle"
)

// Fleet is n pipelines that follow one plan, each with its own breakers, retry
// budgets and bulkheads. A client in production is a fleet of one; a simulated
// fleet of a million callers is one value with three slabs.
type Fleet struct {
	plan      *Plan
	n         int
	breakers  []breaker.Breaker
	budgets   []budget.Budget
	bulkheads []bulkhead.Bulkhead
	rates     []ratelimit.Limiter
	limits    []adaptive.Limiter
	throttles []throttle.Throttle
	hedges    []hedge.Hedge
	// retries switches every retry of the fleet on or off.
	retries flag
	// locks, one per stage and pipeline, are nil unless the wall clock drives.
	locks locks
}

// NewFleet makes n fresh pipelines. n is at least 1.
func NewFleet(plan *Plan, n int) *Fleet {
	f := &Fleet{plan: plan, n: n}
	f.breakers = interleave(plan.breakers, n, breaker.NewFleet)
	f.budgets = interleave(plan.budgets, n, budget.NewFleet)
	f.throttles = interleave(plan.throttles, n, throttle.NewFleet)
	for range n {
		for _, s := range plan.bulkheads {
			f.bulkheads = append(f.bulkheads, bulkhead.New(s))
		}
		for _, s := range plan.rates {
			f.rates = append(f.rates, ratelimit.New(s))
		}
		for _, s := range plan.limits {
			f.limits = append(f.limits, adaptive.New(s))
		}
		for _, s := range plan.hedges {
			f.hedges = append(f.hedges, hedge.New(s))
		}
	}
	return f
}

// interleave lays out the states of pipeline i at i*len(settings), so that one
// caller's states share cache lines.
func interleave[S, T any](settings []*S, n int, make1 func(*S, int) []T) []T {
	if len(settings) == 1 {
		return make1(settings[0], n)
	}
	all := make([]T, n*len(settings))
	for k, s := range settings {
		for i, t := range make1(s, n) {
			all[i*len(settings)+k] = t
		}
	}
	return all
}

// Len returns the number of pipelines.
func (f *Fleet) Len() int { return f.n }

// Plan returns the plan that all pipelines follow.
func (f *Fleet) Plan() *Plan { return f.plan }

// Breakers returns the breakers of pipeline i, outermost first. They belong to
// the fleet: on the wall clock use Pipeline's methods instead.
func (f *Fleet) Breakers(i int) []breaker.Breaker {
	k := len(f.plan.breakers)
	return f.breakers[i*k : (i+1)*k]
}

// Bulkheads returns the bulkheads of pipeline i, outermost first.
func (f *Fleet) Bulkheads(i int) []bulkhead.Bulkhead {
	k := len(f.plan.bulkheads)
	return f.bulkheads[i*k : (i+1)*k]
}

// Budgets returns the retry budgets of pipeline i, outermost first.
func (f *Fleet) Budgets(i int) []budget.Budget {
	k := len(f.plan.budgets)
	return f.budgets[i*k : (i+1)*k]
}

// SwitchRetries switches every retry and hedge of the fleet on or off, as an operator
// does with a feature flag: what waits is not recalled, nothing new is retried. Safe
// for concurrent use.
func (f *Fleet) SwitchRetries(on bool) { f.retries.set(on) }

func (f *Fleet) breaker(i int32, s *stage) *breaker.Breaker {
	return &f.breakers[int(i)*len(f.plan.breakers)+s.state]
}

func (f *Fleet) budget(i int32, s *stage) *budget.Budget {
	return &f.budgets[int(i)*len(f.plan.budgets)+s.purse]
}

func (f *Fleet) bulkhead(i int32, s *stage) *bulkhead.Bulkhead {
	return &f.bulkheads[int(i)*len(f.plan.bulkheads)+s.state]
}

// Purpose says what a draw is for.
type Purpose uint8

const (
	// DrawWait spreads a retry's wait; key it by call and retry number.
	DrawWait Purpose = iota + 1
	// DrawOpen spreads an open wait; key it by pipeline and opening number.
	DrawOpen
	// DrawThrottle decides whether a throttle refuses; key it by call and number of
	// the asking.
	DrawThrottle
	// DrawProbe spreads an adaptive limit's measurements; key it by pipeline and
	// number of the draw.
	DrawProbe
)

// Dice hands out chance: a draw in [0,1) for a purpose at a stage, the n-th of
// its kind. The same arguments give the same draw, so that nothing shifts
// another's.
type Dice interface {
	Draw(p Purpose, stage int, n uint64) float64
}

// Grant tells the driver that a waiting call got its slot, or will get none: step it
// with Granted.
type Grant struct {
	// Owner is the number that the call was begun with.
	Owner  uint64
	Stage  int
	Ticket bulkhead.Ticket
	// Dropped is why it will get none; None: it has its slot.
	Dropped patterns.Reason
}

// Env is what a driver lends to a step: the instant, chance, and room for what
// the step wants told. A driver reuses one Env and empties the lists.
type Env struct {
	Now    patterns.Instant
	Dice   Dice
	Events []Event
	Grants []Grant
	// GivenUp are attempts that a hedge overtook, or that were given up together with
	// the whole hedge: as Action.Abandoned, but nobody waits for their return.
	GivenUp []uint32
	// Loud asks for events of every kind, not only for BreakerChanged.
	Loud bool

	deaf   bool    // no event is wanted at all
	out    *outbox // the wall clock's
	log    []breaker.Event
	grants []bulkhead.Grant
	drops  []bulkhead.Drop
}
