package scenario

func pipelineShape() *shape {
	policies := listOf(policyShape(), 0)
	long := &shape{kind: mappingShape, name: "a pipeline", title: "Pipeline", about: "A list of policies, outermost first; or a mapping with these keys.", keys: []key{
		{name: "shared", shape: toggle(), dflt: "false", meaning: "one set of breakers, budgets and bulkheads for the whole fleet instead of one for each instance"},
		{name: "policies", shape: policies, need: true, meaning: "the policies, outermost first"},
	}}
	u := union("a list of policies", policies, long)
	u.lift = "policies"
	return u
}

func policyShape() *shape {
	return &shape{kind: mappingShape, name: "a policy", title: "Policy", about: "One stage of a pipeline: exactly one of these. Settings that are not given are resilience4j's defaults.", keys: []key{
		{name: "fallback", shape: fallbackShape(), choice: true, meaning: "answer something else when what is inside fails"},
		{name: "retry", shape: retryShape(), choice: true, meaning: "try again what is inside"},
		{name: "hedge", shape: hedgeShape(), choice: true, meaning: "ask again beside an attempt that takes long"},
		{name: "circuitBreaker", shape: breakerShape(), choice: true, meaning: "refuse calls while the dependency fails"},
		{name: "bulkhead", shape: bulkheadShape(), choice: true, meaning: "bound the calls that are inside at one time"},
		{name: "threadPoolBulkhead", shape: poolShape(), choice: true, meaning: "bound them by a pool of workers with a queue"},
		{name: "timeout", shape: timeoutShape(), choice: true, meaning: "bound the time of what is inside"},
		{name: "rateLimiter", shape: rateLimiterShape(), choice: true, meaning: "bound the rate of calls"},
		{name: "adaptiveLimit", shape: adaptiveLimitShape(), choice: true, meaning: "bound the calls inside by what latency and timeouts show"},
		{name: "throttle", shape: throttleShape(), choice: true, meaning: "refuse a share of the calls, the more of them fail"},
	}}
}

func fallbackShape() *shape {
	step := &shape{kind: mappingShape, name: "a fallback step", title: "Fallback step", about: "A value, or a call to another service.", keys: []key{
		{name: "value", shape: text("a text", "default"), choice: true, meaning: "a value that always answers; the text is its label"},
		{name: "call", shape: ref("services"), choice: true, meaning: "service that is asked instead"},
		{name: "through", shape: ref("pipelines"), meaning: "pipeline that this call goes through"},
		{name: "takes", shape: duration(), dflt: "0s", meaning: "time until the value answers"},
	}}
	return &shape{kind: mappingShape, name: "a fallback", title: "Fallback", about: "A ladder: steps are tried in order until one answers.", keys: []key{
		{name: "steps", shape: listOf(step, 1), need: true, meaning: "the rungs, first one first"},
	}}
}

func timeoutShape() *shape {
	long := &shape{kind: mappingShape, name: "a timeout", title: "Timeout", about: "Inside a retry it bounds each attempt, outside the whole call. `timeout: 1s` is short for `timeoutDuration`.", keys: []key{
		{name: "timeoutDuration", shape: positiveDuration(), need: true, meaning: "time given to what is inside", elsewhere: "Envoy: route timeout and per_try_timeout"},
		{name: "cooperative", shape: toggle(), dflt: "true", meaning: "what is inside stops when it is cancelled; false: it goes on until its answer comes"},
		{name: "detached", shape: toggle(), dflt: "false", meaning: "the call ends at the timeout even if what is inside does not"},
	}}
	u := union("a duration or a timeout", positiveDuration(), long)
	u.lift = "timeoutDuration"
	return u
}

