package pipeline

import (
	"errors"
	"fmt"
	"slices"

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

// Policy is one stage of a pipeline; exactly one pattern is set.
type Policy struct {
	// Name finds the stage's breaker, bulkhead or budget in a pipeline and marks its
	// events. Optional; no two policies of a pipeline have the same.
	Name string

	Fallback       *fallback.Config
	Retry          *retry.Config
	CircuitBreaker *breaker.Config
	Bulkhead       *bulkhead.Config
	// QueuedBulkhead looks at the level and the deadline of the calls that wait.
	QueuedBulkhead *bulkhead.QueueConfig
	// ThreadPoolBulkhead is a pool of workers with a queue.
	ThreadPoolBulkhead *bulkhead.PoolConfig
	Timeout            *timeout.Config
	RateLimiter        *ratelimit.Config
	AdaptiveLimit      *adaptive.Config
	Throttle           *throttle.Config
	// Hedge stands once in a pipeline, and no fallback stands inside it.
	Hedge *hedge.Config
}

// StagesMax is the most policies that one pipeline may have.
const StagesMax = 16

type kind uint8

const (
	kindFallback kind = iota
	kindRetry
	kindBreaker
	kindBulkhead
	kindTimeout
	kindRate
	kindLimit
	kindThrottle
	kindHedge
)

// stage is a compiled policy: its settings, and the index of its state among
// the fleet's states of the same kind.
type stage struct {
	kind     kind
	detached bool
	drawOpen bool // breaker: an opening needs a draw
	drawWait bool // retry: a wait needs a draw
	drawUsed bool // adaptive limit: a report may need a draw
	state    int  // index among the states of its kind, or of the first step
	purse    int  // retry, hedge: index of the budget; -1: none
	steps    int  // fallback: number of steps
	waits    bool // bulkhead: calls may wait for a slot
	retry    *retry.Policy
	limit    *timeout.Settings
}

// Plan is a compiled, immutable list of policies, outermost first. Any number
// of pipelines may follow one plan.
type Plan struct {
	stages    []stage
	rungs     int      // steps of all fallbacks together
	policies  []Policy // copies that nobody else holds
	breakers  []*breaker.Settings
	budgets   []*budget.Settings
	bulkheads []*bulkhead.Settings
	rates     []*ratelimit.Settings
	limits    []*adaptive.Settings
	throttles []*throttle.Settings
	hedges    []*hedge.Settings
}

// Compile checks every policy and builds the plan. The error joins all faults,
// each prefixed with the position and kind of its policy.
func Compile(policies []Policy) (*Plan, error) {
	if len(policies) > StagesMax {
		return nil, fmt.Errorf("pipeline: %d policies, at most %d", len(policies), StagesMax)
	}
	p := &Plan{policies: clone(policies)}
	var faults patterns.Faults
	for i, pol := range policies {
		if err := p.add(pol); err != nil {
			faults.Add(fmt.Sprintf("pipeline: policy %d", i), "%v", err)
		}
		if first := p.find(pol.Name); first >= 0 && first < i {
			faults.Add(fmt.Sprintf("pipeline: policy %d", i), "name %q is that of policy %d: no two may have the same", pol.Name, first)
		}
	}
	if err := faults.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// Policies returns a copy of what the plan was compiled from, outermost first.
func (p *Plan) Policies() []Policy { return clone(p.policies) }

// Ordinal numbers a stage among those of its kind, from 0: the second retry is 1,
// whatever stands between. Who keys draws by it keeps each stage's luck when a
// policy of another kind is added.
func (p *Plan) Ordinal(stage int) int {
	n := 0
	for i := range stage {
		if p.stages[i].kind == p.stages[stage].kind {
			n++
		}
	}
	return n
}

// find returns the stage of that name; -1: there is none. No stage is found by
// the empty name.
func (p *Plan) find(name string) int {
	if name == "" {
		return -1
	}
	return slices.IndexFunc(p.policies, func(pol Policy) bool { return pol.Name == name })
}

func (p *Plan) add(pol Policy) error {
	if n := pol.count(); n != 1 {
		return fmt.Errorf("a policy is exactly one pattern, found %d", n)
	}
	switch {
	case pol.Fallback != nil:
		return p.addFallback(*pol.Fallback)
	case pol.Retry != nil:
		return p.addRetry(*pol.Retry)
	case pol.CircuitBreaker != nil:
		return p.addBreaker(*pol.CircuitBreaker)
	case pol.Bulkhead != nil, pol.QueuedBulkhead != nil, pol.ThreadPoolBulkhead != nil:
		return p.addBulkhead(pol)
	case pol.Timeout != nil:
		return p.addTimeout(*pol.Timeout)
	case pol.Hedge != nil:
		return p.addHedge(*pol.Hedge)
	}
	return p.addLimiter(pol)
}

func (pol Policy) count() int {
	n := 0
	for _, set := range []bool{
		pol.Fallback != nil, pol.Retry != nil, pol.CircuitBreaker != nil, pol.Bulkhead != nil, pol.Timeout != nil,
		pol.RateLimiter != nil, pol.AdaptiveLimit != nil, pol.Throttle != nil, pol.Hedge != nil,
		pol.QueuedBulkhead != nil, pol.ThreadPoolBulkhead != nil,
	} {
		if set {
			n++
		}
	}
	return n
}

func (p *Plan) addFallback(c fallback.Config) error {
	if err := c.Validate().Err(); err != nil {
		return fmt.Errorf("fallback: %w", err)
	}
	if len(p.hedges) > 0 {
		return errors.New("fallback: stands inside the hedge: put it outside, so that it answers for all attempts together")
	}
	p.stages = append(p.stages, stage{kind: kindFallback, steps: len(c.Steps), state: p.rungs})
	p.rungs += len(c.Steps)
	return nil
}

func (p *Plan) addRetry(c retry.Config) error {
	pol, err := retry.Compile(c)
	if err != nil {
		return fmt.Errorf("retry: %w", err)
	}
	s := stage{kind: kindRetry, retry: pol, drawWait: pol.NeedsDraw()}
	if s.purse, err = p.addBudget(c.Budget); err != nil {
		return fmt.Errorf("retry: %w", err)
	}
	p.stages = append(p.stages, s)
	return nil
}

// addBudget returns the index of the budget, -1 for none.
func (p *Plan) addBudget(c *budget.Config) (int, error) {
	if c == nil {
		return -1, nil
	}
	b, err := budget.Compile(*c)
	if err != nil {
		return -1, fmt.Errorf("budget: %w", err)
	}
	p.budgets = append(p.budgets, b)
	return len(p.budgets) - 1, nil
}

func (p *Plan) addHedge(c hedge.Config) error {
	s, err := hedge.Compile(c)
	if err != nil {
		return err // says that it is the hedge's
	}
	if len(p.hedges) > 0 {
		return errors.New("hedge: there is one already: two would multiply the attempts, set maxHedges instead")
	}
	st := stage{kind: kindHedge}
	if st.purse, err = p.addBudget(c.Budget); err != nil {
		return fmt.Errorf("hedge: %w", err)
	}
	p.stages = append(p.stages, st)
	p.hedges = append(p.hedges, s)
	return nil
}

func (p *Plan) addBreaker(c breaker.Config) error {
	b, err := breaker.Compile(c)
	if err != nil {
		return fmt.Errorf("circuitBreaker: %w", err)
	}
	p.stages = append(p.stages, stage{kind: kindBreaker, state: len(p.breakers), drawOpen: c.EnableRandomizedWait})
	p.breakers = append(p.breakers, b)
	return nil
}

func (p *Plan) addBulkhead(pol Policy) error {
	var b *bulkhead.Settings
	var err error
	waits := true
	switch {
	case pol.Bulkhead != nil:
		b, err = bulkhead.Compile(*pol.Bulkhead)
		waits = pol.Bulkhead.MaxWaitDuration > 0
	case pol.QueuedBulkhead != nil:
		b, err = bulkhead.CompileQueue(*pol.QueuedBulkhead)
	default:
		b, err = bulkhead.CompilePool(*pol.ThreadPoolBulkhead)
	}
	if err != nil {
		return err // says that it is the bulkhead's
	}
	p.stages = append(p.stages, stage{kind: kindBulkhead, state: len(p.bulkheads), waits: waits})
	p.bulkheads = append(p.bulkheads, b)
	return nil
}

func (p *Plan) addTimeout(c timeout.Config) error {
	t, err := timeout.Compile(c)
	if err != nil {
		return err // says that it is the timeout's
	}
	p.stages = append(p.stages, stage{kind: kindTimeout, limit: t, detached: t.Detached()})
	return nil
}
