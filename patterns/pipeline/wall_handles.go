package pipeline

import (
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/bulkhead"
)

// Breaker is a handle on one breaker of a pipeline in use.
type Breaker struct {
	p     *Pipeline
	stage int8
}

// Breakers returns the pipeline's breakers, outermost first.
func (p *Pipeline) Breakers() []Breaker {
	var all []Breaker
	for _, i := range p.stages(kindBreaker) {
		all = append(all, Breaker{p, i})
	}
	return all
}

// Breaker returns the breaker of the policy with that name. Without one ok is
// false, and the handle must not be used.
func (p *Pipeline) Breaker(name string) (b Breaker, ok bool) {
	i, ok := p.named(name, kindBreaker)
	return Breaker{p, i}, ok
}

// Name returns the name of the breaker's policy.
func (b Breaker) Name() string { return b.p.name(b.stage) }

// Snapshot returns the breaker's counters now.
func (b Breaker) Snapshot() (s breaker.Snapshot) {
	b.with(func(core *breaker.Breaker, _ *[]breaker.Event) { s = core.Snapshot(b.p.now()) })
	return s
}

// Force puts the breaker into a state, as an operator does.
func (b Breaker) Force(to breaker.State) {
	b.with(func(core *breaker.Breaker, log *[]breaker.Event) { core.Force(b.p.now(), to, b.p.draw(), log) })
}

// Reset closes the breaker and empties its window.
func (b Breaker) Reset() {
	b.with(func(core *breaker.Breaker, log *[]breaker.Event) { core.Reset(b.p.now(), log) })
}

func (b Breaker) with(f func(*breaker.Breaker, *[]breaker.Event)) {
	var log []breaker.Event
	b.p.locked(b.stage, func(s *stage) {
		f(b.p.fleet.breaker(0, s), &log)
		for _, e := range log {
			b.p.out.push(Event{Stage: int(b.stage), Name: b.Name(), Event: e})
		}
	})
	b.p.out.deliver()
}

// BulkheadSnapshot is what a bulkhead shows now.
type BulkheadSnapshot struct {
	// Name is that of the policy.
	Name string
	bulkhead.Snapshot
}

// Bulkheads returns the state of the pipeline's bulkheads, outermost first.
func (p *Pipeline) Bulkheads() []BulkheadSnapshot {
	var all []BulkheadSnapshot
	for _, i := range p.stages(kindBulkhead) {
		all = append(all, p.bulkhead(i))
	}
	return all
}

// Bulkhead returns the state of the bulkhead of the policy with that name.
func (p *Pipeline) Bulkhead(name string) (b BulkheadSnapshot, ok bool) {
	i, ok := p.named(name, kindBulkhead)
	if !ok {
		return b, false
	}
	return p.bulkhead(i), true
}

func (p *Pipeline) bulkhead(i int8) (b BulkheadSnapshot) {
	p.locked(i, func(s *stage) { b = BulkheadSnapshot{p.name(i), p.fleet.bulkhead(0, s).Snapshot()} })
	return b
}

// BudgetSnapshot is what a retry's budget shows now.
type BudgetSnapshot struct {
	// Name is that of the retry's policy.
	Name string
	// Balance is what there is; see budget.Budget.Balance for each kind.
	Balance float64
}

// Budgets returns the state of the pipeline's retry budgets, outermost first. A
// retry without a budget has none.
func (p *Pipeline) Budgets() []BudgetSnapshot {
	var all []BudgetSnapshot
	for _, i := range p.stages(kindRetry) {
		if p.fleet.plan.stages[i].purse >= 0 {
			all = append(all, p.budget(i))
		}
	}
	return all
}

// Budget returns the state of the budget of the retry with that name.
func (p *Pipeline) Budget(name string) (b BudgetSnapshot, ok bool) {
	i, ok := p.named(name, kindRetry)
	if !ok || p.fleet.plan.stages[i].purse < 0 {
		return b, false
	}
	return p.budget(i), true
}

func (p *Pipeline) budget(i int8) (b BudgetSnapshot) {
	p.locked(i, func(s *stage) { b = BudgetSnapshot{p.name(i), p.fleet.budget(0, s).Balance(p.now())} })
	return b
}

// SwitchRetries switches every retry of the pipeline on or off, as an operator does
// with a feature flag: what waits is not recalled, nothing new is retried.
func (p *Pipeline) SwitchRetries(on bool) { p.fleet.SwitchRetries(on) }

// locked runs f while no call is at stage i.
func (p *Pipeline) locked(i int8, f func(*stage)) {
	p.fleet.locks.lock(0, i)
	defer p.fleet.locks.unlock(0, i)
	f(&p.fleet.plan.stages[i])
}

// stages returns the positions of the stages of a kind, outermost first.
func (p *Pipeline) stages(k kind) []int8 {
	var all []int8
	for i, s := range p.fleet.plan.stages {
		if s.kind == k {
			all = append(all, int8(i))
		}
	}
	return all
}

func (p *Pipeline) named(name string, k kind) (int8, bool) {
	i := p.fleet.plan.find(name)
	return int8(i), i >= 0 && p.fleet.plan.stages[i].kind == k
}

func (p *Pipeline) name(i int8) string { return p.fleet.plan.policies[i].Name }
