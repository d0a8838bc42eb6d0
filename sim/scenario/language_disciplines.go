package scenario

func workersShape() *shape {
	return &shape{kind: countShape, name: "a whole number or 'unlimited'", words: []string{"unlimited"}, lo: 1, hi: 1e6, example: "64"}
}

// queueKeys are what a queue does besides its order and its length.
func queueKeys() []key {
	return []key{
		{name: "maxWaitDuration", shape: positiveDuration(), dflt: "as long as it takes; adaptive_lifo: 100ms", meaning: "how long a request may wait; then it is refused (`queue_timeout`)"},
		{name: "interval", shape: positiveDuration(), dflt: "100ms", meaning: "adaptive_lifo: how long the queue may be non-empty before it counts as congested"},
		{name: "target", shape: positiveDuration(), dflt: "5ms", meaning: "adaptive_lifo: how long a request may wait that comes while the queue is congested"},
		{name: "deadlines", shape: toggle(), dflt: "false", meaning: "requests carry the deadline of their caller (its timeouts): one that has passed when its turn comes is dropped (`deadline`), and what the handler calls has the same deadline"},
		{name: "minRemainingDuration", shape: duration(), dflt: "0s", meaning: "time that a request needs before its deadline when its turn comes; with less left it is dropped, or refused when it comes. Makes `deadlines` true"},
		{name: "codel", shape: codelShape(), dflt: "none", meaning: "drops requests (`shed`) of a queue that does not drain"},
	}
}

func codelShape() *shape {
	return &shape{kind: mappingShape, name: "a CoDel", title: "CoDel", about: "Controlled delay: requests whose turn comes are dropped while the queue stands.", keys: []key{
		{name: "target", shape: positiveDuration(), dflt: "5ms", meaning: "wait that the queue may stand at"},
		{name: "interval", shape: positiveDuration(), dflt: "100ms", meaning: "how long waits must not fall below target"},
		{name: "variant", shape: oneWord("services", "rfc8289"), dflt: "services", meaning: "in an interval that stood above target drop what waited twice the target, or one request at a time, ever more often"},
	}}
}

// abilityKeys are how a service works on several requests at one time, and what it
// lets in.
func abilityKeys() []key {
	return []key{
		{name: "asynchronous", shape: toggle(), dflt: "false", meaning: "handlers hold no worker while they call another service; what comes back from a call goes before new requests"},
		{name: "cores", shape: count(1, 1e6), dflt: "one for each worker", meaning: "cores of each instance, shared evenly by all that work (processor sharing)"},
		{name: "scalability", shape: scalabilityShape(), dflt: "no slowdown", meaning: "how much requests that are worked on at one time slow each other down"},
		{name: "memory", shape: memoryShape(), dflt: "enough", meaning: "requests take memory; an instance without room for one more is killed"},
		{name: "admission", shape: listOf(admissionShape(), 0), dflt: "everybody", meaning: "what is asked at the door of each instance, in this order; nobody waits there"},
	}
}

func scalabilityShape() *shape {
	return &shape{kind: mappingShape, name: "a scalability", title: "Scalability", about: "The Universal Scalability Law: each of n requests that an instance works on takes 1 + contention (n-1) + coherence n (n-1) times as long as it would alone. With coherence above 0 more workers than sqrt((1-contention)/coherence) serve less.", keys: []key{
		{name: "contention", shape: share(), dflt: "0%", meaning: "share of the work that only one can do at a time"},
		{name: "coherence", shape: share(), dflt: "0%", meaning: "cost of each pair that has to agree, as a share of the work"},
	}}
}

func memoryShape() *shape {
	mib := func() *shape {
		return &shape{kind: numberShape, name: "a number", lo: 0, hi: 1e9, above: true, example: "512"}
	}
	return &shape{kind: mappingShape, name: "a memory", title: "Memory", about: "Each request that waits or is in service takes memory. An instance without room for one more dies: queue and work are lost, connections are refused until it is up again (cold, if the service has a `coldStart`).", keys: []key{
		{name: "limitMiB", shape: mib(), need: true, meaning: "memory of an instance"},
		{name: "baseMiB", shape: number(0, 1e9), dflt: "0", meaning: "what it takes without requests"},
		{name: "perRequestMiB", shape: mib(), need: true, meaning: "what each request takes"},
		{name: "restart", shape: duration(), need: true, meaning: "time until it is up again"},
		{name: "gcOverhead", shape: share(), dflt: "0%", meaning: "time that collecting garbage takes for each unit of work while half of the memory is in use; it grows as use / free, so that work gets slower before the instance dies"},
	}}
}

func admissionShape() *shape {
	return &shape{kind: mappingShape, name: "an admission", title: "Admission", about: "One thing that is asked at a service's door: exactly one of these, each at most once. Who is not let in is refused at once.", keys: []key{
		{name: "rateLimiter", shape: doorRateShape(), choice: true, meaning: "bound the rate of requests (`rate_limited`)"},
		{name: "bulkhead", shape: doorBulkheadShape(), choice: true, meaning: "bound the requests that wait or are in service (`bulkhead_full`)"},
		{name: "adaptiveLimit", shape: adaptiveLimitShape(), choice: true, meaning: "bound them by what their time here shows (`limit_reached`)"},
		{name: "priority", shape: doorPriorityShape(), choice: true, meaning: "shed the lowest classes first while the queue is long (`shed`)"},
	}}
}

func doorRateShape() *shape {
	s := *rateLimiterShape()
	s.title, s.about, s.keys = "Rate limiter at the door", "Permits that come with time. A request without one is refused.", nil
	for _, k := range rateLimiterShape().keys {
		if k.name != "timeoutDuration" {
			s.keys = append(s.keys, k)
		}
	}
	return &s
}

func doorBulkheadShape() *shape {
	return &shape{kind: mappingShape, name: "a bulkhead", title: "Bulkhead at the door", about: "A bound of the requests inside, in the queue and in service.", keys: []key{
		{name: "maxConcurrentCalls", shape: count(1, 1e9), dflt: "25", meaning: "requests that may be inside at one time"},
	}}
}

func doorPriorityShape() *shape {
	return &shape{kind: mappingShape, name: "a shedder", title: "Shedding by class", about: "Sheds a share of the requests, those of the lowest classes first. The share grows with the queue of the instance: nothing up to `minQueueLength`, everything from `maxQueueLength` on.", keys: []key{
		{name: "minQueueLength", shape: count(0, 1e9), need: true, meaning: "waiting requests up to which nothing is shed"},
		{name: "maxQueueLength", shape: count(1, 1e9), need: true, meaning: "waiting requests from which on everything is shed"},
		{name: "classes", shape: count(1, 64), dflt: "5", meaning: "number of classes; the priority of a request's class is its class here, and the highest counts for all above"},
		{name: "levelsPerClass", shape: count(1, 1000), dflt: "100", meaning: "levels within a class, one of which a request draws"},
		{name: "calibrationInterval", shape: positiveDuration(), dflt: "1s", meaning: "how long requests are counted before the thresholds are set anew"},
		{name: "minimumNumberOfCalls", shape: count(0, 1e9), dflt: "10", meaning: "requests that an interval must have for anything to be shed in the next"},
	}}
}
