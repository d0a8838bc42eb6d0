package scenario

func rateLimiterShape() *shape {
	return &shape{kind: mappingShape, name: "a rate limiter", title: "Rate limiter", about: "Permits that come with time. A call without one waits or is refused (`rate_limited`).", keys: []key{
		{name: "type", shape: oneWord("cycle", "token_bucket", "smooth"), dflt: "cycle", meaning: "how permits come: all at the start of each period, one after the other into a bucket, or one in each interval", elsewhere: "resilience4j: cycle; Envoy: token_bucket; failsafe-go: smooth and bursty (cycle)"},
		{name: "limitForPeriod", shape: count(1, 1e9), dflt: "50", meaning: "permits of each period"},
		{name: "limitRefreshPeriod", shape: positiveDuration(), dflt: "500ns", meaning: "length of a period", elsewhere: "Envoy: fill_interval"},
		{name: "timeoutDuration", shape: duration(), dflt: "5s", meaning: "how long a call may wait for its permit; 0s: not at all"},
		{name: "burst", shape: count(0, 1e9), dflt: "0", meaning: "token_bucket: most permits that it holds; 0: limitForPeriod", elsewhere: "Envoy: max_tokens"},
		{name: "slack", shape: count(0, 1e9), dflt: "0", meaning: "smooth: permits that passed unused and may be taken at once later"},
	}}
}

func throttleShape() *shape {
	return &shape{kind: mappingShape, name: "a throttle", title: "Throttle", about: "Client-side adaptive throttling: refuses calls (`throttled`) with a probability that grows with the share of calls that fail.", keys: []key{
		{name: "k", shape: number(1, 1000), dflt: "2", meaning: "nothing is refused while requests are at most k times the accepted ones"},
		{name: "successRateThreshold", shape: percent(), meaning: "the same as 100/k; brings Envoy's defaults for the other settings", elsewhere: "Envoy: sr_threshold (95)"},
		{name: "aggression", shape: number(1, 100), dflt: "1", meaning: "above 1 the probability rises steeply at first"},
		{name: "maxRejectionProbability", shape: percent(), dflt: "100", meaning: "most calls that are refused", elsewhere: "Envoy: max_rejection_probability (80)"},
		{name: "minimumNumberOfCalls", shape: count(0, 1e6), dflt: "0", meaning: "requests in the window before anything is refused"},
		{name: "rpsThreshold", shape: number(0, 1e9), dflt: "0", meaning: "requests a second of one caller below which nothing is refused"},
		{name: "samplingWindow", shape: positiveDuration(), dflt: "2m", meaning: "how long requests count, 1s to 1h"},
		{name: "buckets", shape: count(1, 1000), dflt: "60", meaning: "parts in which the window moves on"},
		{name: "counting", shape: oneWord("all", "sent"), dflt: "all", meaning: "requests are all that were asked for, refused ones included, or only those sent", elsewhere: "Envoy, failsafe-go: sent; SRE book: all"},
	}}
}

func adaptiveLimitShape() *shape {
	return &shape{kind: mappingShape, name: "an adaptive limit", title: "Adaptive limit", about: "A limit of the calls inside that follows latency and timeouts; beyond it calls are refused (`limit_reached`). Each key says for which algorithms it is; defaults are those of the algorithm's origin.", keys: append([]key{
		{name: "algorithm", shape: oneWord("aimd", "vegas", "gradient2", "gradient", "envoy"), need: true, meaning: "rule by which the limit moves", elsewhere: "Netflix concurrency-limits; Envoy: adaptive concurrency filter"},
		{name: "initialLimit", shape: count(1, 1e6), meaning: "first limit"},
		{name: "minLimit", shape: count(1, 1e6), meaning: "least limit"},
		{name: "maxLimit", shape: count(1, 1e6), meaning: "greatest limit"},
		{name: "backoffRatio", shape: number(0, 1), meaning: "aimd, gradient, gradient2: what a drop multiplies the limit with"},
		{name: "timeout", shape: duration(), meaning: "aimd: a longer round trip is a drop; 0s: none"},
		{name: "smoothing", shape: number(0, 1), meaning: "vegas, gradient, gradient2: share of the new value in the next limit"},
		{name: "probeMultiplier", shape: count(0, 1e6), meaning: "vegas: samples, as a multiple of the limit, until the base is measured anew"},
		{name: "alpha", shape: count(0, 1e6), meaning: "vegas: queue below which the limit grows; 0: by the logarithm of the limit"},
		{name: "beta", shape: count(0, 1e6), meaning: "vegas: queue above which it falls; 0: likewise"},
		{name: "decrease", shape: oneWord("log10", "halve"), meaning: "vegas: step down"},
		{name: "queueSize", shape: count(0, 1e6), meaning: "gradient, gradient2: what each new limit gets on top"},
		{name: "rttTolerance", shape: number(0, 1000), meaning: "gradient, gradient2: round trips up to so many times the base lower nothing"},
		{name: "longWindow", shape: count(0, 1e9), meaning: "gradient2: samples of the long average"},
		{name: "warmupWindow", shape: count(0, 1e9), meaning: "gradient2: first samples that are averaged plainly"},
		{name: "probeInterval", shape: count(0, 1e9), meaning: "gradient: samples until the base is measured anew; 0: never"},
		{name: "medianSamples", shape: count(0, 1e3), meaning: "all but envoy: odd number of samples whose median is heard; 0: each is"},
	}, envoyLimitKeys()...)}
}

func envoyLimitKeys() []key {
	return []key{
		{name: "concurrencyUpdateInterval", shape: duration(), meaning: "envoy: length of a sample window"},
		{name: "sampleAggregatePercentile", shape: percent(), meaning: "envoy: what stands for the samples of a window"},
		{name: "minRttInterval", shape: duration(), meaning: "envoy: time between measurements of the least round trip"},
		{name: "minRttJitter", shape: percent(), meaning: "envoy: most that is added to that time"},
		{name: "minRttRequestCount", shape: count(0, 1e6), meaning: "envoy: samples of a measurement"},
		{name: "minRttConcurrency", shape: count(0, 1e6), meaning: "envoy: limit during a measurement"},
		{name: "minRttBuffer", shape: percent(), meaning: "envoy: how much longer than the least a round trip may be"},
	}
}
