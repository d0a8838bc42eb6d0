package models

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/sim/dist"
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
	// pipelineNames are for the timeline.
	pipelineNames []string

	tasks slab[task]
	calls slab[call]

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

// owner is whoever makes calls: a fleet or a service.
type owner struct {
	index     int32
	fleet     int32 // -1 for a service
	service   int32 // -1 for a fleet
	instances int
	steps     []Step
	pipes     []*pipe     // by pipeline; nil where it has none
	links     []dist.Dist // by service; nil: no latency
}

// pipe is one pipeline in the hands of one owner.
type pipe struct {
	id            int
	pipeline      int // -1: a bare call
	owner         *owner
	fleet         *pipeline.Fleet
	shared        bool
	uncooperative bool
	ladders       [][]Rung
	retriesOff    int // how many operators hold retries off
}

// instance returns the pipeline that an instance of the owner uses.
func (p *pipe) instance(i int32) int32 {
	if p.shared {
		return 0
	}
	return i
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
		g.addService(&cfg.Services[i])
	}
	if err := g.addPipes(cfg.Pipelines); err != nil {
		return nil, err
	}
	for _, l := range cfg.Links {
		g.addLink(l)
	}
	for _, f := range g.fleets {
		g.schedule(f)
	}
	for _, s := range g.services {
		g.touch(s)
	}
	g.settle()
	return g, nil
}

func (g *Graph) addOwner(o owner) *owner {
	o.index = int32(len(g.owners))
	g.owners = append(g.owners, &o)
	return &o
}

// addPipes gives every owner the pipelines that its steps go through, and those
// that the fallbacks of these go through.
func (g *Graph) addPipes(pipelines []PipelineConfig) error {
	plans := make([]*pipeline.Plan, len(pipelines)+1)
	for i := range plans {
		var policies []pipeline.Policy
		if i < len(pipelines) {
			policies = pipelines[i].Policies
		}
		plan, err := pipeline.Compile(policies)
		if err != nil {
			return fmt.Errorf("models: pipeline %s: %w", pipelines[i].Name, err)
		}
		plans[i] = plan
	}
	for _, o := range g.owners {
		o.pipes = make([]*pipe, len(plans))
		o.links = make([]dist.Dist, len(g.services))
		for _, st := range o.steps {
			if st.Call >= 0 {
				g.addPipe(o, st.Through, pipelines, plans)
			}
		}
	}
	return nil
}

func (g *Graph) addPipe(o *owner, through int, pipelines []PipelineConfig, plans []*pipeline.Plan) {
	place := through
	if through < 0 {
		place = len(pipelines)
	}
	if o.pipes[place] != nil {
		return
	}
	p := &pipe{id: len(g.pipes), pipeline: through, owner: o, shared: through < 0}
	if through >= 0 {
		cfg := &pipelines[through]
		p.shared, p.uncooperative, p.ladders = cfg.Shared, cfg.Uncooperative, cfg.Ladders
	}
	n := o.instances
	if p.shared {
		n = 1
	}
	p.fleet = pipeline.NewFleet(plans[place], n)
	o.pipes[place] = p
	g.pipes = append(g.pipes, p)
	for _, ladder := range p.ladders {
		for _, r := range ladder {
			if r.Call >= 0 {
				g.addPipe(o, r.Through, pipelines, plans)
			}
		}
	}
}

func (o *owner) pipe(through int) *pipe {
	if through < 0 {
		return o.pipes[len(o.pipes)-1]
	}
	return o.pipes[through]
}

func (g *Graph) addLink(l LinkConfig) {
	for _, o := range g.owners {
		everybody := l.FromFleet < 0 && l.FromService < 0
		if everybody || (l.FromFleet >= 0 && o.fleet == int32(l.FromFleet)) || (l.FromService >= 0 && o.service == int32(l.FromService)) {
			o.links[l.To] = l.Latency
		}
	}
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
		if c := g.calls.at(slot); c.live && c.open && c.service == int32(service) {
			n++
		}
	}
	return n
}