func retryShape() *shape {
	refusals := listOf(oneWord("bulkhead_full", "bulkhead_timeout", "throttled", "shed", "rate_limited", "limit_reached"), 0)
	failures := listOf(oneWord("failed", "timeout", "rejected", "unreachable", "connection_lost", "panicked"), 0)
	jitters := oneWord("none", "full", "equal", "factor", "decorrelated", "a6", "resilience4j", "polly", "aws_legacy")
	return &shape{kind: mappingShape, name: "a retry", title: "Retry", about: "Tries again what is inside.", keys: []key{
		{name: "maxAttempts", shape: count(1, 1000), dflt: "3", meaning: "attempts of one call, the first included", elsewhere: "Envoy: num_retries does not count the first try; its max_retries (3) bounds retries in flight"},
		{name: "waitDuration", shape: duration(), dflt: "500ms", meaning: "wait before the first retry"},
		{name: "rejectedWaitDuration", shape: duration(), dflt: "0s", meaning: "the same after an attempt that the dependency refused at its door; 0s: waitDuration", elsewhere: "AWS SDKs: 1s for throttling errors, 50ms for others"},
		{name: "enableExponentialBackoff", shape: toggle(), dflt: "false", meaning: "multiply the wait from retry to retry"},
		{name: "exponentialBackoffMultiplier", shape: number(1, 1000), dflt: "1.5", meaning: "factor from one wait to the next"},
		{name: "exponentialMaxWaitDuration", shape: duration(), dflt: "0s", meaning: "longest wait, jitter included; 0s: no bound"},
		{name: "jitter", shape: jitters, dflt: "none", meaning: "how a wait is spread: full is uniform in [0, wait], equal in [wait/2, wait], factor in [1-f, 1+f] times the wait, decorrelated from the first wait to three times the last; the others as gRPC (A6), resilience4j, Polly (V2) and old AWS SDKs do", elsewhere: "Envoy: always full jitter"},
		{name: "enableRandomizedWait", shape: toggle(), dflt: "false", meaning: "resilience4j's switch for factor jitter"},
		{name: "randomizedWaitFactor", shape: spread(), dflt: "0.5", meaning: "the f of factor and resilience4j jitter"},
		{name: "serverHints", shape: oneWord("clamp", "stop", "obey"), dflt: "clamp", meaning: "what becomes of a dependency's wish for a wait longer than exponentialMaxWaitDuration: wait that long, do not retry, or wait as it wishes (the default with a6)"},
		{name: "retryOn", shape: failures, meaning: "failures that are retried; none listed: all", elsewhere: "Envoy: retry_on"},
		{name: "retryRefusals", shape: refusals, meaning: "refusals on the caller's side that are retried all the same; an open breaker never is"},
		{name: "nonIdempotent", shape: toggle(), dflt: "false", meaning: "calls do harm when carried out twice: a timeout or a lost connection is not retried"},
		{name: "retryAmbiguous", shape: toggle(), dflt: "false", meaning: "retries them all the same"},
		{name: "budget", shape: budgetShape(), dflt: "no limit", meaning: "limit of all retries of a caller together"},
	}}
}

func budgetShape() *shape {
	ratio := &shape{kind: shareShape, name: "a share", lo: 0, hi: 1000, example: "10%"}
	reserve := &shape{kind: rateShape, name: "a rate", lo: 0, hi: 1e6, example: "10/s", bare: true}
	capacity := number(0, 1e6)
	capacity.above = true
	about := "`kind` says by which rule retries are granted; each key says for which kinds it is. A kind that is given brings its own defaults."
	return &shape{kind: mappingShape, name: "a retry budget", title: "Retry budget", about: about, keys: []key{
		{name: "kind", shape: oneWord("window", "bucket", "concurrency", "tokens", "quota", "failure_rate"), dflt: "bucket with a capacity, else window", meaning: "window: retries in a time window; bucket: tokens that calls earn; concurrency: retries scheduled or in flight as a share of the calls in flight; tokens: failures cost, successes earn, retries pass above half; quota: retries cost and a success takes its cost back; failure_rate: none while too many fail", elsewhere: "window: Finagle, linkerd; concurrency: Envoy retry_budget; tokens: gRPC retryThrottling; quota: AWS SDKs"},
		{name: "ratio", shape: ratio, dflt: "20%", meaning: "retries that are granted for each call: 10% buys one retry for ten calls; concurrency: share of the calls in flight; tokens: what a success earns", elsewhere: "Envoy: budget_percent (20 %), a share of the requests in flight, not of their rate; gRPC: tokenRatio"},
		{name: "window", shape: span(1, 60), dflt: "10s", meaning: "window, failure_rate: how long deposits, withdrawals and outcomes count", elsewhere: "Finagle: ttl"},
		{name: "minPerSecond", shape: reserve, dflt: "10/s", meaning: "window: retries that are granted whatever the load", elsewhere: "Finagle: minRetriesPerSec; Envoy: min_retry_concurrency (3) counts retries in flight"},
		{name: "capacity", shape: capacity, meaning: "bucket, tokens (at most 1000), quota: most tokens; without a kind it makes the budget a bucket", elsewhere: "gRPC: maxTokens"},
		{name: "initial", shape: number(0, 1e6), dflt: "full", meaning: "bucket, tokens, quota: tokens at the start"},
		{name: "deposit", shape: oneWord("call", "success"), dflt: "call", meaning: "window, bucket: what earns `ratio` tokens: each call begun, or each call answered"},
		{name: "minConcurrency", shape: count(0, 1e6), meaning: "concurrency: retries that may be scheduled or in flight whatever the load; 3 if that kind is given", elsewhere: "Envoy: min_retry_concurrency (3)"},
		{name: "cost", shape: count(1, 1e6), meaning: "quota: tokens of a retry; 14 if that kind is given", elsewhere: "AWS SDKs: retry cost (5 in older ones)"},
		{name: "rejectedCost", shape: count(0, 1e6), meaning: "quota: tokens of a retry after the dependency refused the attempt at its door; 5 if that kind is given", elsewhere: "AWS SDKs: throttling cost"},
		{name: "noRetryIncrement", shape: number(0, 1e6), meaning: "quota: tokens that a success without a retry earns; 1 if that kind is given", elsewhere: "AWS SDKs: NoRetryIncrement"},
		{name: "failureRateThreshold", shape: budgetThreshold(), meaning: "failure_rate: nothing is retried while more than this many percent of the attempts in the window failed; 10 if that kind is given"},
		{name: "minimumNumberOfCalls", shape: count(0, 1e6), meaning: "failure_rate: attempts in the window before anything is refused; 10 if that kind is given"},
	}}
}

