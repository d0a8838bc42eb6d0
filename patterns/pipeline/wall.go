package pipeline

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/bulkhead"
)

// locks holds one mutex per stage and pipeline. It is nil in a simulation,
// which has one goroutine and takes no locks.
type locks [][]sync.Mutex

func newLocks(f *Fleet) locks {
	l := make(locks, f.n)
	for i := range l {
		l[i] = make([]sync.Mutex, len(f.plan.stages))
	}
	return l
}

func (l locks) lock(instance int32, stage int8) {
	if l != nil {
		l[instance][stage].Lock()
	}
}

func (l locks) unlock(instance int32, stage int8) {
	if l != nil {
		l[instance][stage].Unlock()
	}
}

// Pipeline is one client's pipeline on the wall clock, for use by any number of
// goroutines. Make it with New and call through it with Do.
type Pipeline struct {
	fleet    *Fleet
	origin   time.Time
	classify func(context.Context, error) patterns.Result
	listen   func(Event)
	tape     *Tape
	draw     func() float64
	detached bool

	mu    sync.Mutex // guards calls and next
	calls map[uint64]*wallCall
	next  uint64
}

// Option changes how a Pipeline meets the world around it.
type Option func(*Pipeline)

// WithClassifier replaces Classify, the rule by which an error is judged.
func WithClassifier(f func(context.Context, error) patterns.Result) Option {
	return func(p *Pipeline) { p.classify = f }
}

// WithListener has every breaker event told to f, after all locks are released.
func WithListener(f func(Event)) Option { return func(p *Pipeline) { p.listen = f } }

// WithTape records every input and what it led to, for Replay. It makes calls
// step one at a time: for tests and for the recording of an incident.
func WithTape(t *Tape) Option { return func(p *Pipeline) { p.tape = t } }

// New makes a pipeline of the policies, outermost first. The error joins every
// fault of their settings.
func New(policies []Policy, opts ...Option) (*Pipeline, error) {
	plan, err := Compile(policies)
	if err != nil {
		return nil, err
	}
	f := NewFleet(plan, 1)
	f.locks = newLocks(f)
	p := &Pipeline{fleet: f, origin: time.Now(), classify: Classify, draw: rand.Float64, calls: map[uint64]*wallCall{}}
	for _, s := range plan.stages {
		p.detached = p.detached || s.detached
	}
	for _, o := range opts {
		o(p)
	}
	return p, nil
}

func (p *Pipeline) now() patterns.Instant { return p.instant(time.Now()) }

func (p *Pipeline) instant(t time.Time) patterns.Instant {
	return patterns.Instant(t.Sub(p.origin))
}

// Breaker is a handle on one breaker of a pipeline in use.
type Breaker struct {
	p     *Pipeline
	stage int8
}

// Breakers returns the pipeline's breakers, outermost first.
func (p *Pipeline) Breakers() []Breaker {
	var all []Breaker
	for i, s := range p.fleet.plan.stages {
		if s.kind == kindBreaker {
			all = append(all, Breaker{p, int8(i)})
		}
	}
	return all
}

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
	b.p.fleet.locks.lock(0, b.stage)
	f(b.p.fleet.breaker(0, &b.p.fleet.plan.stages[b.stage]), &log)
	b.p.fleet.locks.unlock(0, b.stage)
	for _, e := range log {
		b.p.notify(Event{Stage: int(b.stage), Event: e})
	}
}

// Bulkheads returns the state of the pipeline's bulkheads, outermost first.
func (p *Pipeline) Bulkheads() []bulkhead.Snapshot {
	var all []bulkhead.Snapshot
	for i := range p.fleet.plan.stages {
		s := &p.fleet.plan.stages[i]
		if s.kind != kindBulkhead {
			continue
		}
		p.fleet.locks.lock(0, int8(i))
		all = append(all, p.fleet.bulkhead(0, s).Snapshot())
		p.fleet.locks.unlock(0, int8(i))
	}
	return all
}

func (p *Pipeline) notify(e Event) {
	if p.listen != nil {
		p.listen(e)
	}
}
