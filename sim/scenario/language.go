package scenario

// language is the table of everything a scenario may say.
var language = top()

func top() *shape {
	step := stepShape()
	claim := &shape{kind: claimShape, name: "a claim", example: "amplification max during [7m, 30m] >= 4.5"}
	return &shape{kind: mappingShape, name: "a scenario", title: "Scenario", about: "One story: who calls whom, what breaks, what is done about it, and what must come of it.", keys: []key{
		{name: "version", shape: count(1, 1), need: true, meaning: "version of the scenario language"},
		{name: "scenario", shape: name(), need: true, meaning: "name of the scenario: letters, digits, '-' and '_'"},
		{name: "about", shape: text("a text", "A 90 s blip between two regions."), meaning: "one sentence for a reader"},
		{name: "origin", shape: originShape(), meaning: "written into a resolved scenario: what it was made from; changes nothing"},
		{name: "duration", shape: positiveDuration(), need: true, meaning: "length of the run in virtual time"},
		{name: "seed", shape: count(0, 1<<64), dflt: "1", meaning: "seed of every random draw"},
		{name: "interval", shape: span(0.001, maxSpanS), dflt: "a round step that gives at most 3600 intervals, at least 1s (100ms for runs under 2m)", meaning: "width of an interval of the recorded series"},
		{name: "recovery", shape: recoveryShape(), meaning: "when a run counts as recovered"},
		{name: "callers", shape: namedOf(fleetShape(step)), need: true, meaning: "fleets of identical callers, by name"},
		{name: "pipelines", shape: namedOf(pipelineShape()), meaning: "ordered lists of policies that calls go through, by name"},
		{name: "services", shape: namedOf(serviceShape(step)), need: true, meaning: "services that are called, by name"},
		{name: "caches", shape: namedOf(cacheShape()), meaning: "caches that handlers look into before they call, by name"},
		{name: "links", shape: listOf(linkShape(), 0), meaning: "ways between callers and services; without one a message takes no time"},
		{name: "faults", shape: listOf(faultShape(), 0), meaning: "what goes wrong, and when"},
		{name: "operators", shape: listOf(operatorShape(), 0), meaning: "what the on-call engineer does, and when"},
		{name: "steadyState", shape: listOf(claim, 0), meaning: "claims that must hold before the first fault, or the run is refused"},
		{name: "expect", shape: listOf(claim, 0), meaning: "what the story claims; a claim that fails ends the command with status 99"},
	}}
}

func name() *shape {
	s := text("a name", "retry-storm")
	s.named = true
	return s
}

// sibling is the table of a scenario that extends another.
var sibling = siblingShape()

func siblingShape() *shape {
	s := &shape{kind: mappingShape, name: "a scenario that extends another", title: "Sibling", about: "A scenario that differs from another one in the settings named under `set`. What it does not say is as there; `expect` and `steadyState` replace the other's."}
	for _, k := range language.keys {
		switch k.name {
		case "version", "scenario", "about", "duration", "steadyState", "expect":
			if k.name == "duration" {
				k.need = false
			}
			s.keys = append(s.keys, k)
		}
	}
	set := &shape{kind: anyShape, name: "a mapping from paths to values"}
	s.keys = append(s.keys,
		key{name: "extends", shape: text("the name of a scenario", "metastable-retry-storm"), need: true, meaning: "name of the scenario this one differs from"},
		key{name: "set", shape: set, meaning: "path: value for each setting that differs; null takes a setting away"})
	return s
}

func originShape() *shape {
	return &shape{kind: mappingShape, name: "an origin", title: "Origin", about: "Where a resolved scenario came from.", keys: []key{
		{name: "extends", shape: text("the name of a scenario", "metastable-retry-storm"), meaning: "name of the scenario that was extended"},
		{name: "differs", shape: listOf(text("a text", "duration: 20m"), 0), meaning: "what was set by a sibling and on the command line, as 'path: value'"},
		{name: "changed", shape: listOf(text("a text", "duration=20m"), 0), meaning: "those of them that --set made, as 'path=value'"},
	}}
}

func recoveryShape() *shape {
	return &shape{kind: mappingShape, name: "a recovery rule", title: "Recovery", about: "The recovery instant is the first instant after the last fault from which goodput is at least `share` of offered load for `for`.", keys: []key{
		{name: "share", shape: positiveShare(), dflt: "95%", meaning: "share of the offered load that goodput must reach"},
		{name: "for", shape: positiveDuration(), dflt: "30s", meaning: "how long it must stay there"},
	}}
}

func fleetShape(step *shape) *shape {
	return &shape{kind: mappingShape, name: "a fleet of callers", title: "Callers", about: "N identical callers, each with its own breakers, budgets and jitter.", keys: append([]key{
		{name: "instances", shape: count(1, 1e7), dflt: "1", meaning: "number of callers in the fleet"},
		{name: "arrivals", shape: arrivalsShape(), need: true, meaning: "load of the whole fleet"},
		{name: "do", shape: listOf(step, 1), need: true, meaning: "what each request does, in order"},
	}, callerKeys()...)}
}

