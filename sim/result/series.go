package result

import "math"

// Series holds every curve of a run: one row per interval, one column per scope and metric. An absent
// value (a quantile of an empty interval) is NaN here and an empty cell in CSV.
type Series struct {
	// StartS of each interval, seconds.
	StartS []float64
	// Columns in catalogue order within each scope.
	Columns []Column
}

// Column is one metric of one scope over time.
type Column struct {
	Scope  string
	Metric string
	Values []float64
}

// Absent is the value of nothing.
var Absent = math.NaN()

// Column finds a curve, or nil.
func (s *Series) Column(scope, metric string) []float64 {
	for i := range s.Columns {
		if s.Columns[i].Scope == scope && s.Columns[i].Metric == metric {
			return s.Columns[i].Values
		}
	}
	return nil
}

// ScopeKind says for which scopes a metric is recorded.
type ScopeKind string

// The kinds of scope.
const (
	Callers  ScopeKind = "callers"
	Services ScopeKind = "services"
	Run      ScopeKind = "run"
)

// Metric is an entry of the catalogue: everything that can be drawn or claimed.
type Metric struct {
	Name string
	Kind ScopeKind
	// Unit of the stored value: "/s", "ms", "s", "share" (in [0,1]), "count", "ratio".
	Unit string
	// Meaning in one sentence, for the reference page and for explain.
	Meaning string
	// Combine says how a window is summed up by default: rate (totals over time),
	// ratio (sum of numerator over sum of denominator), gauge (mean of intervals),
	// quantile (pooled over the window's histogram), run (one value for the run).
	Combine string
	// Num and Den are the metrics a ratio is made of.
	Num, Den string
}

// Catalogue lists every recorded metric, in column order.
func Catalogue() []Metric {
	return append(append(callerMetrics(), serviceMetrics()...), runMetrics()...)
}

func callerMetrics() []Metric {
	const k = Callers
	return []Metric{
		{Name: "offered", Kind: k, Unit: "/s", Combine: "rate", Meaning: "requests that arrived at the fleet's door"},
		{Name: "attempts", Kind: k, Unit: "/s", Combine: "rate", Meaning: "attempts begun for them, first tries and retries"},
		{Name: "retries", Kind: k, Unit: "/s", Combine: "rate", Meaning: "attempts that were not first tries: retries and hedges"},
		{Name: "goodput", Kind: k, Unit: "/s", Combine: "rate", Meaning: "requests answered by the dependency in time"},
		{Name: "degraded", Kind: k, Unit: "/s", Combine: "rate", Meaning: "requests answered by a fallback"},
		{Name: "failed", Kind: k, Unit: "/s", Combine: "rate", Meaning: "requests that ended in an error or a timeout"},
		{Name: "refused", Kind: k, Unit: "/s", Combine: "rate", Meaning: "requests refused in the end: by a pattern on the caller's side, shed, turned away by a full queue, or no instance was up"},
		{Name: "abandoned", Kind: k, Unit: "/s", Combine: "rate", Meaning: "requests given up by their own user"},
		{Name: "timeouts", Kind: k, Unit: "/s", Combine: "rate", Meaning: "attempts that ended in a timeout"},
		{Name: "in_flight", Kind: k, Unit: "count", Combine: "gauge", Meaning: "requests begun and not ended, at the end of the interval"},
		{Name: "goodput_share", Kind: k, Unit: "share", Combine: "ratio", Num: "goodput", Den: "offered", Meaning: "goodput as a share of offered load"},
		{Name: "error_share", Kind: k, Unit: "share", Combine: "ratio", Num: "failed", Den: "offered", Meaning: "failed requests as a share of offered load"},
		{Name: "degraded_share", Kind: k, Unit: "share", Combine: "ratio", Num: "degraded", Den: "offered", Meaning: "answers by a fallback as a share of offered load"},
		{Name: "amplification", Kind: k, Unit: "ratio", Combine: "ratio", Num: "attempts", Den: "offered", Meaning: "attempts per offered request"},
		{Name: "latency_p50", Kind: k, Unit: "ms", Combine: "quantile", Meaning: "median time of an answered request as its caller saw it"},
		{Name: "latency_p99", Kind: k, Unit: "ms", Combine: "quantile", Meaning: "99th percentile of the same"},
		{Name: "latency_p99.9", Kind: k, Unit: "ms", Combine: "quantile", Meaning: "99.9th percentile of the same"},
		{Name: "returns", Kind: k, Unit: "/s", Combine: "rate", Meaning: "requests of users who came back because they got no answer; only of fleets with a `retrial`"},
		{Name: "breakers_closed", Kind: k, Unit: "share", Combine: "gauge", Meaning: "share of the fleet's breakers that are closed, at the end of the interval"},
		{Name: "breakers_half_open", Kind: k, Unit: "share", Combine: "gauge", Meaning: "share that is half-open"},
		{Name: "breakers_open", Kind: k, Unit: "share", Combine: "gauge", Meaning: "share that is open or forced open"},
		{Name: "breaker_trips", Kind: k, Unit: "/s", Combine: "rate", Meaning: "transitions into open"},
	}
}

