package models

import (
	"time"

	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/sim/engine"
)

// Graph is a wired graph of models on an engine. It is for one goroutine.
//
//	arrivals -> fleet -> call -> [pipeline] -> link -> service instance
//	                      ▲                              │ queue, workers
//	                      └────────── answer ◄───────────┴─> calls of its own
//
// What models tell each other at one instant goes through a list that is worked
// off, first in first out, before the engine's next event: nothing recurses,
// whatever the number of waitless retries, and a message over a link without
// latency costs no event.
type Graph struct {
	eng   *engine.Engine
	seed  engine.Seed
	probe Probe

	fleets   []*fleet
	services []*service
	owners   []*owner // fleets, then services
	pipes    []*pipe
	caches   [][]*cache
	classes  []class // of all fleets; the first is that of requests without one
	// pipelineNames are for the timeline.
	pipelineNames []string

	tasks slab[task]
	seats slab[seat]
	calls slab[call]
	fans  slab[fan]
	callers

	env      pipeline.Env
	stepping *call         // the call whose machine is being stepped: for its draws
	why      Why           // reason that abandoned attempts are accounted under
	stream   engine.Stream // lent to a distribution: one on the stack would escape
	dying    bool          // functions that are given up now return at once
	todo     []errand
	grants   []pipeline.Grant // of the errands to do
	dirty    []*service
	on       handlers
}

// errand is something that one model has to tell another at this instant.
type errand struct {
	who  handle
	ref  uint32 // cutOff: the attempt; granted: place among the grants
	kind errandKind
}

type errandKind uint8

const (
	arrive  errandKind = iota // a task is at its service's door
	answer                    // a task's answer is at its caller
	gone                      // a task hears that its caller has gone
	cutOff                    // an attempt was refused by the network
	granted                   // a call got a bulkhead's slot
	ended                     // a call is done
)

// New builds the graph on an engine. The order of registration and of the lists
// is part of the digest.
func New(eng *engine.Engine, cfg Config, probe Probe) (*Graph, error) {
	if probe == nil {
		probe = Silent{}
	}
	g := &Graph{eng: eng, seed: cfg.Seed, probe: probe, why: WhyTimeout}
	g.env.Dice = g
	g.register()
	for i := range cfg.Pipelines {
		g.pipelineNames = append(g.pipelineNames, cfg.Pipelines[i].Name)
	}
	for i := range cfg.Fleets {
		g.addFleet(&cfg.Fleets[i])
	}
	for i := range cfg.Services {
		if err := g.addService(&cfg.Services[i]); err != nil {
			return nil, err
		}
	}
	g.addCaches(cfg.Caches)
	if err := g.addPipes(cfg.Pipelines); err != nil {
		return nil, err
	}
	for _, l := range cfg.Links {
		g.addLink(l)
	}
	for _, s := range g.services {
		if err := g.balance(s); err != nil {
			return nil, err
		}
		g.scale(s)
	}
	for i, f := range g.fleets {
		g.schedule(f)
		g.startCallers(f, &cfg.Fleets[i])
	}
	for _, s := range g.services {
		g.touch(s)
	}
	g.settle()
	return g, nil
}

func (g *Graph) now() time.Duration { return g.eng.Now() }

func (g *Graph) tell(e errand) { g.todo = append(g.todo, e) }

// settle works off what the models have to tell each other at this instant.
func (g *Graph) settle() {
	for i := 0; i < len(g.todo); i++ {
		g.run(g.todo[i])
	}
	g.todo, g.grants = g.todo[:0], g.grants[:0]
	g.levels()
}

func (g *Graph) run(e errand) {
	switch e.kind {
	case arrive:
		g.arrived(e.who)
	case answer:
		g.answered(e.who)
	case gone:
		g.callerGone(e.who)
	case cutOff:
		g.cutOff(e.who, e.ref)
	case granted:
		g.slotGranted(g.grants[e.ref])
	case ended:
		g.callEnded(e.who)
	}
}

// LiveRequests counts the requests of a fleet that have not ended, from the
// records themselves.
func (g *Graph) LiveRequests(fleet int) int {
	n := 0
	for slot := range g.tasks.n {
		t := g.tasks.at(slot)
		if t.state == running && g.owners[t.owner].fleet == int32(fleet) {
			n++
		}
	}
	return n
}

// LiveCalls counts the attempts towards a service that their callers still wait
// for, from the records themselves.
func (g *Graph) LiveCalls(service int) int {
	n := 0
	for slot := range g.calls.n {
		if c := g.calls.at(slot); c.live && c.service == int32(service) {
			n += c.aloft()
		}
	}
	return n
}
