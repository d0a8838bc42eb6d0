package experiment

import (
	"context"
	"fmt"
	"time"

	"github.com/resilsim/resilsim/sim/record"
	"github.com/resilsim/resilsim/sim/result"
	"github.com/resilsim/resilsim/sim/scenario"
	"github.com/resilsim/resilsim/sim/world"
)

// slice is how much virtual time goes by between two looks at the context.
const slice = 100 * time.Millisecond

// teller is told how far one run has come.
type teller func(done time.Duration, events uint64)

// pass is one run of a world, with or without its trigger, and what was recorded
// of it.
type pass struct {
	world   *world.World
	rec     *record.Recorder
	scopes  []world.Scope
	bare    bool          // without faults and operators
	end     time.Duration // what was simulated
	events  uint64
	partial bool
	steady  []result.Claim
}

// live is the independent count that the law of accounts is checked against.
type live struct{ *world.World }

func (l live) InFlight(fleet int) int        { return l.LiveRequests(fleet) }
func (l live) CallsInFlight(service int) int { return l.LiveCalls(service) }

// perform builds a world and runs it to its end, or until the context ends.
func perform(ctx context.Context, sc *scenario.Scenario, seed uint64, bare bool, tell teller) (*pass, error) {
	p, err := build(sc, seed, bare)
	if err != nil {
		return nil, err
	}
	stops := []time.Duration{sc.Duration}
	if first, fails := firstFault(sc); fails && !bare && first < sc.Duration {
		stops = []time.Duration{first, sc.Duration}
	}
	for i, stop := range stops {
		if err := p.runTo(ctx, stop, tell); err != nil {
			return nil, err
		}
		if i == 0 && !bare && !p.partial {
			if err := p.checkSteady(sc, seed); err != nil {
				return nil, err
			}
		}
	}
	if err := p.rec.Close(p.end, live{p.world}); err != nil {
		return nil, fmt.Errorf("experiment: seed %d: %w", seed, err)
	}
	return p, nil
}

func build(sc *scenario.Scenario, seed uint64, bare bool) (*pass, error) {
	cfg := record.Config{Duration: sc.Duration, Interval: sc.Interval}
	for i := range sc.Callers {
		cfg.Fleets = append(cfg.Fleets, record.Fleet{Name: sc.Callers[i].Name, Classes: classNames(&sc.Callers[i]), Retrial: sc.Callers[i].Retrial != nil})
		cfg.Once = cfg.Once || repeatsHarm(&sc.Callers[i])
	}
	cfg.Cached, cfg.Shared = map[int]bool{}, map[int]bool{}
	for i := range sc.Services {
		cfg.Services = append(cfg.Services, sc.Services[i].Name)
		cfg.Shared[i] = sc.Services[i].Cores > 0
		for _, st := range sc.Services[i].Do {
			cfg.Cached[i] = cfg.Cached[i] || st.Cache > 0
		}
	}
	if cfg.Duration <= 0 || cfg.Interval <= 0 {
		return nil, fmt.Errorf("experiment: duration and interval must be above 0, not %v and %v", cfg.Duration, cfg.Interval)
	}
	p := &pass{rec: record.New(cfg), bare: bare}
	w, err := world.Build(sc, seed, p.rec, world.Options{WithoutTrigger: bare})
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	p.world, p.scopes = w, w.Scopes()
	var breakers []int
	for _, s := range p.scopes {
		breakers = append(breakers, s.Breakers)
	}
	p.rec.SetBreakers(breakers[:len(sc.Callers)], breakers[len(sc.Callers):])
	return p, nil
}

// glance is after how many events somebody looks whether the run is to go on.
const glance = 200_000

// advance runs to an instant, its own events not included: an interval holds what
// happens before its end. It stops early when the context ends.
func (p *pass) advance(ctx context.Context, next time.Duration) {
	for !p.world.RunSome(next-1, glance) {
		if ctx.Err() != nil {
			p.end, p.events, p.partial = p.world.Now(), p.world.Executed(), true
			return
		}
	}
	p.end, p.events = next, p.world.Executed()
}

// runTo goes on in slices. After each interval of the record the law of accounts
// is checked, so that a defect of a model stops the run where it shows.
func (p *pass) runTo(ctx context.Context, stop time.Duration, tell teller) error {
	step := max(p.rec.Interval(), slice)
	due := p.end + step
	for p.end < stop && !p.partial {
		next := min(p.end+slice, stop)
		if p.advance(ctx, next); p.partial {
			return nil
		}
		if next < due && next < stop {
			p.partial = ctx.Err() != nil
			continue
		}
		due = next + step
		p.rec.Advance(next)
		if err := p.rec.Check(next, live{p.world}); err != nil {
			return fmt.Errorf("experiment: %w", err)
		}
		tell(next, p.events)
		p.partial = ctx.Err() != nil && next < stop
	}
	return nil
}

func firstFault(sc *scenario.Scenario) (time.Duration, bool) {
	first, found := time.Duration(0), false
	for i := range sc.Faults {
		if at := sc.Faults[i].At; !found || at < first {
			first, found = at, true
		}
	}
	return first, found
}

// checkSteady judges what was recorded up to the first fault.
func (p *pass) checkSteady(sc *scenario.Scenario, seed uint64) error {
	e := newEvidence(sc, p)
	p.steady = e.claims(sc.SteadyState)
	var failed []result.Claim
	for _, c := range p.steady {
		if !c.Held {
			failed = append(failed, c)
		}
	}
	if failed != nil {
		return &NotSteady{Seed: seed, Claims: failed}
	}
	return nil
}

func classNames(f *scenario.Fleet) []string {
	var names []string
	for _, c := range f.Classes {
		names = append(names, c.Name)
	}
	return names
}

// repeatsHarm reports whether a fleet has requests that must not be carried out twice.
func repeatsHarm(f *scenario.Fleet) bool {
	for _, c := range f.Classes {
		if !c.Idempotent {
			return true
		}
	}
	return false
}
