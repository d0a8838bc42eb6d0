package pipeline

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Pipeline is one client's pipeline on the wall clock, for use by any number of
// goroutines. Make it with New and call through it with Do.
type Pipeline struct {
	fleet    *Fleet
	origin   time.Time
	classify func(context.Context, error) patterns.Result
	plain    bool // nobody but Classify judges: no error is a success
	out      *outbox
	tape     *Tape
	draw     func() float64
	apart    int  // the outermost stage that is detached or a hedge; StagesMax: none
	races    bool // a hedge is among the stages
	pace     pace

	refusals [patterns.Reasons]atomic.Pointer[Error] // the latest of each kind

	next   atomic.Uint64 // owner of the latest call
	spare  sync.Pool     // of *wallCall that nobody else can reach any more
	queues bool          // calls may wait for a slot, and are found in calls when they get it
	mu     sync.Mutex    // guards calls
	calls  map[uint64]*wallCall
}

// Option changes how a Pipeline meets the world around it.
type Option func(*Pipeline)

// WithClassifier replaces Classify, the rule by which an error is judged.
func WithClassifier(f func(context.Context, error) patterns.Result) Option {
	return func(p *Pipeline) { p.classify, p.plain = f, false }
}

// WithListener has every event told to f, one at a time, with no lock held: f may
// call the pipeline. The events of one breaker come in the order in which they
// happened, and so do those of one call. Whoever caused an event tells it before it
// goes on, or leaves it to the goroutine that is at the listener: f should be quick.
func WithListener(f func(Event)) Option {
	return func(p *Pipeline) { p.out = &outbox{listen: f} }
}

// WithTape records every input and what it led to, for Replay. It makes calls
// step one at a time: for tests and for the recording of an incident. An operator's
// hand (Force, Reset, SwitchRetries) is not on the tape: what it changed, Replay
// reports as a difference.
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
	p := &Pipeline{fleet: f, origin: time.Now(), classify: Classify, plain: true, draw: rand.Float64, calls: map[uint64]*wallCall{}, apart: StagesMax}
	if i := slices.IndexFunc(plan.stages, func(s stage) bool { return s.detached || s.kind == kindHedge }); i >= 0 {
		p.apart = i
	}
	p.queues = slices.ContainsFunc(plan.stages, func(s stage) bool { return s.waits })
	p.races = len(plan.hedges) > 0
	for _, o := range opts {
		o(p)
	}
	p.pace = p.paceOf()
	return p, nil
}

// detaches reports whether a detached timeout or a hedge is around what the action asks for.
func (p *Pipeline) detaches(a Action) bool {
	if a.Kind == Step {
		return p.apart < a.Stage
	}
	return p.apart < StagesMax
}

// now reads only the monotonic clock: time.Now would read the other one as well.
func (p *Pipeline) now() patterns.Instant { return patterns.Instant(time.Since(p.origin)) }

func (p *Pipeline) instant(t time.Time) patterns.Instant {
	return patterns.Instant(t.Sub(p.origin))
}
