package models

import (
	"time"

	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/engine"
)

// Config is a model graph as data. References are indexes into its lists, -1
// for none.
type Config struct {
	Seed      engine.Seed
	Fleets    []FleetConfig
	Pipelines []PipelineConfig
	Services  []ServiceConfig
	Links     []LinkConfig
	Caches    []CacheConfig
}

// FleetConfig is a fleet of identical callers.
type FleetConfig struct {
	Name      string
	Instances int
	// Uniform: a fixed spacing instead of Poisson arrivals.
	Uniform bool
	// Curve is the rate of the whole fleet; its first point is at 0.
	Curve []RatePoint
	Do    []Step
	// Centred: the first of arrivals with a fixed spacing comes after half of it.
	Centred bool
	// Batch is how many requests of the curve arrive together; 0 is 1.
	Batch int
	// Closed, Bursts and Times are further sources of requests, beside the curve.
	Closed *ClosedConfig
	Bursts []Burst
	Times  []time.Duration
	// Classes of its requests; empty: all are of one sort.
	Classes []ClassConfig
	// Keys that requests are about; nil: none.
	Keys *KeysConfig
	// Patience of its users; nil: without end.
	Patience *PatienceConfig
	// Retrial of users without an answer; nil: they do not come back.
	Retrial *RetrialConfig
}

// RatePoint sets the rate (requests per second) from At on; with Ramp above 0
// it is reached linearly in that time.
type RatePoint struct {
	At   time.Duration
	Rate float64
	Ramp time.Duration
}

// Step is a piece of work (Call is -1), or a call to a service through a
// pipeline (-1: a bare call). It is done with the given probability.
type Step struct {
	Work          dist.Dist
	Call, Through int
	Probability   float64
	// Cache that is looked into before the call is made: its place+1 among the caches,
	// 0: none. Only in a service.
	Cache int
	// Group: neighbours of the same number, above 0, are done at one time; all of them
	// are calls. Times each of them is made, 0 is once. Need of them have to succeed, 0: all.
	Group, Times, Need int
}

// PipelineConfig is a list of policies, outermost first.
type PipelineConfig struct {
	Name string
	// Shared: one pipeline for all instances of a caller instead of one for each.
	Shared   bool
	Policies []pipeline.Policy
	// Ladders holds the rungs of each fallback, by the index of its policy.
	Ladders [][]Rung
	// Uncooperative: functions that are given up go on until their answer comes.
	Uncooperative bool
}

// Rung is a step of a fallback: a value that answers after Takes, or (Call not
// -1) a call to a service through a pipeline.
type Rung struct {
	Takes         time.Duration
	Call, Through int
}

// ServiceConfig is a service of Instances x Workers, which may be Unlimited.
type ServiceConfig struct {
	Name               string
	Instances, Workers int
	Do                 []Step
	// QueueLimit of each instance, -1: unbounded.
	QueueLimit int
	LIFO       bool
	Abandoned  Orphans
	// ErrorShare of handled requests that fail all the same, in [0,1].
	ErrorShare float64
	// CrashAbove: an instance whose queue is longer dies for CrashRestart; -1: never.
	CrashAbove   int
	CrashRestart time.Duration
	// ColdFrom is the speed in (0,1] right after a restart; it rises linearly to
	// 1 within ColdFor.
	ColdFrom float64
	ColdFor  time.Duration

	Queueing
	Processing
	// Balancer chooses among the instances; nil: one after the other.
	Balancer *BalancerConfig
	// Broker: requests are messages; nil: they are not.
	Broker *BrokerConfig
	// Scaler changes the number of instances; nil: it stays.
	Scaler *ScalerConfig
	// Most instances that an operator may scale out to; 0: those that there are.
	Most int
}

// Orphans says what becomes of work whose caller has gone.
type Orphans uint8

// Keep serves it all the same, Skip drops it when it reaches a worker, Cancel
// drops it wherever it is.
const (
	Keep Orphans = iota
	Skip
	Cancel
)

// LinkConfig is the way from a fleet or a service (both -1: from everybody) to
// a service; the latency is that of one direction.
type LinkConfig struct {
	FromFleet, FromService, To int
	Latency                    dist.Dist // nil: none
	// Loss is the share of messages that are lost, in each direction.
	Loss float64
}
