package registry

import (
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/throttle"
	"github.com/resilsim/resilsim/patterns/timeout"
)

// Config holds what all instances have in common and what each has of its own.
type Config struct {
	// Defaults are the policies of an instance that says nothing else.
	Defaults Policies `yaml:"defaults" json:"defaults"`
	// Instances by name. A name that New was not given is an error.
	Instances map[string]Instance `yaml:"instances" json:"instances"`
}

// Instance is what one name has of its own.
type Instance struct {
	// SharedWith names the instance whose pipeline this name uses too. Then it has
	// nothing of its own.
	SharedWith string `yaml:"sharedWith" json:"sharedWith,omitempty"`
	// Without lists the kinds of the default policies that it does not have.
	Without []string `yaml:"without" json:"without,omitempty"`
	// Policies stand in the place of the default ones of their kind, each as a whole;
	// File lays single settings over the defaults.
	Policies `yaml:",inline"`
}

// Policies are the policies of a pipeline, at most one of each kind. Absent (nil): none, or
// in an Instance the default one. They are in the order of the fields, outermost first,
// unless Order says otherwise.
type Policies struct {
	// Order lists kinds by their keys, outermost first; all kinds that there are must be in it.
	Order []string `yaml:"order" json:"order,omitempty"`

	Fallback *fallback.Config `yaml:"fallback" json:"fallback,omitempty"`
	// CallTimeout bounds the whole call, its retries and waits included.
	CallTimeout    *timeout.Config   `yaml:"callTimeout" json:"callTimeout,omitempty"`
	Retry          *retry.Config     `yaml:"retry" json:"retry,omitempty"`
	Hedge          *hedge.Config     `yaml:"hedge" json:"hedge,omitempty"`
	CircuitBreaker *breaker.Config   `yaml:"circuitBreaker" json:"circuitBreaker,omitempty"`
	Throttle       *throttle.Config  `yaml:"throttle" json:"throttle,omitempty"`
	RateLimiter    *ratelimit.Config `yaml:"rateLimiter" json:"rateLimiter,omitempty"`
	AdaptiveLimit  *adaptive.Config  `yaml:"adaptiveLimit" json:"adaptiveLimit,omitempty"`
	Bulkhead       *bulkhead.Config  `yaml:"bulkhead" json:"bulkhead,omitempty"`
	// QueuedBulkhead looks at the level and the deadline of the calls that wait.
	QueuedBulkhead *bulkhead.QueueConfig `yaml:"queuedBulkhead" json:"queuedBulkhead,omitempty"`
	// ThreadPoolBulkhead is a pool of workers with a queue.
	ThreadPoolBulkhead *bulkhead.PoolConfig `yaml:"threadPoolBulkhead" json:"threadPoolBulkhead,omitempty"`
	// Timeout bounds each attempt.
	Timeout *timeout.Config `yaml:"timeout" json:"timeout,omitempty"`
}

// Defaults returns a retry, a circuit breaker, a bulkhead and a timeout with the
// suggested settings of their packages: something to lay a file's settings over.
func Defaults() Policies {
	r, b, h, t := retry.Defaults(), breaker.Defaults(), bulkhead.Defaults(), timeout.Defaults()
	return Policies{Retry: &r, CircuitBreaker: &b, Bulkhead: &h, Timeout: &t}
}

// list returns one policy for each kind, in the usual order and named by its key. Kinds
// that are absent are there without a pattern.
func (p Policies) list() []pipeline.Policy {
	return []pipeline.Policy{
		{Name: "fallback", Fallback: p.Fallback},
		{Name: "callTimeout", Timeout: p.CallTimeout},
		{Name: "retry", Retry: p.Retry},
		{Name: "hedge", Hedge: p.Hedge},
		{Name: breakerKey, CircuitBreaker: p.CircuitBreaker},
		{Name: "throttle", Throttle: p.Throttle},
		{Name: "rateLimiter", RateLimiter: p.RateLimiter},
		{Name: "adaptiveLimit", AdaptiveLimit: p.AdaptiveLimit},
		{Name: "bulkhead", Bulkhead: p.Bulkhead},
		{Name: "queuedBulkhead", QueuedBulkhead: p.QueuedBulkhead},
		{Name: "threadPoolBulkhead", ThreadPoolBulkhead: p.ThreadPoolBulkhead},
		{Name: "timeout", Timeout: p.Timeout},
	}
}

const breakerKey = "circuitBreaker"

// present reports whether a policy of a list has its pattern.
func present(p pipeline.Policy) bool { return p != pipeline.Policy{Name: p.Name} }
