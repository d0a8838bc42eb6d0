package scenario

func balancingKeys() []key {
	return []key{
		{name: "loadBalancer", shape: loadBalancerShape(), dflt: "one instance after the other, up or not", meaning: "what chooses the instance of each request"},
		{name: "liveness", shape: livenessShape(), dflt: "none", meaning: "check that restarts instances"},
		{name: "broker", shape: brokerShape(), dflt: "none", meaning: "requests are messages: answered when they are stored, and handled by the workers as consumers when these are free"},
		{name: "autoscale", shape: autoscaleShape(), dflt: "none", meaning: "what changes the number of instances"},
	}
}

func loadBalancerShape() *shape {
	return &shape{kind: mappingShape, name: "a load balancer", title: "Load balancer", about: "Chooses the instance of each request. It sees every request and every answer. Where no instance is in use, requests are refused (`unreachable`).", keys: []key{
		{name: "policy", shape: oneWord("round_robin", "random", "least_requests", "random_choices"), dflt: "round_robin", meaning: "one after the other; any; the one with the fewest requests that are not answered (join the shortest queue); the one with the fewest of `choices` drawn at random", elsewhere: "Envoy: ROUND_ROBIN, RANDOM, LEAST_REQUEST (which is random_choices)"},
		{name: "choices", shape: count(1, 64), dflt: "2", meaning: "random_choices: instances that are drawn", elsewhere: "Envoy: choice_count (2)"},
		{name: "panicThreshold", shape: percentOrNone(), dflt: "0%; 50% with outlierDetection", meaning: "with less than this percentage of the instances in use, all are", elsewhere: "Envoy: healthy_panic_threshold (50)"},
		{name: "healthCheck", shape: healthCheckShape(), dflt: "none", meaning: "check that takes instances out of use"},
		{name: "outlierDetection", shape: outlierShape(), dflt: "none", meaning: "ejects instances whose answers fail; so does one that does not answer in its caller's time"},
	}}
}

func checkKeys(more ...key) []key {
	kinds := oneWord("shallow", "pool", "deep", "breaker")
	return append([]key{
		{name: "kind", shape: kinds, dflt: "shallow", meaning: "shallow: the process answers; pool: it is also ready, by `readiness`; deep: each service that its handler calls would answer within `timeout`; breaker: none of its breakers is open"},
		{name: "interval", shape: positiveDuration(), dflt: "10s", meaning: "time between two checks of an instance; instances are checked in turn", elsewhere: "Kubernetes: periodSeconds (10)"},
		{name: "timeout", shape: positiveDuration(), dflt: "1s", meaning: "deep: time in which a service has to answer, by its present queue and speed", elsewhere: "Kubernetes: timeoutSeconds (1)"},
		{name: "readiness", shape: readinessShape(), meaning: "pool: when an instance says that it is not ready"},
	}, more...)
}

func healthCheckShape() *shape {
	return &shape{kind: mappingShape, name: "a health check", title: "Health check", about: "Takes instances out of use. An instance that is down or frozen fails every kind.", keys: checkKeys(
		key{name: "unhealthyThreshold", shape: count(1, 1000), dflt: "3", meaning: "failed checks in a row that take an instance out", elsewhere: "Kubernetes: failureThreshold (3)"},
		key{name: "healthyThreshold", shape: count(1, 1000), dflt: "1", meaning: "passed checks in a row that bring it back", elsewhere: "Kubernetes: successThreshold (1)"},
	)}
}

func livenessShape() *shape {
	return &shape{kind: mappingShape, name: "a liveness check", title: "Liveness check", about: "Restarts instances: queue and work are lost, and the start is cold if the service has a `coldStart`.", keys: checkKeys(
		key{name: "failureThreshold", shape: count(1, 1000), dflt: "3", meaning: "failed checks in a row that restart an instance"},
		key{name: "restart", shape: duration(), dflt: "10s", meaning: "time until it is up again"},
	)}
}

func readinessShape() *shape {
	return &shape{kind: mappingShape, name: "a readiness", title: "Readiness", about: "When an instance says that it is not ready. The pool is that of its workers.", keys: []key{
		{name: "saturatedAfter", shape: duration(), dflt: "10s", meaning: "all workers held for so long; 0s: not looked at"},
		{name: "queueFullAfter", shape: duration(), dflt: "5s", meaning: "queue full for so long; 0s: not looked at"},
		{name: "recoveryUtilization", shape: percentOrNone(), dflt: "80", meaning: "calm: at most this percentage of workers and places in use"},
		{name: "recoveryDuration", shape: positiveDuration(), dflt: "10s", meaning: "calm for so long makes it ready again"},
		{name: "minimumReadyDuration", shape: positiveDuration(), dflt: "30s", meaning: "it stays ready for at least so long"},
		{name: "maxUnreadyDuration", shape: duration(), dflt: "60s", meaning: "it is ready again after so long whatever its load; 0s: never"},
	}}
}

