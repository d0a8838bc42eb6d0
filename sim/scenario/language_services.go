package scenario

func serviceShape(step *shape) *shape {
	return &shape{kind: mappingShape, name: "a service", title: "Service", about: "Instances x workers, with a queue in front of each instance.", keys: append([]key{
		{name: "instances", shape: count(1, 1e6), dflt: "1", meaning: "number of instances"},
		{name: "workers", shape: workersShape(), need: true, meaning: "workers of each instance; a worker is held until its handler ends, waiting for a downstream included. `unlimited`: nobody waits for one"},
		{name: "do", shape: listOf(step, 1), need: true, meaning: "what the handler does, in order"},
		{name: "queue", shape: queueShape(), meaning: "queue in front of each instance"},
		{name: "abandoned", shape: oneWord("keep", "skip", "cancel"), dflt: "keep", meaning: "what happens to work whose caller has gone: keep serves it all the same (most real systems), skip drops it when it reaches a worker, cancel drops it at once"},
		{name: "errors", shape: share(), dflt: "0%", meaning: "share of handled requests that fail anyway"},
		{name: "crash", shape: crashShape(), dflt: "never", meaning: "an instance whose queue grows too long dies"},
		{name: "coldStart", shape: coldStartShape(), dflt: "full speed at once", meaning: "slow start after every start but the first"},
	}, append(abilityKeys(), balancingKeys()...)...)}
}

func queueShape() *shape {
	limit := &shape{kind: countShape, name: "a whole number or 'unbounded'", words: []string{"unbounded"}, lo: 0, hi: 1e9, example: "100"}
	return &shape{kind: mappingShape, name: "a queue", title: "Queue", about: "Requests that wait for a worker. With `maxWaitDuration`, `deadlines`, `adaptive_lifo` or `priority` it is the library's bulkhead that looks at its calls, with the workers for slots.", keys: append([]key{
		{name: "limit", shape: limit, dflt: "unbounded", meaning: "requests that may wait at each instance, those in service not counted"},
		{name: "discipline", shape: oneWord("fifo", "lifo", "random", "adaptive_lifo", "priority", "preemptive_priority"), dflt: "fifo", meaning: "who is served next: the oldest (fifo), the newest (lifo), anybody (random), the newest once the queue has not been empty for `interval` (adaptive_lifo), the oldest of the highest priority (priority; a full queue drops the newest of the lowest), or that one at once: work of lower priority is interrupted and goes on later (preemptive_priority)"},
	}, queueKeys()...)}
}

func crashShape() *shape {
	return &shape{kind: mappingShape, name: "a crash rule", title: "Crash", about: "An instance whose queue exceeds a bound dies: queue and work are lost, connections are refused until it is up again.", keys: []key{
		{name: "whenQueueAbove", shape: count(0, 1e9), need: true, meaning: "waiting requests that kill the instance when there are more"},
		{name: "restart", shape: duration(), need: true, meaning: "time until it is up again"},
	}}
}

func coldStartShape() *shape {
	return &shape{kind: mappingShape, name: "a cold start", title: "Cold start", about: "Service times are divided by a speed that rises linearly from `from` to 100 %.", keys: []key{
		{name: "from", shape: positiveShare(), need: true, meaning: "speed right after the start"},
		{name: "for", shape: duration(), need: true, meaning: "time until full speed"},
	}}
}

func linkShape() *shape {
	return &shape{kind: mappingShape, name: "a link", title: "Link", about: "The way to a service and back.", keys: []key{
		{name: "from", shape: ref("callers", "services"), dflt: "everybody", meaning: "fleet or service whose calls take this way"},
		{name: "to", shape: ref("services"), need: true, meaning: "service at the other end"},
		{name: "latency", shape: distShape(), dflt: "none", meaning: "time of one way, for the request and again for the response"},
		{name: "loss", shape: share(), dflt: "0%", meaning: "share of the messages that are lost, requests and responses alike: nobody hears of them"},
	}}
}

