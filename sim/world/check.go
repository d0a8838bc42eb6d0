package world

import (
	"errors"
	"fmt"

	"github.com/resilsim/resilsim/sim/scenario"
)

// check refuses what would break the models: a scenario made by hand has not
// been through the reader's checks.
func check(sc *scenario.Scenario) error {
	c := checker{sc: sc}
	for i := range sc.Callers {
		f := &sc.Callers[i]
		where := "callers." + f.Name
		c.need(f.Instances >= 1, where, "at least one instance")
		c.need(len(f.Arrivals.Curve) > 0 && f.Arrivals.Curve[0].At == 0, where, "arrivals with a first point at 0s")
		c.caller(where, f)
		c.steps(where, f.Do)
	}
	for i := range sc.Services {
		s := &sc.Services[i]
		where := "services." + s.Name
		c.need(s.Instances >= 1 && s.Workers >= 1, where, "at least one instance and one worker")
		c.abilities(where, s)
		c.steps(where, s.Do)
	}
	for i := range sc.Pipelines {
		c.ladders(&sc.Pipelines[i])
	}
	for i, l := range sc.Links {
		where := fmt.Sprintf("links[%d]", i)
		fleet, service := callerNamed(sc, l.From)
		c.need(l.From == "" || fleet >= 0 || service >= 0, where, "a known caller")
		c.need(c.service(l.To) && (l.Latency != nil || l.Loss > 0), where, "a service, and a latency or a loss")
	}
	c.triggers()
	return errors.Join(c.faults...)
}

type checker struct {
	sc     *scenario.Scenario
	faults []error
}

func (c *checker) need(ok bool, where, what string) {
	if !ok {
		c.faults = append(c.faults, fmt.Errorf("world: %s: needs %s", where, what))
	}
}

func (c *checker) service(i int) bool { return i >= 0 && i < len(c.sc.Services) }

func (c *checker) pipeline(i int) bool { return i >= -1 && i < len(c.sc.Pipelines) }

func (c *checker) steps(where string, do []scenario.Step) {
	for _, s := range do {
		if s.Call < 0 {
			c.need(s.Work != nil, where, "work or a call in each step")
		} else {
			c.need(c.service(s.Call) && c.pipeline(s.Through), where, "calls to known services through known pipelines")
		}
		c.need(s.Probability >= 0 && s.Probability <= 1, where, "probabilities in [0,1]")
	}
}

func (c *checker) ladders(p *scenario.Pipeline) {
	for _, pol := range p.Policies {
		if pol.Fallback == nil {
			continue
		}
		for _, s := range pol.Fallback.Steps {
			known := s.Call == -1 || (c.service(s.Call) && c.pipeline(s.Through))
			c.need(known, "pipelines."+p.Name, "fallback steps that call known services")
		}
	}
}

func (c *checker) triggers() {
	for i := range c.sc.Faults {
		f := &c.sc.Faults[i]
		where := fmt.Sprintf("faults[%d]", i)
		if f.Kind == scenario.Surge {
			c.need(f.Fleet >= 0 && f.Fleet < len(c.sc.Callers), where, "a known fleet")
		} else {
			c.need(c.service(f.Service), where, "a known service")
		}
		c.need(f.At >= 0 && f.For >= 0, where, "instants from 0 on")
		c.breakdowns(where, f)
	}
	for i := range c.sc.Operators {
		o := &c.sc.Operators[i]
		where := fmt.Sprintf("operators[%d]", i)
		switch o.Kind {
		case scenario.ForceBreaker, scenario.RetriesOff:
			c.need(c.pipeline(o.Pipeline), where, "a known pipeline")
		case scenario.Shed:
			anybody := o.Service == -1 && o.What != scenario.ShedAttempts
			c.need(anybody || c.service(o.Service), where, "a known service")
		default:
			c.need(c.service(o.Service), where, "a known service")
		}
		c.need(o.At >= 0, where, "instants from 0 on")
	}
}
