package world

import (
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/sim/engine"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// graphConfig says in the models' words what the scenario tells.
func graphConfig(sc *scenario.Scenario, seed uint64) models.Config {
	cfg := models.Config{Seed: engine.Seed(seed)}
	for i := range sc.Callers {
		cfg.Fleets = append(cfg.Fleets, fleetOf(&sc.Callers[i]))
	}
	for i := range sc.Pipelines {
		cfg.Pipelines = append(cfg.Pipelines, pipelineOf(&sc.Pipelines[i]))
	}
	for i := range sc.Services {
		s := serviceOf(&sc.Services[i])
		s.Most = mostOf(sc, i)
		cfg.Services = append(cfg.Services, s)
	}
	for _, c := range sc.Caches {
		cfg.Caches = append(cfg.Caches, models.CacheConfig{Name: c.Name, Local: c.Local, TTL: c.TTL, Capacity: c.Capacity, FIFO: c.FIFO,
			Hit: c.Hit, Coalesce: c.Coalesce, Stale: c.StaleWhileRevalidate, Early: c.EarlyRefresh})
	}
	for _, l := range sc.Links {
		fleet, service := callerNamed(sc, l.From)
		cfg.Links = append(cfg.Links, models.LinkConfig{FromFleet: fleet, FromService: service, To: l.To, Latency: l.Latency, Loss: l.Loss})
	}
	return cfg
}

// callerNamed finds a fleet or a service by name; the empty name is everybody.
func callerNamed(sc *scenario.Scenario, name string) (fleet, service int) {
	for i := range sc.Callers {
		if name != "" && sc.Callers[i].Name == name {
			return i, -1
		}
	}
	for i := range sc.Services {
		if name != "" && sc.Services[i].Name == name {
			return -1, i
		}
	}
	return -1, -1
}

func fleetOf(f *scenario.Fleet) models.FleetConfig {
	out := models.FleetConfig{Name: f.Name, Instances: f.Instances, Do: steps(f.Do)}
	for _, p := range f.Arrivals.Curve {
		out.Curve = append(out.Curve, models.RatePoint{At: p.At, Rate: p.Rate, Ramp: p.Ramp})
	}
	callerOf(&out, f)
	return out
}

func steps(do []scenario.Step) []models.Step {
	var out []models.Step
	for _, s := range do {
		out = append(out, models.Step{Work: s.Work, Call: s.Call, Through: s.Through, Probability: s.Probability, Cache: s.Cache,
			Group: s.Group, Times: s.Times, Need: s.Need})
	}
	return out
}

func pipelineOf(p *scenario.Pipeline) models.PipelineConfig {
	out := models.PipelineConfig{Name: p.Name, Shared: p.Shared, Ladders: make([][]models.Rung, len(p.Policies))}
	for i, pol := range p.Policies {
		out.Uncooperative = out.Uncooperative || pol.Uncooperative
		stage := pipeline.Policy{Retry: pol.Retry, CircuitBreaker: pol.CircuitBreaker, Bulkhead: pol.Bulkhead, Timeout: pol.Timeout,
			RateLimiter: pol.RateLimiter, AdaptiveLimit: pol.AdaptiveLimit, Throttle: pol.Throttle,
			Hedge: pol.Hedge, QueuedBulkhead: pol.QueuedBulkhead, ThreadPoolBulkhead: pol.ThreadPoolBulkhead}
		if pol.Fallback != nil {
			stage.Fallback = &fallback.Config{}
			for _, s := range pol.Fallback.Steps {
				stage.Fallback.Steps = append(stage.Fallback.Steps, s.Name)
				out.Ladders[i] = append(out.Ladders[i], models.Rung{Takes: s.Takes, Call: s.Call, Through: s.Through})
			}
		}
		out.Policies = append(out.Policies, stage)
	}
	return out
}

func serviceOf(s *scenario.Service) models.ServiceConfig {
	out := models.ServiceConfig{
		Name: s.Name, Instances: s.Instances, Workers: s.Workers, Do: steps(s.Do),
		QueueLimit: s.Queue.Limit, LIFO: s.Queue.Discipline == scenario.LIFO,
		ErrorShare: s.ErrorShare, CrashAbove: -1,
	}
	switch s.Abandoned {
	case scenario.Skip:
		out.Abandoned = models.Skip
	case scenario.Cancel:
		out.Abandoned = models.Cancel
	}
	if s.Crash != nil {
		out.CrashAbove, out.CrashRestart = s.Crash.QueueAbove, s.Crash.Restart
	}
	if s.ColdStart != nil {
		out.ColdFrom, out.ColdFor = s.ColdStart.From, s.ColdStart.For
	}
	queueOf(&out, &s.Queue)
	abilitiesOf(&out, s)
	balancerOf(&out, &s.Balancing)
	return out
}

// faultOf fills in what a kind leaves unsaid: a latency fault that only adds
// multiplies by 1, a crash lasts as long as its restart.
func faultOf(f *scenario.Fault) models.Fault {
	out := models.Fault{
		Name: f.Name, At: f.At, For: f.For, Service: f.Service, Fleet: f.Fleet, Share: f.Instances,
		Times: f.Times, Plus: f.Plus, Part: f.Share, Rate: f.RatePerSec, Notice: f.How == scenario.Refused,
		RampIn: f.RampIn, RampOut: f.RampOut, Healthy: f.Healthy,
	}
	if out.Name == "" {
		out.Name = string(f.Kind)
	}
	switch f.Kind {
	case scenario.Latency:
		out.Kind = models.Slow
		if out.Times == 0 {
			out.Times = 1
		}
	case scenario.Errors:
		out.Kind = models.Errors
	case scenario.Capacity:
		out.Kind = models.Capacity
	case scenario.Freeze:
		out.Kind = models.Freeze
	case scenario.CrashDown:
		out.Kind = models.Crash
		if f.Restart > 0 {
			out.For = f.Restart
		}
	case scenario.Partition:
		out.Kind, out.Fleet = models.Partition, f.CallersTo
		out.Cuts = cuts(f.Loses)
	case scenario.LyingCheck:
		out.Kind = models.LyingCheck
	case scenario.Flush:
		out.Kind, out.Cache = models.Flush, f.Cache
	case scenario.RandomDown:
		out.Kind = models.Breakdown
		out.Breakdowns = models.BreakdownConfig{MeanUp: f.Breakdowns.MeanUp, MeanDown: f.Breakdowns.MeanDown, Frozen: f.Breakdowns.How == scenario.Freezing}
	case scenario.Surge:
		out.Kind = models.Surge
	}
	return out
}

func cuts(l scenario.Loses) models.Cuts {
	switch l {
	case scenario.Requests:
		return models.Requests
	case scenario.Responses:
		return models.Responses
	}
	return models.Both
}

func operatorOf(o *scenario.Operator) models.Operator {
	out := models.Operator{
		Name: o.Name, At: o.At, For: o.For, Service: o.Service, Pipeline: o.Pipeline,
		Downtime: o.Downtime, Share: o.Share, Ramp: o.Ramp, Steps: o.Steps, Force: o.Force,
	}
	if out.Name == "" {
		out.Name = string(o.Kind)
	}
	switch o.Kind {
	case scenario.RestartService:
		out.Kind = models.Restart
	case scenario.Shed:
		out.Kind = models.ShedRequests
		if o.What == scenario.ShedAttempts {
			out.Kind = models.ShedAttempts
		}
	case scenario.Purge:
		out.Kind = models.Purge
	case scenario.ForceBreaker:
		out.Kind = models.ForceBreaker
	case scenario.RetriesOff:
		out.Kind = models.RetriesOff
	case scenario.ScaleOut:
		out.Kind, out.Instances, out.Startup = models.ScaleOut, o.Instances, o.Startup
	case scenario.RollBack:
		out.Kind, out.Fault = models.RollBack, o.Fault
	}
	return out
}