func faultShape() *shape {
	return &shape{kind: mappingShape, name: "a fault", title: "Fault", about: "Something that goes wrong: when, for how long, and exactly one kind.", keys: []key{
		{name: "at", shape: duration(), need: true, meaning: "instant at which it begins"},
		{name: "for", shape: positiveDuration(), meaning: "how long it lasts; must be given for all but a crash, where it is the restart time"},
		{name: "name", shape: text("a text", "the blip"), dflt: "the kind", meaning: "label in figures and timelines"},
		{name: "instances", shape: positiveShare(), dflt: "100%", meaning: "share of the instances that is hit, rounded up: the callers' for a partition, the service's own for the others"},
		{name: "rampIn", shape: duration(), dflt: "0s", meaning: "part of `for` in which it comes, in 20 equal steps; of latency, errors, capacity and a surge by times"},
		{name: "rampOut", shape: duration(), dflt: "0s", meaning: "part of `for` in which it goes"},
		{name: "latency", choice: true, meaning: "the service takes longer", shape: atService("a latency fault", "Latency fault", "The service takes longer: its service times are multiplied by `times` and lengthened by `plus`. Workers are held all the while, so it serves less too.",
			key{name: "times", shape: number(0, 1e6), meaning: "service times are multiplied by this"},
			key{name: "plus", shape: duration(), meaning: "this is added to each service time"})},
		{name: "errors", choice: true, meaning: "the service answers with errors", shape: atService("an errors fault", "Errors fault", "A share of the handled requests fails, after the full service time.",
			key{name: "share", shape: share(), need: true, meaning: "share of handled requests that fail"})},
		{name: "capacity", choice: true, meaning: "the service loses workers", shape: atService("a capacity fault", "Capacity fault", "The service loses workers: only a share of them takes work.",
			key{name: "share", shape: share(), need: true, meaning: "share of the workers that is left, of each instance, rounded"})},
		{name: "freeze", choice: true, meaning: "work in service is finished, nothing new starts, the queue stays", shape: atService("a freeze", "Freeze", "Work in service is finished, nothing new starts, the queue stays: it grows until the freeze is over.")},
		{name: "crash", choice: true, meaning: "queue and work are lost, connections are refused while it is down", shape: atService("a crash", "Crash fault", "Queue and work are lost, connections are refused while it is down, then it starts (cold, if the service has a `coldStart`).",
			key{name: "restart", shape: positiveDuration(), dflt: "the fault's `for`", meaning: "time until it is up again"})},
		{name: "partition", choice: true, meaning: "messages between callers and the service are lost", shape: atService("a partition", "Partition", "Messages between callers and the service are lost, in one direction or both. Callers wait until their timeout, or are refused at once.",
			key{name: "callers", shape: ref("callers"), dflt: "all callers", meaning: "fleet that is cut off"},
			key{name: "loses", shape: oneWord("requests", "responses", "both"), dflt: "both", meaning: "direction that is cut"},
			key{name: "how", shape: oneWord("blackhole", "refused"), dflt: "blackhole", meaning: "what the caller notices: nothing, or an immediate refusal"})},
		{name: "lyingCheck", choice: true, meaning: "health checks lie", shape: atService("a lying check", "Lying check", "Health and liveness checks of instances that are up say the same whatever is so.",
			key{name: "says", shape: oneWord("healthy", "unhealthy"), need: true, meaning: "what they say"})},
		{name: "flush", choice: true, meaning: "a cache loses everything", shape: flushShape()},
		{name: "surge", choice: true, meaning: "more load at the door", shape: surgeShape()},
		{name: "breakdowns", choice: true, meaning: "instances fail and are repaired at random", shape: breakdownsShape()},
	}}
}

func atService(name, title, about string, more ...key) *shape {
	keys := append([]key{{name: "service", shape: ref("services"), need: true, meaning: "service that is hit"}}, more...)
	keys = append(keys, key{name: "instances", shape: positiveShare(), dflt: "100%", meaning: "the same as `instances` beside the kind"})
	return &shape{kind: mappingShape, name: name, title: title, about: about, keys: keys}
}