func arrivalsShape() *shape {
	point := &shape{kind: mappingShape, name: "a point of a rate curve", title: "Rate point", about: "The rate from an instant on. The first point is at 0s.", keys: []key{
		{name: "at", shape: duration(), need: true, meaning: "instant since the run began"},
		{name: "rate", shape: rate(), need: true, meaning: "rate of the whole fleet from then on"},
		{name: "ramp", shape: duration(), dflt: "0s", meaning: "time in which the rate is reached, linearly"},
	}}
	curve := func() *shape {
		return union("a rate, a list of points, or a mapping", rate(), listOf(point, 1), curveShape(point))
	}
	return &shape{kind: mappingShape, name: "arrivals", title: "Arrivals", about: "How requests arrive. The rate is that of the whole fleet: `800/s`, `50/m`, `10/h`, or a list of points.", keys: append([]key{
		{name: "poisson", shape: curve(), choice: true, meaning: "independent arrivals: exponential gaps"},
		{name: "uniform", shape: curve(), choice: true, meaning: "a fixed gap between arrivals"},
	}, sourceKeys()...)}
}

func stepShape() *shape {
	return parallelStep(&shape{kind: mappingShape, name: "a step", title: "Step", about: "One thing that a request or a handler does. Steps run one after the other; a service's worker is held all the while.", keys: []key{
		{name: "work", shape: distShape(), choice: true, meaning: "time that is spent working"},
		{name: "call", shape: ref("services"), choice: true, meaning: "service that is called; the step ends when it has answered"},
		{name: "through", shape: ref("pipelines"), meaning: "pipeline that the call goes through; without one it is a bare call"},
		{name: "cache", shape: ref("caches"), dflt: "none", meaning: "cache that is looked into before the call is made; only in a service"},
		{name: "probability", shape: share(), dflt: "100%", meaning: "how often the step is done at all"},
	}})
}

func distShape() *shape {
	lognormal := &shape{kind: mappingShape, name: "a lognormal law", title: "Lognormal", about: "Either `p50` and `p99`, or `mean` and `scv`.", keys: []key{
		{name: "p50", shape: positiveDuration(), meaning: "median"},
		{name: "p99", shape: positiveDuration(), meaning: "99th percentile, above the median"},
		{name: "mean", shape: positiveDuration(), meaning: "mean"},
		{name: "scv", shape: &shape{kind: numberShape, name: "a number", lo: 0, hi: 1e4, above: true, example: "4"}, meaning: "squared coefficient of variation: variance over mean squared"},
	}}
	uniform := &shape{kind: mappingShape, name: "a uniform law", title: "Uniform", about: "Any time from `min` to `max`, all equally likely.", keys: []key{
		{name: "min", shape: duration(), need: true, meaning: "shortest time"},
		{name: "max", shape: positiveDuration(), need: true, meaning: "longest time"},
	}}
	erlang := &shape{kind: mappingShape, name: "an Erlang law", title: "Erlang", about: "The sum of `k` exponential stages: squared coefficient of variation 1/k.", keys: []key{
		{name: "k", shape: count(1, 100), need: true, meaning: "number of stages"},
		{name: "mean", shape: positiveDuration(), need: true, meaning: "mean of the sum"},
	}}
	hyper := &shape{kind: mappingShape, name: "a hyperexponential law", title: "Hyperexponential", about: "A mixture of two exponentials: more variable than exponential.", keys: []key{
		{name: "mean", shape: positiveDuration(), need: true, meaning: "mean"},
		{name: "scv", shape: &shape{kind: numberShape, name: "a number", lo: 1, hi: 1e4, above: true, example: "4"}, need: true, meaning: "squared coefficient of variation, above 1"},
	}}
	laws := &shape{kind: mappingShape, name: "a time law", title: "Time law", about: "How long something takes: a bare duration (`50ms`, always the same), or one of these.", keys: []key{
		{name: "constant", shape: duration(), choice: true, meaning: "always the same"},
		{name: "exponential", shape: positiveDuration(), choice: true, meaning: "exponential with this mean"},
		{name: "uniform", shape: uniform, choice: true, meaning: "uniform between two bounds"},
		{name: "lognormal", shape: lognormal, choice: true, meaning: "lognormal, the usual shape of service times"},
		{name: "erlang", shape: erlang, choice: true, meaning: "Erlang, more regular than exponential"},
		{name: "hyperexponential", shape: hyper, choice: true, meaning: "hyperexponential, less regular than exponential"},
	}}
	u := union("a time: a duration or a law", duration(), laws)
	u.lift = "constant"
	laws.keys = append(laws.keys, foundLaws(u)...)
	return u
}
