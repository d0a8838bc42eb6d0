package scenario

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/health"
	"github.com/resilsim/resilsim/patterns/outlier"
)

// LyingCheck is the fault of health checks that say the same whatever is so.
const LyingCheck FaultKind = "lyingCheck"

// Balancing is what stands before the instances of a service. The zero value takes one
// instance after the other, whether it is up or not.
type Balancing struct {
	// LoadBalancer chooses the instance of each request; nil: one after the other.
	LoadBalancer *LoadBalancer
	// Liveness restarts instances; nil: nothing does.
	Liveness *Liveness
	// Broker: requests are messages, answered when they are stored; nil: they are not.
	Broker *Broker
	// Autoscale changes the number of instances; nil: it stays.
	Autoscale *Autoscale
}

// Broker makes a service a broker with its consumers.
type Broker struct {
	// Deliveries of a message in all, at least 1, RedeliverAfter apart.
	Deliveries     int
	RedeliverAfter time.Duration
}

// Autoscale changes the number of instances by the utilisation of their workers.
type Autoscale struct {
	Min, Max               int
	Target, Tolerance      float64
	Interval               time.Duration
	StartupDelay           time.Duration
	ScaleDownStabilisation time.Duration
}

// LoadBalancer chooses the instance of each request.
type LoadBalancer struct {
	Policy Picking
	// Choices of random_choices, 1 to 64.
	Choices int
	// PanicThreshold: with less than this percentage of the instances in use, all are.
	PanicThreshold patterns.Percent
	// HealthCheck takes instances out of use; nil: none.
	HealthCheck *HealthCheck
	// Outlier ejects instances that fail; nil: none.
	Outlier *outlier.Config
}

// Picking is the rule by which an instance is chosen.
type Picking string

// The rules.
const (
	RoundRobin    Picking = "round_robin"
	AtRandom      Picking = "random"
	LeastRequests Picking = "least_requests"
	RandomChoices Picking = "random_choices"
)

// CheckKind is what a check looks at.
type CheckKind string

// The kinds.
const (
	Shallow      CheckKind = "shallow"
	Pool         CheckKind = "pool"
	Deep         CheckKind = "deep"
	BreakerCheck CheckKind = "breaker"
)

// HealthCheck takes instances out of use.
type HealthCheck struct {
	Kind              CheckKind
	Interval, Timeout time.Duration
	// Unhealthy checks in a row take an instance out, Healthy ones bring it back.
	Unhealthy, Healthy int
	// Readiness of a pool check.
	Readiness health.Config
}

// Liveness is a check that restarts instances.
type Liveness struct {
	Kind              CheckKind
	Interval, Timeout time.Duration
	// Failures in a row restart an instance, which is down for Restart.
	Failures  int
	Restart   time.Duration
	Readiness health.Config
}
