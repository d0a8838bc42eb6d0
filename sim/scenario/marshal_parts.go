package scenario

import (
	"strconv"
)

func (w *yamlWriter) services() {
	w.line(0, "services:")
	for _, s := range w.sc.Services {
		w.line(1, "%s:", s.Name)
		w.line(2, "instances: %d", s.Instances)
		w.line(2, "workers: %s", workersText(s.Workers))
		w.steps(s.Do)
		w.queue(&s.Queue)
		w.abilities(&s)
		w.balancing(&s)
		w.line(2, "abandoned: %s", s.Abandoned)
		w.line(2, "errors: %s", exactly(s.ErrorShare))
		if c := s.Crash; c != nil {
			w.line(2, "crash: {whenQueueAbove: %d, restart: %s}", c.QueueAbove, c.Restart)
		}
		if c := s.ColdStart; c != nil {
			w.line(2, "coldStart: {from: %s, for: %s}", exactly(c.From), c.For)
		}
	}
}

func (w *yamlWriter) links() {
	if len(w.sc.Links) == 0 {
		return
	}
	w.line(0, "links:")
	for _, l := range w.sc.Links {
		var p pairs
		p.add("from", l.From)
		p.add("to", w.service(l.To))
		if l.Latency != nil {
			p.add("latency", lawText(l.Latency))
		}
		if l.Loss > 0 {
			p.float("loss", l.Loss)
		}
		w.line(1, "- %s", p)
	}
}

func (w *yamlWriter) faults() {
	if len(w.sc.Faults) == 0 {
		return
	}
	w.line(0, "faults:")
	for _, f := range w.sc.Faults {
		var p, k pairs
		p.span("at", f.At)
		p.span("for", f.For)
		p.add("name", strconv.Quote(f.Name))
		p.float("instances", f.Instances)
		if f.RampIn+f.RampOut > 0 {
			p.span("rampIn", f.RampIn)
			p.span("rampOut", f.RampOut)
		}
		k.add("service", w.service(f.Service))
		switch f.Kind {
		case Latency:
			k.float("times", f.Times)
			k.span("plus", f.Plus)
		case Errors, Capacity:
			k.float("share", f.Share)
		case LyingCheck:
			k.add("says", map[bool]string{true: "healthy", false: "unhealthy"}[f.Healthy])
		case Flush:
			k.add("cache", w.sc.Caches[f.Cache].Name)
		case CrashDown:
			k.span("restart", f.Restart)
		case Partition:
			k.add("callers", w.fleet(f.CallersTo))
			k.add("loses", string(f.Loses))
			k.add("how", string(f.How))
		case RandomDown:
			k.span("meanTimeToFailure", f.Breakdowns.MeanUp)
			k.span("meanTimeToRepair", f.Breakdowns.MeanDown)
			k.add("how", string(f.Breakdowns.How))
		case Surge:
			k.add("callers", w.fleet(f.Fleet))
			if f.RatePerSec > 0 {
				k.add("rate", exactly(f.RatePerSec)+"/s")
			} else {
				k.float("times", f.Times)
			}
		}
		p.add(string(f.Kind), k.String())
		w.line(1, "- %s", p)
	}
}

func (w *yamlWriter) operators() {
	if len(w.sc.Operators) == 0 {
		return
	}
	w.line(0, "operators:")
	for _, o := range w.sc.Operators {
		var p, k pairs
		p.span("at", o.At)
		p.add("name", strconv.Quote(o.Name))
		k.add("service", w.service(o.Service))
		k.add("pipeline", w.pipeline(o.Pipeline))
		switch o.Kind {
		case ScaleOut:
			k.add("instances", strconv.Itoa(o.Instances))
			k.span("startup", o.Startup)
		case RollBack:
			k.add("fault", strconv.Quote(o.Fault))
		case RestartService:
			k.span("downtime", o.Downtime)
		case Shed:
			k.add("what", string(o.What))
			k.float("share", o.Share)
			k.span("for", o.For)
			k.span("ramp", o.Ramp)
			k.add("steps", strconv.Itoa(o.Steps))
		case ForceBreaker:
			k.add("force", o.Force.String())
		}
		if held := o.Kind == ForceBreaker || o.Kind == RetriesOff; held && o.For > 0 {
			k.span("for", o.For)
		}
		p.add(string(o.Kind), k.String())
		w.line(1, "- %s", p)
	}
}

func (w *yamlWriter) claims(key string, list []Expectation) {
	if len(list) == 0 {
		return
	}
	w.line(0, "%s:", key)
	for _, e := range list {
		w.line(1, "- %s", strconv.Quote(e.Text))
	}
}
