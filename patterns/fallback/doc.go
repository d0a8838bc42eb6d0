// Package fallback answers: what do we say when the dependency does not?
//
// A fallback is a ladder: steps are tried in order until one answers, for
// example a cached value, then a default, then an honest message. The answer is
// marked as degraded, so that a fallback that answers for weeks is seen in the
// numbers instead of hiding an outage. Put it outermost: further in, the breaker
// and the retry hear a success and never act.
package fallback
