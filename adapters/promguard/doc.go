// Package promguard answers: how does Prometheus see what the patterns do?
//
//	registry or pipelines ─► Collector ─► prometheus.Registry ─► /metrics
//	events ────────────────────┘
//
// A Collector is a prometheus.Collector over a metrics.Meter. Nothing is measured in the
// path of a call but the counting of rare events (a retry, a refusal, a change of state);
// all else is read when Prometheus asks.
//
// The names and labels are those of the package metrics, written as Prometheus wants them:
// resilience.breaker.state is resilience_breaker_state. The labels are fixed, and their values are
// names of the program and words of the patterns, so that the number of series is bounded.
//
// # When not to use it
//
// Not beside otelguard with a Prometheus exporter: the same series would come twice.
package promguard
