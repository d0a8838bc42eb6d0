package models

import (
	"time"

	"github.com/resilsim/resilsim/sim/engine"
)

// callers are the records of what fleets keep besides requests.
type callers struct {
	visitors slab[visitor]
	effects  slab[effects]
	done     slab[done]
}

// callerHandlers are the entries in the engine for events of callers.
type callerHandlers struct {
	user, back, patience, burst, recorded engine.HandlerID
}

func (g *Graph) registerCallers() callerHandlers {
	on := func(do func(g *Graph, arg uint64)) engine.HandlerID { return g.eng.Register(onCaller{g, do}) }
	return callerHandlers{
		user:     on(func(g *Graph, arg uint64) { g.thought(g.fleets[uint32(arg)], int32(arg>>32)) }),
		back:     on(func(g *Graph, arg uint64) { g.cameBack(uint32(arg)) }),
		patience: on(func(g *Graph, arg uint64) { g.outOfPatience(handle(arg)) }),
		burst:    on(func(g *Graph, arg uint64) { g.burst(g.fleets[uint32(arg)], arg>>32) }),
		recorded: on(func(g *Graph, arg uint64) { g.recorded(g.fleets[uint32(arg)]) }),
	}
}

type onCaller struct {
	*Graph
	do func(g *Graph, arg uint64)
}

func (o onCaller) Handle(_ time.Duration, arg uint64) {
	o.do(o.Graph, arg)
	o.settle()
}

// startCallers puts the first arrivals besides those of the curve on the agenda.
func (g *Graph) startCallers(f *fleet, cfg *FleetConfig) {
	if cfg.Closed != nil {
		g.startLoop(f, cfg.Closed)
	}
	if len(cfg.Bursts)+len(cfg.Times) > 0 {
		g.startPlan(f, cfg)
	}
}
