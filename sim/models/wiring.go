package models

import (
	"fmt"

	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/sim/dist"
)

// owner is whoever makes calls: a fleet or a service.
type owner struct {
	index     int32
	name      string
	fleet     int32 // -1 for a service
	service   int32 // -1 for a fleet
	instances int
	async     bool // its handlers hold no worker while they call
	processor bool // work in its steps is done by a processor
	steps     []Step
	pipes     []*pipe     // by pipeline; nil where it has none
	links     []dist.Dist // by service; nil: no latency
	losses    []float64   // by service
}

// pipe is one pipeline in the hands of one owner.
type pipe struct {
	key           uint64 // of its owner and its name
	ordinals      []uint64
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
		o.losses = make([]float64, len(g.services))
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
	p := &pipe{pipeline: through, owner: o, shared: through < 0}
	if through >= 0 {
		cfg := &pipelines[through]
		p.key = named(o.name, cfg.Name)
		p.shared, p.uncooperative, p.ladders = cfg.Shared, cfg.Uncooperative, cfg.Ladders
	}
	n := o.instances
	if p.shared {
		n = 1
	}
	p.fleet = pipeline.NewFleet(plans[place], n)
	for i := range plans[place].Policies() {
		p.ordinals = append(p.ordinals, uint64(plans[place].Ordinal(i)))
	}
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
			o.losses[l.To] = l.Loss
		}
	}
}
