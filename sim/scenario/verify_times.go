package scenario

import "time"

// instants refuses what would begin after the run is over.
func (b *builder) instants() {
	end := b.sc.Duration
	late := func(v *value, at time.Duration, what string) {
		if at >= end {
			b.fs.fault(v.at("at"), join(v.path, "at"), "", "%s begins at %s, but the run ends at %s", what, span2text(at), span2text(end))
		}
	}
	for i, f := range b.sc.Faults {
		v := b.root.list("faults")[i]
		late(v, f.At, "the fault")
		if f.At < end && f.end() > end {
			b.fs.warn(v.at("for"), v.path, "", "the fault lasts until %s, beyond the end of the run at %s", span2text(f.end()), span2text(end))
		}
	}
	for i, o := range b.sc.Operators {
		late(b.root.list("operators")[i], o.At, "the action")
	}
	for i, f := range b.sc.Callers {
		rates := b.rates(i)
		if rates == nil || rates.node.kind != listNode || len(f.Sources.Bursts) > 0 {
			continue
		}
		for j, p := range f.Arrivals.Curve {
			late(rates.items[j], p.At, "the point")
		}
	}
	if v := b.root.get("interval"); v != nil {
		switch n := int64(end / max(b.sc.Interval, 1)); {
		case b.sc.Interval > end:
			b.fs.fault(v.node.pos, "interval", "", "an interval of %s is longer than the run of %s", span2text(b.sc.Interval), span2text(end))
		case n > MaxIntervals:
			b.fs.fault(v.node.pos, "interval", "", "an interval of %s gives %d intervals; at most %d are recorded", span2text(b.sc.Interval), n, MaxIntervals)
		}
	}
}

// rates is the curve of a fleet as it was read, or nil.
func (b *builder) rates(fleet int) *value {
	_, v := b.root.get("callers").fields[fleet].get("arrivals").chosen(arrivalsTable)
	return v
}

// overlaps refuses two faults of one kind at one place at one time: which of
// the two would hold is not defined.
func (b *builder) overlaps() {
	for i, f := range b.sc.Faults {
		for j, g := range b.sc.Faults[:i] {
			same := f.Kind == g.Kind && f.Service == g.Service && f.Fleet == g.Fleet && f.CallersTo == g.CallersTo
			if !same || f.Kind == "" || (f.Service < 0 && f.Fleet < 0) || f.At >= g.end() || g.At >= f.end() {
				continue
			}
			v := b.root.list("faults")[i]
			b.fs.fault(v.node.pos, v.path, "", "this %s overlaps faults[%d], which lasts from %s to %s", f.Kind, j, span2text(g.At), span2text(g.end()))
		}
	}
}

// forced refuses to force breakers that another action still holds: which of the
// two would hold, and when they are closed again, is not defined.
func (b *builder) forced() {
	for i, o := range b.sc.Operators {
		for j, p := range b.sc.Operators[:i] {
			both := o.Kind == ForceBreaker && p.Kind == ForceBreaker
			same := o.Pipeline < 0 || p.Pipeline < 0 || o.Pipeline == p.Pipeline
			if !both || !same || o.At >= b.released(p) || p.At >= b.released(o) {
				continue
			}
			v := b.root.list("operators")[i]
			b.fs.fault(v.node.pos, v.path, "", "these breakers are held by operators[%d] from %s to %s", j, span2text(p.At), span2text(b.released(p)))
		}
	}
}

// released is when an action lets the breakers go.
func (b *builder) released(o Operator) time.Duration {
	if o.For == 0 {
		return b.sc.Duration
	}
	return o.At + o.For
}

// actions refuses what would find nothing to act on.
func (b *builder) actions() {
	for i, o := range b.sc.Operators {
		v := b.root.list("operators")[i]
		kind, k := v.chosen(operatorTable)
		switch {
		case k == nil || k.broken:
		case o.Kind == ForceBreaker && !b.has(o.Pipeline, func(p Policy) bool { return p.CircuitBreaker != nil }):
			b.fs.fault(v.at(kind), join(v.path, kind), "", "there is no circuit breaker to force%s", b.inPipeline(o.Pipeline))
		case o.Kind == RetriesOff && !b.has(o.Pipeline, func(p Policy) bool { return p.Retry != nil }):
			b.fs.fault(v.at(kind), join(v.path, kind), "", "there is no retry to switch off%s", b.inPipeline(o.Pipeline))
		}
	}
}

func (b *builder) inPipeline(i int) string {
	if i < 0 {
		return ""
	}
	return " in the pipeline '" + b.sc.Pipelines[i].Name + "'"
}

// has reports whether a pipeline (-1: any) has a policy.
func (b *builder) has(pipeline int, is func(Policy) bool) bool {
	for i, p := range b.sc.Pipelines {
		if pipeline >= 0 && i != pipeline {
			continue
		}
		for _, policy := range p.Policies {
			if is(policy) {
				return true
			}
		}
	}
	return false
}
