package scenario

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/health"
	"github.com/resilsim/resilsim/patterns/outlier"
)

func (b *builder) balancing(v *value) (out Balancing) {
	if l := v.get("loadBalancer"); l != nil {
		out.LoadBalancer = b.loadBalancer(l)
	}
	if l := v.get("liveness"); l != nil {
		out.Liveness = &Liveness{Kind: kindOf(l), Failures: l.count("failureThreshold", 3), Restart: l.duration("restart", 10*time.Second)}
		out.Liveness.Interval, out.Liveness.Timeout, out.Liveness.Readiness = b.check(l, out.Liveness.Kind)
	}
	if k := v.get("broker"); k != nil {
		out.Broker = &Broker{Deliveries: k.count("deliveries", 5), RedeliverAfter: k.duration("redeliverAfter", time.Second)}
	}
	if k := v.get("autoscale"); k != nil {
		out.Autoscale = b.autoscale(v, k)
	}
	return out
}

func (b *builder) autoscale(service, v *value) *Autoscale {
	a := &Autoscale{
		Min: v.count("min", 1), Max: v.count("max", 1), Target: v.number("targetUtilisation", 0.6), Tolerance: v.number("tolerance", 0.1),
		Interval: v.duration("interval", 15*time.Second), StartupDelay: v.duration("startupDelay", time.Minute),
		ScaleDownStabilisation: v.duration("scaleDownStabilisation", 5*time.Minute),
	}
	n := service.count("instances", 1)
	switch {
	case v.broken:
	case a.Min > a.Max:
		b.fs.fault(v.at("min"), join(v.path, "min"), "", "'min' is %d, above 'max', %d", a.Min, a.Max)
	case n < a.Min || n > a.Max:
		b.fs.fault(v.node.pos, v.path, "", "the service begins with %d instances, which are not from %d to %d", n, a.Min, a.Max)
	}
	if w := service.get("workers"); w != nil && w.word != "" {
		b.fs.fault(v.node.pos, v.path, "", "'autoscale' goes by the utilisation of workers, and this service has unlimited ones")
	}
	return a
}

// brokerSense faults what a broker does not go together with.
func (b *builder) brokerSense(s *Service, v *value) {
	k := v.get("broker")
	if k == nil {
		return
	}
	for _, key := range []string{"asynchronous", "cores", "scalability", "memory", "admission", "crash"} {
		if v.get(key) != nil {
			b.fs.fault(v.at(key), join(v.path, key), "", "a service with 'broker' has no '%s'", key)
		}
	}
	if q := v.get("queue"); q != nil && s.Queue.Discipline != FIFO && s.Queue.Discipline != LIFO || s.Queue.Looks() || s.Queue.CoDel != nil {
		b.fs.fault(v.at("queue"), join(v.path, "queue"), "", "the queue of a 'broker' is a plain one: fifo or lifo with a limit")
	}
}

func (b *builder) loadBalancer(v *value) *LoadBalancer {
	l := &LoadBalancer{Policy: Picking(v.text("policy", string(RoundRobin))), Choices: v.count("choices", 2)}
	if v.get("choices") != nil && l.Policy != RandomChoices {
		b.fs.fault(v.at("choices"), join(v.path, "choices"), "", "'choices' belongs to policy: random_choices")
	}
	if o := v.get("outlierDetection"); o != nil {
		c := outlier.Defaults()
		fill(&c, o)
		l.Outlier, l.PanicThreshold = &c, c.PanicThreshold
		b.judge(o, c.Validate())
	}
	if p := v.get("panicThreshold"); p != nil {
		l.PanicThreshold = patterns.PercentOf(p.num)
		if l.Outlier != nil {
			l.Outlier.PanicThreshold = l.PanicThreshold
		}
	}
	if c := v.get("healthCheck"); c != nil {
		l.HealthCheck = &HealthCheck{Kind: kindOf(c), Unhealthy: c.count("unhealthyThreshold", 3), Healthy: c.count("healthyThreshold", 1)}
		l.HealthCheck.Interval, l.HealthCheck.Timeout, l.HealthCheck.Readiness = b.check(c, l.HealthCheck.Kind)
	}
	if p := v.get("panicThreshold"); p != nil && l.Outlier == nil && l.HealthCheck == nil {
		b.fs.fault(v.at("panicThreshold"), join(v.path, "panicThreshold"), "", "'panicThreshold' has no effect: neither 'healthCheck' nor 'outlierDetection' takes instances out of use")
	}
	return l
}

func kindOf(v *value) CheckKind { return CheckKind(v.text("kind", string(Shallow))) }

// check reads what all checks have.
func (b *builder) check(v *value, kind CheckKind) (interval, timeout time.Duration, ready health.Config) {
	if kind == Pool {
		ready = health.Defaults()
		// Shedding is not counted at a check.
		ready.ShedThreshold, ready.ShedWindow, ready.MinimumNumberOfCalls, ready.RecoveryShed = 0, 0, 0, 0
		if r := v.get("readiness"); r != nil {
			fill(&ready, r)
			b.judge(r, ready.Validate())
		}
	}
	b.onlyFor(v, "readiness", kind, Pool)
	b.onlyFor(v, "timeout", kind, Deep)
	return v.duration("interval", 10*time.Second), v.duration("timeout", time.Second), ready
}

func (b *builder) onlyFor(v *value, key string, kind, need CheckKind) {
	if v.get(key) != nil && kind != need {
		b.fs.fault(v.at(key), join(v.path, key), "", "'%s' belongs to kind: %s", key, need)
	}
}
