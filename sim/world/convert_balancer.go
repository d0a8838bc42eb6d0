package world

import (
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

var pickings = map[scenario.Picking]models.Picking{
	scenario.RoundRobin: models.RoundRobin, scenario.AtRandom: models.AtRandom,
	scenario.LeastRequests: models.LeastRequests, scenario.RandomChoices: models.RandomChoices,
}

var checkKinds = map[scenario.CheckKind]models.CheckKind{
	scenario.Shallow: models.ShallowCheck, scenario.Pool: models.PoolCheck,
	scenario.Deep: models.DeepCheck, scenario.BreakerCheck: models.BreakerCheck,
}

func balancerOf(out *models.ServiceConfig, b *scenario.Balancing) {
	if k := b.Broker; k != nil {
		out.Broker = &models.BrokerConfig{Deliveries: k.Deliveries, Redeliver: k.RedeliverAfter}
	}
	if a := b.Autoscale; a != nil {
		out.Scaler = &models.ScalerConfig{Min: a.Min, Max: a.Max, Target: a.Target, Tolerance: a.Tolerance,
			Interval: a.Interval, Startup: a.StartupDelay, Stabilisation: a.ScaleDownStabilisation}
	}
	if b.LoadBalancer == nil && b.Liveness == nil {
		return
	}
	c := &models.BalancerConfig{}
	if l := b.LoadBalancer; l != nil {
		c.Picking, c.Choices, c.Panic, c.Outlier = pickings[l.Policy], l.Choices, l.PanicThreshold, l.Outlier
		if h := l.HealthCheck; h != nil {
			c.Check = &models.CheckConfig{Kind: checkKinds[h.Kind], Interval: h.Interval, Timeout: h.Timeout,
				Unhealthy: h.Unhealthy, Healthy: h.Healthy, Readiness: h.Readiness}
		}
	}
	if l := b.Liveness; l != nil {
		c.Liveness = &models.LivenessConfig{Kind: checkKinds[l.Kind], Interval: l.Interval, Timeout: l.Timeout,
			Failures: l.Failures, Restart: l.Restart, Readiness: l.Readiness}
	}
	out.Balancer = c
}

// mostOf is how many instances operators may want of a service.
func mostOf(sc *scenario.Scenario, service int) int {
	n := 0
	for _, o := range sc.Operators {
		if o.Kind == scenario.ScaleOut && o.Service == service {
			n = max(n, o.Instances)
		}
	}
	return n
}
