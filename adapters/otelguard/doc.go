// Package otelguard answers: how does OpenTelemetry see what the patterns do?
//
//	registry or pipelines ─► metrics.Meter ─► Observe ─► instruments of a MeterProvider
//	events ──────────────────────┘
//	        └──────────────► Tracer.Listen ─┐
//	a call ────────────────► Do ────────────┴► a span, with its events
//
// Observe registers an instrument for each metric of the package metrics, under the same
// name, unit and labels. They are observable: nothing happens until a reader collects.
//
// Do makes a call through a pipeline inside a span of its own:
//
//	resilience.retry     an attempt was begun after another      resilience.attempt
//	resilience.hedge     an attempt was begun beside another     resilience.attempt
//	resilience.breaker   a breaker of this pipeline changed      resilience.policy, from, to, why
//	                     while the call was under way
//
// The span ends with resilience.attempts, resilience.degraded and, for a call that failed,
// resilience.reason. What an error says is not written down: it may hold what a caller sent.
//
// # When not to use it
//
// Do not trace calls that take microseconds: a span costs more than they do. The
// metrics cost nothing between two collections.
package otelguard
