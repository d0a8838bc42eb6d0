package scenario

func bulkheadShape() *shape {
	return &shape{kind: mappingShape, name: "a bulkhead", title: "Bulkhead", about: "A semaphore with a bounded wait. `order: adaptive_lifo`, `order: priority` and `minRemainingDuration` make it one whose queue looks at its calls; it then waits up to 100ms unless told.", keys: []key{
		{name: "maxConcurrentCalls", shape: count(1, 1e9), dflt: "25", meaning: "calls that may be inside at one time", elsewhere: "Envoy: max_requests (1024), Istio: http2MaxRequests; those count over a whole cluster"},
		{name: "maxWaitDuration", shape: duration(), dflt: "0s", meaning: "how long a call may wait for a slot; 0s: not at all"},
		{name: "queueCapacity", shape: count(0, 1e9), dflt: "0", meaning: "calls that may wait; 0: as many as there are, bounded only by maxWaitDuration", elsewhere: "Envoy: max_pending_requests (1024)"},
		{name: "order", shape: oneWord("fifo", "lifo", "adaptive_lifo", "priority"), dflt: "fifo", meaning: "which waiting call gets the next slot: the oldest; the newest; the newest once the queue has not been empty for `interval`; the one of the highest priority"},
		{name: "interval", shape: positiveDuration(), dflt: "100ms", meaning: "adaptive_lifo: how long the queue may be non-empty before it counts as congested"},
		{name: "target", shape: positiveDuration(), dflt: "5ms", meaning: "adaptive_lifo: how long a call may wait that comes while the queue is congested"},
		{name: "levels", shape: count(1, 64), meaning: "priority: number of levels; a call whose class has a priority above the highest counts as the highest. A full queue drops the newest of the lowest level (`shed`)"},
		{name: "minRemainingDuration", shape: duration(), dflt: "0s", meaning: "time that a call needs when it gets its slot; with less left before its deadline it is not admitted (`deadline`)"},
	}}
}

func poolShape() *shape {
	return &shape{kind: mappingShape, name: "a pool", title: "Pool of workers", about: "resilience4j's ThreadPoolBulkhead: a call waits when all core workers are busy; only when the queue is full are further workers begun.", keys: []key{
		{name: "coreThreadPoolSize", shape: count(1, 1e6), dflt: "25", meaning: "workers that do not wait for a full queue"},
		{name: "maxThreadPoolSize", shape: count(1, 1e6), dflt: "25", meaning: "most workers at one time"},
		{name: "queueCapacity", shape: count(1, 1e9), dflt: "100", meaning: "calls that may wait, for as long as they like"},
	}}
}

func hedgeShape() *shape {
	below100 := percent()
	below100.below = true
	return &shape{kind: mappingShape, name: "a hedge", title: "Hedge", about: "Asks again beside an attempt that takes long; the first answer wins and the others are given up. Once in a pipeline, and no fallback inside it. Calls of a non-idempotent class are not hedged.", keys: []key{
		{name: "maxHedges", shape: count(1, 16), dflt: "1", meaning: "further attempts beside the first", elsewhere: "Polly: MaxHedgedAttempts; failsafe-go: WithMaxHedges; gRPC: maxAttempts counts the first"},
		{name: "delay", shape: duration(), dflt: "2s", meaning: "how long the latest attempt runs before the next one is started; alone it is fixed, with delayPercentile it is used until enough answers are known", elsewhere: "Polly: Delay; gRPC: hedgingDelay"},
		{name: "delayPercentile", shape: below100, dflt: "95", meaning: "takes the delay from this percentile of the latest answers of a caller"},
		{name: "windowSize", shape: count(1, 10_000), dflt: "100", meaning: "answers that are remembered"},
		{name: "minimumNumberOfCalls", shape: count(1, 10_000), dflt: "20", meaning: "answers that must be known before the percentile is used"},
		{name: "hedgeOnFailure", shape: toggle(), dflt: "false", meaning: "a failure starts the next attempt at once", elsewhere: "gRPC: nonFatalStatusCodes"},
		{name: "budget", shape: budgetShape(), dflt: "no limit", meaning: "limit of all hedges of a caller together"},
	}}
}