func serviceMetrics() []Metric {
	const k = Services
	return []Metric{
		{Name: "arrivals", Kind: k, Unit: "/s", Combine: "rate", Meaning: "attempts that reached the service's door"},
		{Name: "served", Kind: k, Unit: "/s", Combine: "rate", Meaning: "handlers that ended, wanted or not"},
		{Name: "useful", Kind: k, Unit: "/s", Combine: "rate", Meaning: "handlers that ended while their caller was still waiting"},
		{Name: "rejected", Kind: k, Unit: "/s", Combine: "rate", Meaning: "attempts that the service refused: queue full, not admitted, shed, or dropped from the queue"},
		{Name: "unreachable", Kind: k, Unit: "/s", Combine: "rate", Meaning: "connections refused while an instance was down"},
		{Name: "errors", Kind: k, Unit: "/s", Combine: "rate", Meaning: "handlers that ended in an error of their own"},
		{Name: "queue", Kind: k, Unit: "count", Combine: "gauge", Meaning: "requests waiting, over all instances, at the end of the interval"},
		{Name: "queue_max", Kind: k, Unit: "count", Combine: "gauge", Meaning: "the most requests waiting, over all instances, at any instant of the interval"},
		{Name: "busy", Kind: k, Unit: "count", Combine: "gauge", Meaning: "workers held, time average over the interval"},
		{Name: "workers", Kind: k, Unit: "count", Combine: "gauge", Meaning: "workers available, at the end of the interval"},
		{Name: "capacity", Kind: k, Unit: "/s", Combine: "gauge", Meaning: "what the workers available could serve at their present speed"},
		{Name: "utilisation", Kind: k, Unit: "share", Combine: "ratio", Num: "busy", Den: "workers", Meaning: "share of the available workers that is held"},
		{Name: "cores", Kind: k, Unit: "count", Combine: "gauge", Meaning: "cores available, at the end of the interval; only where work shares `cores`"},
		{Name: "cores_busy", Kind: k, Unit: "count", Combine: "gauge", Meaning: "those that work, time average over the interval"},
		{Name: "core_utilisation", Kind: k, Unit: "share", Combine: "ratio", Num: "cores_busy", Den: "cores", Meaning: "share of the available cores that works"},
		{Name: "wasted_share", Kind: k, Unit: "share", Combine: "ratio", Num: "wasted", Den: "work", Meaning: "share of finished service time whose caller had gone"},
		{Name: "wasted", Kind: k, Unit: "s/s", Combine: "rate", Meaning: "service time finished for callers that were gone"},
		{Name: "work", Kind: k, Unit: "s/s", Combine: "rate", Meaning: "service time finished"},
		{Name: "wait_mean", Kind: k, Unit: "ms", Combine: "gauge", Meaning: "mean time in the queue of requests that reached a worker in the interval"},
		{Name: "crashes", Kind: k, Unit: "/s", Combine: "rate", Meaning: "instances that crashed"},
		{Name: "duplicates", Kind: k, Unit: "/s", Combine: "rate", Meaning: "handlers that did once more what must not be done twice for a request; only where a class is not idempotent"},
		{Name: "cache_lookups", Kind: k, Unit: "/s", Combine: "rate", Meaning: "looks of its handlers into caches; only where there are any"},
		{Name: "cache_hits", Kind: k, Unit: "/s", Combine: "rate", Meaning: "those that found an answer"},
		{Name: "cache_hit_share", Kind: k, Unit: "share", Combine: "ratio", Num: "cache_hits", Den: "cache_lookups", Meaning: "share that did"},
		{Name: "calls", Kind: k, Unit: "/s", Combine: "rate", Meaning: "calls that its handlers sent to other services, first tries only"},
		{Name: "attempts", Kind: k, Unit: "/s", Combine: "rate", Meaning: "attempts begun for them, first tries and retries"},
		{Name: "retries", Kind: k, Unit: "/s", Combine: "rate", Meaning: "those that were not first tries: retries and hedges"},
		{Name: "timeouts", Kind: k, Unit: "/s", Combine: "rate", Meaning: "those that ended in a timeout"},
		{Name: "amplification", Kind: k, Unit: "ratio", Combine: "ratio", Num: "attempts", Den: "calls", Meaning: "attempts per call"},
		{Name: "breakers_closed", Kind: k, Unit: "share", Combine: "gauge", Meaning: "share of its handlers' breakers that are closed, at the end of the interval"},
		{Name: "breakers_half_open", Kind: k, Unit: "share", Combine: "gauge", Meaning: "share that is half-open"},
		{Name: "breakers_open", Kind: k, Unit: "share", Combine: "gauge", Meaning: "share that is open or forced open"},
		{Name: "breaker_trips", Kind: k, Unit: "/s", Combine: "rate", Meaning: "transitions into open"},
	}
}

func runMetrics() []Metric {
	const k = Run
	return []Metric{
		{Name: "verdict", Kind: k, Unit: "word", Combine: "run", Meaning: "stable, recovered, rescued, metastable, overloaded or undecided"},
		{Name: "recovery_time", Kind: k, Unit: "s", Combine: "run", Meaning: "time from the end of the last fault to the recovery instant"},
		{Name: "outage", Kind: k, Unit: "s", Combine: "run", Meaning: "time from the fall of goodput below the recovery share to its recovery, of all outages together"},
		{Name: "time_below", Kind: k, Unit: "s", Combine: "run", Meaning: "time with goodput below the recovery share of offered load, without the moments within an outage in which it was back"},
		{Name: "requests_failed", Kind: k, Unit: "count", Combine: "run", Meaning: "requests that failed or were refused, over the whole run"},
		{Name: "crash_count", Kind: k, Unit: "count", Combine: "run", Meaning: "crashes of instances over the whole run"},
	}
}