// budgetThreshold may be 0: one failure in the window is then one too many.
func budgetThreshold() *shape {
	s := percent()
	s.above, s.below = false, true
	return s
}

// spread is the f of a wait in [1-f, 1+f] times itself, which stays above 0.
func spread() *shape {
	s := number(0, 1)
	s.below = true
	return s
}

func breakerShape() *shape {
	window := &shape{kind: windowShape, name: "a number of calls or a duration", lo: 1, hi: 1e6, example: "100"}
	keys := []key{
		{name: "failureRateThreshold", shape: percent(), dflt: "50", meaning: "opens when at least this many percent of the calls in the window failed", elsewhere: "Envoy: failure_percentage_threshold (85) ejects a host, not the whole dependency; Istio: consecutive5xxErrors"},
		{name: "slowCallRateThreshold", shape: percent(), dflt: "100", meaning: "opens when at least this many percent were slow"},
		{name: "slowCallDurationThreshold", shape: positiveDuration(), dflt: "60s", meaning: "a call that took longer is slow"},
		{name: "countRunningSlowCalls", shape: toggle(), dflt: "false", meaning: "a call that is still running counts as slow once it has run longer than slowCallDurationThreshold, not only when it ends"},
		{name: "slidingWindowType", shape: oneWord("COUNT_BASED", "TIME_BASED"), dflt: "COUNT_BASED", meaning: "what the window counts"},
		{name: "slidingWindowSize", shape: window, dflt: "100", meaning: "calls (COUNT_BASED) or seconds (TIME_BASED, also as `10s`)", elsewhere: "Envoy, Istio: interval (10s)"},
		{name: "minimumNumberOfCalls", shape: count(1, 1e6), dflt: "100", meaning: "calls that must be recorded before a rate is known", elsewhere: "Envoy: failure_percentage_request_volume (50)"},
		{name: "consecutiveFailures", shape: count(0, 1e6), dflt: "0", meaning: "when above 0, opens after so many failures in a row instead of by rate", elsewhere: "Envoy: consecutive_5xx (5); Istio: consecutive5xxErrors (5)"},
	}
	return &shape{kind: mappingShape, name: "a circuit breaker", title: "Circuit breaker", about: "Refuses calls while the dependency fails.", keys: append(keys, breakerOpenKeys()...)}
}

func breakerOpenKeys() []key {
	return []key{
		{name: "waitDurationInOpenState", shape: span(0.001, maxSpanS), dflt: "60s", meaning: "how long it stays open before a trial is let through", elsewhere: "Envoy: base_ejection_time (30s), times the number of ejections; Istio: baseEjectionTime (30s)"},
		{name: "automaticTransitionFromOpenToHalfOpenEnabled", shape: toggle(), dflt: "false", meaning: "half-open begins when the wait is over, not when the next call asks"},
		{name: "enableExponentialBackoff", shape: toggle(), dflt: "false", meaning: "the open wait grows with each failed trial"},
		{name: "exponentialBackoffMultiplier", shape: number(1, 1000), dflt: "1.5", meaning: "growth of the open wait"},
		{name: "exponentialMaxWaitDurationInOpenState", shape: duration(), dflt: "0s", meaning: "longest open wait; 0s: no bound", elsewhere: "Envoy: max_ejection_time (300s)"},
		{name: "enableRandomizedWait", shape: toggle(), dflt: "false", meaning: "spread the open wait by randomizedWaitFactor"},
		{name: "randomizedWaitFactor", shape: spread(), dflt: "0.5", meaning: "the open wait is uniform in [1-f, 1+f] times itself", elsewhere: "Envoy: max_ejection_time_jitter (0s), an absolute time"},
		{name: "permittedNumberOfCallsInHalfOpenState", shape: count(1, 1e6), dflt: "10", meaning: "number of trials", elsewhere: "Envoy, Istio: none, an ejected host simply returns"},
		{name: "maxWaitDurationInHalfOpenState", shape: duration(), dflt: "the open wait", meaning: "a half-open breaker without a verdict so long after its first trial opens again; 0s: never. An instance with fewer calls than trials in that time never closes"},
		{name: "transitionToStateAfterWaitDuration", shape: oneWord("OPEN", "CLOSED"), dflt: "OPEN", meaning: "what a half-open breaker becomes after maxWaitDurationInHalfOpenState"},
		{name: "halfOpenDecision", shape: oneWord("complete", "early", "first_failure"), dflt: "complete", meaning: "when a half-open breaker decides: after all trials, as soon as the outcome is certain, or at the first failure"},
		{name: "halfOpenSuccesses", shape: count(0, 1e6), dflt: "0", meaning: "successes that close it when the decision is early; 0: derived from the failure rate threshold"},
	}
}
