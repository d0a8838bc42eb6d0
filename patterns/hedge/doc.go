// Package hedge answers: this attempt is taking long; when is it worth asking a
// second time without giving the first one up?
//
// A hedge is another attempt of the same call that runs beside the first. The
// first answer wins, and the others are given up:
//
//	attempt 1  ├──────────────────────────╳ given up
//	           │ delay │
//	attempt 2  ·       ├────────┤ answered first
//	the call   ├────────────────┤
//
// This core holds what a client remembers of its latencies and says how long an
// attempt may run before the next one is started: the delay of the settings, or
// the percentile of the latest answers that delayPercentile names once there are
// minimumNumberOfCalls of them. A budget (package budget) and the deadline are
// asked by whoever drives the call.
//
// # What is remembered
//
// The time of each first attempt that was answered, and of each that was overtaken
// by a hedge the time until then. The latter is too short, but it is longer than
// the delay: as long as the delay is at or above the percentile, the percentile
// depends only on how many such values there are, not on how long they are. What
// failed is not remembered: an error says nothing about how long an answer takes.
//
// # What it buys, what it costs
//
// With S(t) the probability that one attempt takes longer than t, independent from
// attempt to attempt, and one hedge after d,
//
//	P(call takes longer than t) = S(t)           for t < d
//	                              S(t) S(t - d)  for t >= d
//
// and a share S(d) of the calls is asked twice. With the 95th percentile as delay
// that is 5 % more load.
//
// Source: Dean and Barroso, "The Tail at Scale", CACM 56(2), 2013; gRPC A6.
//
// # When not
//
// Not for calls that do harm when carried out twice: a pipeline never hedges a call
// that is marked as not idempotent. Not against overload: then every attempt is
// slow, each is hedged, and the load doubles when it hurts most. Have a budget of 5
// to 10 %, and a percentile as delay rather than a fixed time: a percentile
// follows the dependency when it slows down, a fixed delay hedges everything then.
//
// # Values
//
// delayPercentile 95, windowSize 100 to 1000, maxHedges 1, a budget with ratio 5 %
// to 10 %. The fixed delay is what is used until the window knows enough: take the
// 95th percentile of a quiet day.
package hedge
