package scenario

const (
	// maxPriority is the highest class that patterns/priority knows.
	maxPriority = 63
	maxClasses  = 64
	// maxPoints of a curve that repeats, over the whole run.
	maxPoints = 100_000
	// maxBatch requests arrive at one instant.
	maxBatch = 1_000_000
)

// callerKeys are the settings of a fleet besides its load and what it does.
func callerKeys() []key {
	return []key{
		{name: "classes", shape: namedOf(classShape()), dflt: "all requests of one sort", meaning: "classes of requests, by name; a request's class goes with it through all its calls"},
		{name: "keys", shape: keysShape(), dflt: "none", meaning: "what requests are about: a key goes with each through all its calls, for caches and for limits by key"},
		{name: "patience", shape: patienceShape(), dflt: "without end", meaning: "how long users wait for an answer before they give up"},
		{name: "retrial", shape: retrialShape(), dflt: "they do not", meaning: "users who got no answer come back"},
	}
}

func classShape() *shape {
	return &shape{kind: mappingShape, name: "a class of requests", title: "Class", about: "A sort of requests. Which class a request is of is drawn for it alone. Accounts are kept for each class as for the fleet.", keys: []key{
		{name: "weight", shape: number(0, 1e9), dflt: "1", meaning: "how often a request is of this class, against the weights of the others"},
		{name: "priority", shape: count(0, maxPriority), dflt: "0", meaning: "importance for services that serve or shed by it; higher is more important"},
		{name: "idempotent", shape: toggle(), dflt: "true", meaning: "`false`: to carry it out twice does harm. It is retried only after failures in which nothing was done, and what is done twice all the same is counted"},
	}}
}

func keysShape() *shape {
	total := key{name: "count", shape: count(1, 1e9), need: true, meaning: "number of keys"}
	uniform := &shape{kind: mappingShape, name: "keys that are all alike", title: "Uniform keys", about: "Every key is asked for equally often.", keys: []key{total}}
	zipf := &shape{kind: mappingShape, name: "keys by Zipf's law", title: "Zipf keys", about: "The k-th key is asked for in proportion to 1/k^exponent: a few often, most hardly ever.", keys: []key{total,
		{name: "exponent", shape: &shape{kind: numberShape, name: "a number", lo: 0, hi: 10, above: true, example: "1"}, dflt: "1", meaning: "how unequal: the web's pages have 0.6 to 1"}}}
	hot := &shape{kind: mappingShape, name: "hot keys", title: "Hot keys", about: "A few keys get a large share of the requests; the others share the rest alike.", keys: []key{total,
		{name: "keys", shape: count(1, 1e9), dflt: "1", meaning: "number of hot keys"},
		{name: "share", shape: share(), need: true, meaning: "share of the requests that is about them"}}}
	return &shape{kind: mappingShape, name: "keys", title: "Keys", about: "What requests are about, drawn for each request alone.", keys: []key{
		{name: "uniform", shape: uniform, choice: true, meaning: "all keys alike"},
		{name: "zipf", shape: zipf, choice: true, meaning: "Zipf's law"},
		{name: "hot", shape: hot, choice: true, meaning: "a hot key, or a few"},
	}}
}

func patienceShape() *shape {
	long := &shape{kind: mappingShape, name: "a patience", title: "Patience", about: "A user who runs out of patience gives the request up (`abandoned` in the accounts). What was begun for it goes on, or not, as its service's `abandoned` says.", keys: []key{
		{name: "time", shape: distShape(), need: true, meaning: "how long a user waits; drawn for each request"},
		{name: "until", shape: oneWord("answered", "started"), dflt: "answered", meaning: "what the user waits for: the answer, or that a worker begins (who sees that it goes on stays)"},
	}}
	u := union("a time, or a mapping", duration(), long)
	u.lift = "time"
	return u
}

func retrialShape() *shape {
	return &shape{kind: mappingShape, name: "a retrial", title: "Retrial", about: "Users who got no answer come back with the same request: same class, same key. It is a new request in the accounts. This is people who press reload, not the `retry` of a pipeline.", keys: []key{
		{name: "after", shape: distShape(), need: true, meaning: "time until they come back"},
		{name: "probability", shape: share(), dflt: "100%", meaning: "how many of them do, each time"},
		{name: "limit", shape: count(1, 1e6), dflt: "none", meaning: "how often one comes back at most"},
	}}
}

