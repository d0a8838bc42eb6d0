package world

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/sim/engine"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// World is a scenario that has come to life: an engine with a wired graph of
// models on it. It is for one goroutine.
type World struct {
	sc     *scenario.Scenario
	engine *engine.Engine
	graph  *models.Graph
}

// Options say how a world differs from what its scenario tells.
type Options struct {
	// WithoutTrigger leaves out all faults and operators: the control run.
	WithoutTrigger bool
}

// Build wires the scenario's models on a fresh engine. The probe may be nil. The
// scenario is not changed; errors name what in it cannot be built.
func Build(sc *scenario.Scenario, seed uint64, probe models.Probe, o Options) (*World, error) {
	if err := check(sc); err != nil {
		return nil, err
	}
	eng := engine.New()
	g, err := models.New(eng, graphConfig(sc, seed), probe)
	if err != nil {
		return nil, fmt.Errorf("world: %w", err)
	}
	w := &World{sc: sc, engine: eng, graph: g}
	if o.WithoutTrigger {
		return w, nil
	}
	for i := range sc.Faults {
		g.Schedule(faultOf(&sc.Faults[i]))
	}
	for i := range sc.Operators {
		g.Act(operatorOf(&sc.Operators[i]))
	}
	return w, nil
}

// Run lets the world go on up to and including the instant.
func (w *World) Run(until time.Duration) { w.engine.Run(until) }

// RunSome is Run for at most so many events; false: there are more.
func (w *World) RunSome(until time.Duration, events uint64) (done bool) {
	return w.engine.RunSome(until, events)
}

// Stop ends Run after the present event.
func (w *World) Stop() { w.engine.Stop() }

// Now is the present instant.
func (w *World) Now() time.Duration { return w.engine.Now() }

// Digest is a fingerprint of all that has happened.
func (w *World) Digest() uint64 { return w.engine.Digest() }

// Executed is the number of events that have happened.
func (w *World) Executed() uint64 { return w.engine.Executed() }

// LiveRequests counts the requests of a fleet that have not ended, from the
// live records themselves and not from what the probe was told.
func (w *World) LiveRequests(fleet int) int { return w.graph.LiveRequests(fleet) }

// LiveCalls counts the attempts towards a service whose callers still wait, from
// the live records themselves.
func (w *World) LiveCalls(service int) int { return w.graph.LiveCalls(service) }
