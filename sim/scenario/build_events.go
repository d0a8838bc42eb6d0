package scenario

import (
	"time"

	"github.com/resilsim/resilsim/patterns/breaker"
)

var (
	faultTable    = faultShape()
	operatorTable = operatorShape()
)

func (b *builder) fault(v *value) Fault {
	kind, k := v.chosen(faultTable)
	f := Fault{Kind: FaultKind(kind), Name: v.text("name", kind), At: v.duration("at", 0), For: v.duration("for", 0),
		Service: -1, Fleet: -1, CallersTo: -1, Instances: v.number("instances", 1), Times: 1}
	if k == nil {
		return f
	}
	b.ramps(&f, v, k)
	if k.get("instances") != nil {
		f.Instances = k.number("instances", 1)
		if v.get("instances") != nil {
			b.fs.fault(v.at("instances"), join(v.path, "instances"), "", "'instances' is given twice, here and inside '%s'", kind)
		}
	}
	f.Service = b.index(k, "service", "services")
	f.Times, f.Plus, f.Share = k.number("times", 1), k.duration("plus", 0), k.number("share", 0)
	switch f.Kind {
	case CrashDown:
		f.Restart = k.duration("restart", f.For)
		if v.get("for") == nil {
			f.For = f.Restart
		} else if f.For != f.Restart {
			b.fs.fault(v.at("for"), join(v.path, "for"), "leave one of them out", "the crash lasts %s here and restarts after %s there", span2text(f.For), span2text(f.Restart))
		}
	case Partition:
		f.Loses, f.How = Loses(k.text("loses", string(Both))), How(k.text("how", string(BlackHole)))
		f.CallersTo = b.index(k, "callers", "callers")
	case LyingCheck:
		f.Healthy = k.text("says", "healthy") == "healthy"
		b.checked(f.Service, k)
	case Flush:
		f.Cache = b.index(k, "cache", "caches")
	case RandomDown:
		f.Breakdowns = Breakdowns{MeanUp: k.duration("meanTimeToFailure", 0), MeanDown: k.duration("meanTimeToRepair", 0), How: How(k.text("how", string(Crashing)))}
	case Surge:
		f.Fleet, f.RatePerSec = b.index(k, "callers", "callers"), k.number("rate", 0)
		if k.get("rate") != nil && f.RatePerSec == 0 {
			f.Times = 0 // no load at all
		}
	case Latency:
		if k.get("times") == nil && k.get("plus") == nil && !k.broken {
			b.fs.fault(v.at(kind), k.path, "times: 3, or plus: 2s", "a latency fault needs 'times' or 'plus'")
		}
	}
	if f.For == 0 && !v.broken && !k.broken {
		b.fs.fault(v.node.pos, v.path, "for example for: 90s", "a fault needs the key 'for': how long it lasts")
	}
	return f
}

var forced = map[string]breaker.State{"open": breaker.Open, "closed": breaker.Closed, "forced_open": breaker.ForcedOpen,
	"disabled": breaker.Disabled, "metrics_only": breaker.MetricsOnly}

func (b *builder) operator(v *value) Operator {
	kind, k := v.chosen(operatorTable)
	o := Operator{Kind: OperatorKind(kind), Name: v.text("name", kind), At: v.duration("at", 0), Service: -1, Pipeline: -1}
	if k == nil {
		return o
	}
	o.For = k.duration("for", 0)
	o.Service = b.index(k, "service", "services")
	o.Pipeline = b.index(k, "pipeline", "pipelines")
	switch o.Kind {
	case RestartService:
		o.Downtime = k.duration("downtime", 0)
	case Shed:
		o.What, o.Share = What(k.text("what", string(ShedRequests))), k.number("share", 0)
		if o.What == ShedAttempts && k.get("service") == nil && !k.broken {
			b.fs.fault(v.at(kind), k.path, "", "attempts are refused at a service: 'shed' needs the key 'service'")
		}
		o.Ramp, o.Steps = k.duration("ramp", 0), k.count("steps", 12)
	case ScaleOut:
		o.Instances, o.Startup = k.count("instances", 1), k.duration("startup", time.Minute)
	case RollBack:
		o.Fault = k.text("fault", "")
		b.rollBack(o, k)
	case ForceBreaker:
		o.Force = forced[k.text("force", "open")]
	}
	return o
}

// end is when a fault is over.
func (f Fault) end() time.Duration { return f.At + f.For }

// rollBack ends the fault that an action names: it lasts until then.
func (b *builder) rollBack(o Operator, v *value) {
	var names []string
	for i := range b.sc.Faults {
		f := &b.sc.Faults[i]
		names = append(names, f.Name)
		if f.Name != o.Fault {
			continue
		}
		switch {
		case o.At <= f.At:
			b.fs.fault(v.at("fault"), join(v.path, "fault"), "", "'%s' begins at %s: there is nothing to take back at %s", clip(f.Name), f.At, o.At)
		case o.At < f.At+f.For:
			f.For, f.RampOut = o.At-f.At, 0
			f.Restart, f.RampIn = min(f.Restart, f.For), min(f.RampIn, f.For)
		}
		return
	}
	b.fs.fault(v.at("fault"), join(v.path, "fault"), meant(o.Fault, "there are", names), "there is no fault '%s'", clip(o.Fault))
}

// ramps reads how a fault comes and goes.
func (b *builder) ramps(f *Fault, v, k *value) {
	f.RampIn, f.RampOut = v.duration("rampIn", 0), v.duration("rampOut", 0)
	for _, key := range []string{"rampIn", "rampOut"} {
		if v.get(key) == nil || v.broken {
			continue
		}
		switch f.Kind {
		case Latency, Errors, Capacity:
			continue
		case Surge:
			if k.get("rate") == nil {
				continue
			}
		}
		b.fs.fault(v.at(key), join(v.path, key), "", "'%s' belongs to latency, errors, capacity, or a surge by times: this fault is there or not", key)
	}
	if f.For > 0 && f.RampIn+f.RampOut > f.For {
		b.fs.fault(v.node.pos, v.path, "", "'rampIn' and 'rampOut' are parts of 'for': together %s, above %s", span2text(f.RampIn+f.RampOut), span2text(f.For))
	}
}

// checked faults a lie where nobody asks.
func (b *builder) checked(service int, v *value) {
	if service < 0 || v.broken {
		return
	}
	if s := &b.sc.Services[service]; s.Liveness == nil && (s.LoadBalancer == nil || s.LoadBalancer.HealthCheck == nil) {
		b.fs.fault(v.at("service"), join(v.path, "service"), "", "service '%s' has neither a 'healthCheck' nor a 'liveness' that could lie", s.Name)
	}
}
