package models

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

// Operator is what the on-call engineer does at At.
type Operator struct {
	Kind     OperatorKind
	Name     string
	At, For  time.Duration
	Service  int // ShedRequests: of the fleets that call it, or of all (-1, or none does)
	Pipeline int // ForceBreaker, RetriesOff: -1 for all

	Downtime time.Duration // Restart
	Share    float64       // shed: share refused for For
	Ramp     time.Duration // shed: then it falls to 0 in Steps equal steps
	Steps    int
	Force    breaker.State
	// Instances and Startup of a ScaleOut.
	Instances int
	Startup   time.Duration
	// Fault that a RollBack has ended.
	Fault string
}

// OperatorKind names an action.
type OperatorKind uint8

// The actions. ShedRequests refuses users at the caller, who do not come back;
// ShedAttempts refuses at the service, which may be retried. For 0 means until
// the end of the run for ForceBreaker and RetriesOff.
const (
	Restart OperatorKind = iota + 1
	ShedRequests
	ShedAttempts
	Purge
	ForceBreaker
	RetriesOff
	ScaleOut
	RollBack
)

// shed is a share that an operator refuses at a door.
type shed struct{ share float64 }

// refusedShare composes what several operators refuse.
func refusedShare(sheds []*shed) float64 {
	if len(sheds) == 0 {
		return 0
	}
	passed := 1.0
	for _, s := range sheds {
		passed *= 1 - s.share
	}
	return 1 - passed
}

// Act puts an operator's action on the agenda.
func (g *Graph) Act(op Operator) {
	g.eng.Func(op.At, func() {
		g.act(op)
		g.settle()
	})
}

func (g *Graph) act(op Operator) {
	switch op.Kind {
	case Restart:
		s := g.services[op.Service]
		g.begins(op, s.subject(), fmt.Sprintf("down for %s", op.Downtime))
		g.until(op, s.subject(), op.Downtime, g.fell(s.instances))
	case ShedRequests, ShedAttempts:
		g.startShed(op)
	case Purge:
		s := g.services[op.Service]
		g.happened("operator", s.subject(), op.Name, fmt.Sprintf("%d waiting", s.level.now.Queue), true)
		for i := range s.instances {
			g.lose(&s.instances[i], WhyShed)
		}
	case RollBack:
		g.happened("operator", "", op.Name, "ends "+op.Fault, true)
	case ScaleOut:
		g.scaleOut(op)
	case ForceBreaker:
		g.begins(op, g.pipelineSubject(op), op.Force.String())
		g.eachBreaker(op, g.forceOne(op.Force))
		g.until(op, g.pipelineSubject(op), op.For, func() { g.eachBreaker(op, resetOne) })
	case RetriesOff:
		g.begins(op, g.pipelineSubject(op), "")
		g.switchRetries(op, 1)
		g.until(op, g.pipelineSubject(op), op.For, func() { g.switchRetries(op, -1) })
	default:
		panic("models: an operator's action has a kind")
	}
}

func (g *Graph) begins(op Operator, subject, detail string) {
	g.happened("operator", subject, op.Name+" begins", detail, true)
}

// until has the action undone after so much time; 0 for never, except that a
// restart without downtime is up again at this instant.
func (g *Graph) until(op Operator, subject string, takes time.Duration, undo func()) {
	if takes == 0 && op.Kind != Restart {
		return
	}
	g.eng.Func(g.now()+takes, func() {
		undo()
		g.happened("operator", subject, op.Name+" ends", "", true)
		g.settle()
	})
}

// startShed refuses the share for For; then it falls in Steps equal steps, the last
// of which ends it at For + Ramp.
func (g *Graph) startShed(op Operator) {
	one := &shed{share: op.Share}
	subject := "callers"
	var doors []*[]*shed
	if op.Kind == ShedAttempts {
		s := g.services[op.Service]
		subject = s.subject()
		doors = append(doors, &s.sheds)
	}
	if op.Kind == ShedRequests {
		doors, subject = g.doors(op.Service)
	}
	for _, d := range doors {
		*d = append(*d, one)
	}
	g.begins(op, subject, fmt.Sprintf("%g %% refused", percent(op.Share)))
	g.ramp(op, subject, one, doors)
}

func (g *Graph) ramp(op Operator, subject string, one *shed, doors []*[]*shed) {
	steps := op.Steps
	if op.Ramp == 0 || steps < 1 {
		steps = 1
	}
	for k := 1; k <= steps; k++ {
		at := g.now() + op.For + op.Ramp/time.Duration(steps)*time.Duration(k)
		g.eng.Func(at, func() {
			one.share = op.Share * float64(steps-k) / float64(steps)
			if k < steps {
				g.happened("operator", subject, op.Name+" steps back", fmt.Sprintf("%g %% refused", percent(one.share)), false)
				return
			}
			for _, d := range doors {
				*d = without(*d, one)
			}
			g.happened("operator", subject, op.Name+" ends", "", true)
		})
	}
}

// doors are those of the fleets that call the service themselves, or of all
// fleets if none does or none is named.
func (g *Graph) doors(service int) (doors []*[]*shed, subject string) {
	for _, f := range g.fleets {
		if service >= 0 && f.owner.asks(service) {
			doors = append(doors, &f.sheds)
			subject = "callers." + f.name
		}
	}
	if len(doors) == 0 {
		for _, f := range g.fleets {
			doors = append(doors, &f.sheds)
			subject = "callers." + f.name
		}
	}
	if len(doors) > 1 {
		subject = "callers"
	}
	return doors, subject
}

// asks reports whether the owner calls the service in its own steps.
func (o *owner) asks(service int) bool {
	for _, st := range o.steps {
		if st.Call == service {
			return true
		}
	}
	return false
}

func (g *Graph) pipelineSubject(op Operator) string {
	if op.Pipeline < 0 {
		return "pipelines"
	}
	return "pipelines." + g.pipelineNames[op.Pipeline]
}

func (g *Graph) switchRetries(op Operator, by int) {
	for _, p := range g.pipes {
		if p.pipeline >= 0 && (op.Pipeline < 0 || p.pipeline == op.Pipeline) {
			p.retriesOff += by
			p.fleet.SwitchRetries(p.retriesOff == 0)
		}
	}
}

// eachBreaker lets an operator's hand at every breaker of the pipelines.
func (g *Graph) eachBreaker(op Operator, act func(now patterns.Instant, b *breaker.Breaker, draw float64, log *[]breaker.Event)) {
	now := g.now()
	var log []breaker.Event
	for _, p := range g.pipes {
		if p.pipeline < 0 || (op.Pipeline >= 0 && p.pipeline != op.Pipeline) {
			continue
		}
		for i := range p.fleet.Len() {
			all := p.fleet.Breakers(i)
			for k := range all {
				draw := g.openDraw(p, uint64(i), uint64(forcedStage+k), uint64(all[k].Openings()))
				act(patterns.Instant(now), &all[k], draw, &log)
			}
			for _, e := range log {
				g.breakerChanged(p.owner, i, e)
			}
			log = log[:0]
		}
	}
}

// forcedStage sets the draws of forced openings apart from all stages'.
const forcedStage = 128

func (g *Graph) forceOne(to breaker.State) func(patterns.Instant, *breaker.Breaker, float64, *[]breaker.Event) {
	return func(now patterns.Instant, b *breaker.Breaker, draw float64, log *[]breaker.Event) {
		b.Force(now, to, draw, log)
	}
}

func resetOne(now patterns.Instant, b *breaker.Breaker, _ float64, log *[]breaker.Event) {
	b.Reset(now, log)
}