// sourceKeys are the laws of arrivals besides those of a curve.
func sourceKeys() []key {
	closed := &shape{kind: mappingShape, name: "a closed loop", title: "Closed loop", about: "Each user thinks, sends a request, waits until it has ended, and begins again. Offered load follows the answers: when they take longer, less is sent. A user whose request and thinking take no time at all pauses for 1ms.", keys: []key{
		{name: "users", shape: count(1, 1e6), need: true, meaning: "number of users of the whole fleet; they are spread over the instances in turn"},
		{name: "think", shape: distShape(), need: true, meaning: "time from the end of a request to the next one"},
	}}
	burst := &shape{kind: mappingShape, name: "a burst", title: "Burst", about: "Many requests at one instant: cron jobs, a cache that expires, a push message. They come from one instance after the other.", keys: []key{
		{name: "at", shape: duration(), dflt: "0s", meaning: "instant of the first"},
		{name: "size", shape: count(1, maxBatch), need: true, meaning: "number of requests"},
		{name: "every", shape: span(0.001, maxSpanS), dflt: "once", meaning: "time until the next one"},
	}}
	return []key{
		{name: "closed", shape: closed, choice: true, meaning: "a fixed number of users, each with one request at a time"},
		{name: "bursts", shape: listOf(burst, 1), choice: true, meaning: "many requests at one instant"},
		{name: "trace", shape: traceShape(), choice: true, meaning: "load that was recorded"},
		{name: "batch", shape: count(1, maxBatch), dflt: "1", meaning: "requests of `poisson` or `uniform` that arrive together; the rate stays that of requests"},
	}
}

func traceShape() *shape {
	values := func(name string, elem *shape) *shape {
		return union(name, text("a file", "arrivals.csv"), listOf(elem, 1))
	}
	return &shape{kind: mappingShape, name: "a trace", title: "Trace", about: "Recorded load, from a CSV file beside the scenario or written down as a list. A file has a value in a row, a head line if need be; `times` are seconds since the run began, or timestamps (`2024-05-01T12:00:00Z`), which count from the earliest. Most: 16 MiB, 1000000 times, 100000 counts.", keys: []key{
		{name: "times", shape: values("a file, or a list of durations", duration()), choice: true, meaning: "instants of arrival, in any order"},
		{name: "counts", shape: values("a file, or a list of numbers", count(0, 1e9)), choice: true, meaning: "requests in each interval"},
		{name: "every", shape: span(0.001, maxSpanS), dflt: "60s", meaning: "length of an interval of `counts`"},
		{name: "spread", shape: oneWord("poisson", "even"), dflt: "poisson", meaning: "how the requests of an interval come: at random with the interval's rate, or exactly so many at fixed gaps"},
		{name: "column", shape: text("a column", "count"), dflt: "1", meaning: "column of the file: its number, or its name in the head line"},
	}}
}

// curveShape is a rate curve that says more than its points.
func curveShape(point *shape) *shape {
	daily := &shape{kind: mappingShape, name: "a daily rate", title: "Daily rate", about: "The rate swings as a cosine between `low` and `high`, in 48 straight pieces.", keys: []key{
		{name: "low", shape: rate(), need: true, meaning: "lowest rate, half a period from the peak"},
		{name: "high", shape: rate(), need: true, meaning: "highest rate"},
		{name: "peak", shape: duration(), dflt: "half the period", meaning: "instant of the highest rate"},
		{name: "period", shape: span(1, maxSpanS), dflt: "24h", meaning: "time from peak to peak"},
	}}
	return &shape{kind: mappingShape, name: "a rate curve", title: "Rate curve", about: "A curve that repeats, or a daily swing.", keys: []key{
		{name: "points", shape: listOf(point, 1), choice: true, meaning: "points of one period; the first is at 0s"},
		{name: "daily", shape: daily, choice: true, meaning: "a swing between two rates"},
		{name: "every", shape: span(0.001, maxSpanS), dflt: "once", meaning: "period after which the points begin again"},
	}}
}