func surgeShape() *shape {
	return &shape{kind: mappingShape, name: "a surge", title: "Surge", about: "More load at the door: the rate of a fleet is multiplied by `times`, or is `rate` instead.", keys: []key{
		{name: "callers", shape: ref("callers"), need: true, meaning: "fleet whose load grows"},
		{name: "times", shape: number(0, 1e6), choice: true, meaning: "offered load is multiplied by this"},
		{name: "rate", shape: rate(), choice: true, meaning: "offered load is this instead"},
	}}
}

func operatorShape() *shape {
	service := key{name: "service", shape: ref("services"), need: true, meaning: "service that is acted on"}
	return &shape{kind: mappingShape, name: "an action", title: "Operator", about: "What the on-call engineer does: when, and exactly one action.", keys: []key{
		{name: "at", shape: duration(), need: true, meaning: "instant at which it is done"},
		{name: "name", shape: text("a text", "restart the pods"), dflt: "the action", meaning: "label in figures and timelines"},
		{name: "restart", choice: true, meaning: "restart all instances of a service: queue and work are lost", shape: &shape{kind: mappingShape, name: "a restart", title: "Restart", about: "All instances of a service go down, with queue and work, and come up again after `downtime`.", keys: []key{service,
			{name: "downtime", shape: duration(), need: true, meaning: "time until it is up again"}}}},
		{name: "shed", choice: true, meaning: "refuse a share of the load, then let it back in steps", shape: &shape{kind: mappingShape, name: "a shed", title: "Shed", about: "A share of the load is refused for a while; then, over `ramp`, it is let back in equal steps.", keys: []key{
			{name: "service", shape: ref("services"), dflt: "all (requests only)", meaning: "service whose load is refused; requests are those of the fleets that call it"},
			{name: "what", shape: oneWord("requests", "attempts"), dflt: "requests", meaning: "requests (users refused at the caller, who do not come back) or attempts (refused at the service, which may be retried)"},
			{name: "share", shape: share(), need: true, meaning: "share that is refused"},
			{name: "for", shape: duration(), need: true, meaning: "how long the full share is refused"},
			{name: "ramp", shape: duration(), dflt: "0s", meaning: "time in which the share then falls to nothing"},
			{name: "steps", shape: count(1, 1000), dflt: "12", meaning: "number of equal steps of the ramp"}}}},
		{name: "purge", choice: true, meaning: "throw the queue of a service away", shape: &shape{kind: mappingShape, name: "a purge", title: "Purge", about: "Everything that waits at a service is thrown away; its callers get an error. What is in service goes on.", keys: []key{service}}},
		{name: "breaker", choice: true, meaning: "force circuit breakers into a state", shape: &shape{kind: mappingShape, name: "a forced breaker", title: "Forced breaker", about: "Circuit breakers are forced into a state, whatever they have counted.", keys: []key{
			{name: "pipeline", shape: ref("pipelines"), dflt: "all pipelines", meaning: "pipeline whose breakers are forced"},
			{name: "force", shape: oneWord("open", "closed", "forced_open", "disabled", "metrics_only"), need: true, meaning: "state they are put into"},
			{name: "for", shape: positiveDuration(), dflt: "until the end of the run", meaning: "how long, before they are closed again"}}}},
		{name: "scaleOut", choice: true, meaning: "more instances", shape: scaleOutShape(service)},
		{name: "rollBack", choice: true, meaning: "end a fault before its time", shape: rollBackShape()},
		{name: "retriesOff", choice: true, meaning: "switch retries off", shape: &shape{kind: mappingShape, name: "an end of retries", title: "Retries off", about: "Retries are switched off; first attempts go on.", keys: []key{
			{name: "pipeline", shape: ref("pipelines"), dflt: "all pipelines", meaning: "pipeline whose retries are switched off"},
			{name: "for", shape: positiveDuration(), dflt: "until the end of the run", meaning: "how long"}}}},
	}}
}
