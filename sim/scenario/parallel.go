package scenario

import "strconv"

// parallelStep adds to a step what is done at one time.
func parallelStep(step *shape) *shape {
	one := &shape{kind: mappingShape, name: "a parallel call", title: "Parallel call", about: "One of the calls that a step makes at one time.", keys: []key{
		{name: "call", shape: ref("services"), need: true, meaning: "service that is called"},
		{name: "through", shape: ref("pipelines"), meaning: "pipeline that the call goes through; without one it is a bare call"},
		{name: "times", shape: count(1, 100_000), dflt: "1", meaning: "how many of this call are made"},
		{name: "probability", shape: share(), dflt: "100%", meaning: "how often the call is made at all"},
	}}
	step.keys = append(step.keys,
		key{name: "parallel", shape: listOf(one, 1), choice: true, meaning: "calls that are made at one time; the step ends when enough of them have succeeded, or too many failed"},
		key{name: "times", shape: count(1, 100_000), dflt: "1", meaning: "of a call: how many are made at one time (fan-out)"},
		key{name: "need", shape: count(1, 100_000), dflt: "all", meaning: "of parallel calls: how many have to succeed; the others are given up then"},
	)
	return step
}

func (b *builder) steps(list []*value) []Step {
	var steps []Step
	group := 0
	for _, v := range list {
		if p := v.get("parallel"); p != nil || v.get("times") != nil {
			group++
			steps = append(steps, b.parallel(v, p, group)...)
			continue
		}
		if v.get("need") != nil {
			b.fs.fault(v.at("need"), join(v.path, "need"), "", "'need' belongs to parallel calls")
		}
		s := Step{Call: b.index(v, "call", "services"), Through: b.index(v, "through", "pipelines"), Probability: v.number("probability", 1), Cache: b.cacheOf(v)}
		if w := v.get("work"); w != nil {
			s.Work = b.dist(w)
			if v.get("through") != nil {
				b.fs.fault(v.at("through"), join(v.path, "through"), "", "'through' belongs to a call; this step works")
			}
		}
		steps = append(steps, s)
	}
	return steps
}

// parallel reads calls that are made at one time: those of a list, or one many times.
func (b *builder) parallel(v, list *value, group int) []Step {
	calls := []*value{v}
	if list != nil {
		calls = list.items
		for _, key := range []string{"through", "times", "probability", "cache"} {
			if v.get(key) != nil {
				b.fs.fault(v.at(key), join(v.path, key), "put it beside each call", "'%s' belongs to a call; this step has several", key)
			}
		}
	} else {
		for _, key := range []string{"work", "cache"} {
			if v.get(key) != nil {
				b.fs.fault(v.at(key), join(v.path, key), "", "'times' belongs to a call without a cache")
			}
		}
	}
	var steps []Step
	total := 0
	for _, c := range calls {
		s := Step{Call: b.index(c, "call", "services"), Through: b.index(c, "through", "pipelines"), Probability: c.number("probability", 1),
			Group: group, Times: c.count("times", 1), Need: v.count("need", 0)}
		total += s.Times
		steps = append(steps, s)
	}
	if n := v.count("need", 0); n > total && !v.broken {
		b.fs.fault(v.at("need"), join(v.path, "need"), "", "'need' is %d, more than the number of calls, %d", n, total)
	}
	return steps
}

// parallel writes a group at its first step.
func (w *yamlWriter) parallel(do []Step, i int) {
	if i > 0 && do[i-1].Group == do[i].Group {
		return
	}
	w.line(3, "- parallel:")
	for _, s := range do[i:] {
		if s.Group != do[i].Group {
			break
		}
		var p pairs
		p.add("call", w.service(s.Call))
		p.add("through", w.pipeline(s.Through))
		p.add("times", strconv.Itoa(s.Times))
		p.float("probability", s.Probability)
		w.line(5, "- %s", p)
	}
	if n := do[i].Need; n > 0 {
		w.line(4, "need: %d", n)
	}
}
