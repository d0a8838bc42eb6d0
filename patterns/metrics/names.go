package metrics

import "strings"

// Kind says how values of a metric are to be read.
type Kind uint8

const (
	// Gauge: the value now; it goes up and down.
	Gauge Kind = iota
	// Counter: in all since the pipeline was made; it only goes up.
	Counter
)

// String returns gauge or counter.
func (k Kind) String() string {
	if k == Counter {
		return "counter"
	}
	return "gauge"
}

// Metric describes one of the fixed list.
type Metric struct {
	// Name is dotted, as in resilience.breaker.state.
	Name string
	Kind Kind
	// Unit is "s", "%" or what is counted in braces, as in {call} (UCUM).
	Unit string
	// Labels are the names of a sample's labels, pipeline and policy first.
	Labels []string
	// Help is one sentence.
	Help string
}

// Prometheus returns the name as Prometheus wants it.
func (m Metric) Prometheus() string {
	name := strings.ReplaceAll(m.Name, ".", "_")
	switch m.Unit {
	case "s":
		name += "_seconds"
	case "%":
		name += "_percent"
	}
	if m.Kind == Counter {
		name += "_total"
	}
	return name
}

// id is the position of a metric in the list.
type id uint8

const (
	breakerState id = iota
	breakerFailureRate
	breakerSlowRate
	breakerBuffered
	breakerFailed
	breakerSlow
	breakerInFlight
	breakerLate
	breakerChanges
	bulkheadSlots
	bulkheadInUse
	bulkheadWaiting
	bulkheadGranted
	bulkheadQueued
	bulkheadRejected
	bulkheadGaveUp
	bulkheadDropped
	budgetBalance
	hedgeDelay
	hedgeStarted
	hedgeWon
	throttleProbability
	throttleGranted
	throttleRejected
	rateAvailable
	rateGranted
	rateWaited
	rateRejected
	rateCancelled
	limitLimit
	limitInUse
	limitBase
	limitGranted
	limitRejected
	limitAnswered
	limitDropped
	retries
	retryWaits
	timeouts
	refusals
	fallbacks
	ids int = iota
)

// All returns every metric there is, in a fixed order.
func All() []Metric { return append([]Metric(nil), table[:]...) }

func plain() []string { return []string{"pipeline", "policy"} }

func with(more ...string) []string { return append(plain(), more...) }

