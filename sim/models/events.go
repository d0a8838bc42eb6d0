package models

import (
	"time"

	"github.com/resilsim/resilsim/sim/engine"
)

// handlers are the graph's entries in the engine: one for each kind of event,
// so that the argument is free for a handle.
type handlers struct {
	arrival, timer, value, work   engine.HandlerID
	message, answer, gone, warmer engine.HandlerID
	callerHandlers
	share, expiry engine.HandlerID
}

func (g *Graph) register() {
	g.on = handlers{
		arrival: g.eng.Register(onArrival{g}),
		timer:   g.eng.Register(onTimer{g}),
		value:   g.eng.Register(onValue{g}),
		work:    g.eng.Register(onWork{g}),
		message: g.eng.Register(onErrand{g, arrive}),
		answer:  g.eng.Register(onErrand{g, answer}),
		gone:    g.eng.Register(onErrand{g, gone}),
		warmer:  g.eng.Register(onWarmer{g}),
	}
	g.on.callerHandlers = g.registerCallers()
	g.on.share = g.eng.Register(onShare{g})
	g.on.expiry = g.eng.Register(onExpiry{g})
}

type onArrival struct{ *Graph }

func (g onArrival) Handle(_ time.Duration, fleet uint64) {
	// What was scheduled before the curve changed is void.
	if f := g.fleets[uint32(fleet)]; f.gen.shape == fleet>>32 {
		g.arrival(f)
		g.settle()
	}
}

type onTimer struct{ *Graph }

func (g onTimer) Handle(_ time.Duration, slot uint64) {
	g.timerFired(g.calls.at(uint32(slot)))
	g.settle()
}

type onValue struct{ *Graph }

func (g onValue) Handle(_ time.Duration, who uint64) {
	g.valueReady(handle(who))
	g.settle()
}

type onWork struct{ *Graph }

func (g onWork) Handle(_ time.Duration, who uint64) {
	g.worked(handle(who))
	g.settle()
}

type onErrand struct {
	*Graph
	kind errandKind
}

func (g onErrand) Handle(_ time.Duration, who uint64) {
	g.run(errand{kind: g.kind, who: handle(who)})
	g.settle()
}

type onWarmer struct{ *Graph }

func (g onWarmer) Handle(_ time.Duration, service uint64) {
	g.warmer(g.services[service])
	g.settle()
}