func outlierShape() *shape {
	return &shape{kind: mappingShape, name: "an outlier detection", title: "Outlier detection", about: "Envoy's rules with its names and defaults; a rule whose first setting is 0 is off.", keys: []key{
		{name: "interval", shape: positiveDuration(), dflt: "10s", meaning: "time between two sweeps"},
		{name: "baseEjectionTime", shape: positiveDuration(), dflt: "30s", meaning: "how long a first ejection lasts; times the number of ejections in a row"},
		{name: "maxEjectionTime", shape: positiveDuration(), dflt: "300s", meaning: "longest ejection"},
		{name: "maxEjectionTimeJitter", shape: duration(), dflt: "0s", meaning: "up to so much is added"},
		{name: "maxEjectionPercent", shape: percentOrNone(), dflt: "10", meaning: "percentage of the instances that may be ejected at one time"},
		{name: "alwaysEjectOneHost", shape: toggle(), dflt: "true", meaning: "one may be, whatever its share"},
		{name: "panicThreshold", shape: percentOrNone(), dflt: "50", meaning: "the same as `panicThreshold` of the load balancer"},
		{name: "consecutiveFailures", shape: count(0, 1e6), dflt: "5", meaning: "failures in a row that eject", elsewhere: "Envoy: consecutive_5xx"},
		{name: "enforcingConsecutiveFailures", shape: percentOrNone(), dflt: "100", meaning: "percentage of such detections that eject"},
		{name: "successRateStdevFactor", shape: number(0, 100), dflt: "1.9", meaning: "standard deviations below the mean success rate of all instances"},
		{name: "successRateMinimumHosts", shape: count(0, 1e6), dflt: "5", meaning: "instances with enough requests that are needed for it"},
		{name: "successRateRequestVolume", shape: count(0, 1e6), dflt: "100", meaning: "requests in an interval that are enough"},
		{name: "enforcingSuccessRate", shape: percentOrNone(), dflt: "100", meaning: "percentage of such detections that eject"},
		{name: "failurePercentageThreshold", shape: percentOrNone(), dflt: "85", meaning: "percentage of failures that ejects"},
		{name: "failurePercentageMinimumHosts", shape: count(0, 1e6), dflt: "5", meaning: "instances with enough requests that are needed for it"},
		{name: "failurePercentageRequestVolume", shape: count(0, 1e6), dflt: "50", meaning: "requests in an interval that are enough"},
		{name: "enforcingFailurePercentage", shape: percentOrNone(), dflt: "0", meaning: "percentage of such detections that eject"},
	}}
}

// percentOrNone may be 0.
func percentOrNone() *shape {
	s := percent()
	s.above = false
	return s
}

func brokerShape() *shape {
	return &shape{kind: mappingShape, name: "a broker", title: "Broker", about: "Each instance is a partition: a queue of `queue.limit` messages that a crash of its consumer does not lose, and which takes messages meanwhile. A producer that finds it full is refused (`queue_full`).", keys: []key{
		{name: "deliveries", shape: count(1, 1000), dflt: "5", meaning: "deliveries of a message in all, until one succeeds; then it is given up (a dead letter)"},
		{name: "redeliverAfter", shape: duration(), dflt: "1s", meaning: "time from a failed delivery to the next"},
	}}
}

func autoscaleShape() *shape {
	return &shape{kind: mappingShape, name: "an autoscaler", title: "Autoscaler", about: "At each interval it wants ready instances x utilisation / target, rounded up, as Kubernetes' horizontal autoscaler does. `instances` of the service is the number at the start.", keys: []key{
		{name: "min", shape: count(1, 1e6), dflt: "1", meaning: "fewest instances"},
		{name: "max", shape: count(1, 1e6), need: true, meaning: "most instances"},
		{name: "targetUtilisation", shape: positiveShare(), dflt: "60%", meaning: "share of the workers that should be held", elsewhere: "Kubernetes: averageUtilization"},
		{name: "tolerance", shape: share(), dflt: "10%", meaning: "no change while utilisation is so near to the target"},
		{name: "interval", shape: positiveDuration(), dflt: "15s", meaning: "time between two decisions, and over which utilisation is averaged"},
		{name: "startupDelay", shape: duration(), dflt: "60s", meaning: "time from the decision to the first request of a new instance; then it is cold, if the service has a `coldStart`"},
		{name: "scaleDownStabilisation", shape: duration(), dflt: "5m", meaning: "never fewer than were wanted at any time in this past", elsewhere: "Kubernetes: stabilizationWindowSeconds (300)"},
	}}
}

func scaleOutShape(service key) *shape {
	return &shape{kind: mappingShape, name: "a scale-out", title: "Scale-out", about: "More instances of a service, from `startup` on. Never fewer than there are.", keys: []key{service,
		{name: "instances", shape: count(1, 1e6), need: true, meaning: "number of instances in all"},
		{name: "startup", shape: duration(), dflt: "60s", meaning: "time until they take requests"},
	}}
}

func rollBackShape() *shape {
	return &shape{kind: mappingShape, name: "a roll-back", title: "Roll-back", about: "Ends a fault before its time, as when a change is taken back.", keys: []key{
		{name: "fault", shape: text("a text", "the bad deploy"), need: true, meaning: "`name` of the fault"},
	}}
}