var table = [ids]Metric{
	breakerState:        {"resilience.breaker.state", Gauge, "{state}", with("state"), "1 for the state that the circuit breaker is in, 0 for the others"},
	breakerFailureRate:  {"resilience.breaker.failure_rate", Gauge, "%", plain(), "share of failed calls in the window; absent below the minimum number of calls"},
	breakerSlowRate:     {"resilience.breaker.slow_call_rate", Gauge, "%", plain(), "share of slow calls in the window; absent below the minimum number of calls"},
	breakerBuffered:     {"resilience.breaker.buffered_calls", Gauge, "{call}", plain(), "calls in the window"},
	breakerFailed:       {"resilience.breaker.failed_calls", Gauge, "{call}", plain(), "failed calls in the window"},
	breakerSlow:         {"resilience.breaker.slow_calls", Gauge, "{call}", plain(), "slow calls in the window"},
	breakerInFlight:     {"resilience.breaker.calls_in_flight", Gauge, "{call}", plain(), "calls that were let in and have not ended, of the present state"},
	breakerLate:         {"resilience.breaker.late_calls", Counter, "{call}", plain(), "calls that ended after the breaker had changed"},
	breakerChanges:      {"resilience.breaker.changes", Counter, "{change}", with("from", "to", "why"), "changes of state; from equals to where a rate was reached that changes nothing"},
	bulkheadSlots:       {"resilience.bulkhead.slots", Gauge, "{slot}", plain(), "slots of the bulkhead"},
	bulkheadInUse:       {"resilience.bulkhead.in_use", Gauge, "{slot}", plain(), "slots in use"},
	bulkheadWaiting:     {"resilience.bulkhead.waiting", Gauge, "{call}", plain(), "calls that wait for a slot"},
	bulkheadGranted:     {"resilience.bulkhead.granted_calls", Counter, "{call}", plain(), "calls that got a slot at once"},
	bulkheadQueued:      {"resilience.bulkhead.queued_calls", Counter, "{call}", plain(), "calls that began to wait"},
	bulkheadRejected:    {"resilience.bulkhead.rejected_calls", Counter, "{call}", plain(), "calls that found neither a slot nor room to wait"},
	bulkheadGaveUp:      {"resilience.bulkhead.gave_up_calls", Counter, "{call}", plain(), "calls that gave up waiting"},
	bulkheadDropped:     {"resilience.bulkhead.dropped_calls", Counter, "{call}", plain(), "calls that were taken out of the queue"},
	budgetBalance:       {"resilience.budget.balance", Gauge, "{token}", plain(), "what the budget of a retry or hedge has left"},
	hedgeDelay:          {"resilience.hedge.delay", Gauge, "s", plain(), "delay after which a hedge is begun now"},
	hedgeStarted:        {"resilience.hedge.started_hedges", Counter, "{attempt}", plain(), "hedges that were begun"},
	hedgeWon:            {"resilience.hedge.won_hedges", Counter, "{attempt}", plain(), "hedges that answered first"},
	throttleProbability: {"resilience.throttle.rejection_probability", Gauge, "%", plain(), "probability with which the next call is refused"},
	throttleGranted:     {"resilience.throttle.granted_calls", Counter, "{call}", plain(), "calls that the throttle let in"},
	throttleRejected:    {"resilience.throttle.rejected_calls", Counter, "{call}", plain(), "calls that the throttle refused"},
	rateAvailable:       {"resilience.ratelimiter.available_permissions", Gauge, "{permit}", plain(), "permits there are now; below 0: reserved ahead"},
	rateGranted:         {"resilience.ratelimiter.granted_calls", Counter, "{call}", plain(), "calls that got a permit"},
	rateWaited:          {"resilience.ratelimiter.waited_calls", Counter, "{call}", plain(), "calls that got a permit and had to wait for it"},
	rateRejected:        {"resilience.ratelimiter.rejected_calls", Counter, "{call}", plain(), "calls that got no permit in time"},
	rateCancelled:       {"resilience.ratelimiter.cancelled_calls", Counter, "{call}", plain(), "calls that gave up waiting for their permit"},
	limitLimit:          {"resilience.adaptive.limit", Gauge, "{call}", plain(), "calls that the adaptive limit lets in at one time"},
	limitInUse:          {"resilience.adaptive.in_use", Gauge, "{call}", plain(), "calls inside"},
	limitBase:           {"resilience.adaptive.base_rtt", Gauge, "s", plain(), "round trip that counts as unloaded; absent while not known"},
	limitGranted:        {"resilience.adaptive.granted_calls", Counter, "{call}", plain(), "calls that were let in"},
	limitRejected:       {"resilience.adaptive.rejected_calls", Counter, "{call}", plain(), "calls that were refused"},
	limitAnswered:       {"resilience.adaptive.answered_calls", Counter, "{call}", plain(), "round trips that the limit learnt from"},
	limitDropped:        {"resilience.adaptive.dropped_calls", Counter, "{call}", plain(), "calls that were signs of overload"},
	retries:             {"resilience.retry.retries", Counter, "{attempt}", with("reason"), "repeats that were planned, by what they answer to"},
	retryWaits:          {"resilience.retry.wait", Counter, "s", plain(), "time that was planned to be waited before repeats"},
	timeouts:            {"resilience.timeout.timeouts", Counter, "{call}", plain(), "calls or attempts that a timeout gave up"},
	refusals:            {"resilience.refusals", Counter, "{call}", with("reason"), "calls that a policy let no further in"},
	fallbacks:           {"resilience.fallback.answers", Counter, "{call}", with("reason"), "answers that a fallback gave, by what they stand in for"},
}
