package budget

import "github.com/resilsim/resilsim/patterns"

// Config holds the settings of a retry budget. Kind says which of them are
// used; one that does not belong to the kind must be zero. Suggested values come
// from Defaults and DefaultsOf.
type Config struct {
	// Kind is window, bucket, concurrency, tokens, quota or failure_rate. Empty:
	// window if Window is above 0, bucket if Capacity is.
	Kind Kind `yaml:"kind" json:"kind"`
	// Ratio is the share of calls that may be retried: 0.1 buys one retry for ten
	// calls (written 10% or 0.1 in scenarios). Range [0,1000]. For concurrency it is
	// the share of the calls in flight (Envoy's budget_percent), for tokens what a
	// success earns, of which only three decimals count (gRPC's tokenRatio).
	Ratio float64 `yaml:"ratio" json:"ratio"`
	// Window is how long deposits and withdrawals count (Finagle's ttl), or the
	// outcomes of a failure_rate, 1s to 60s.
	Window patterns.Duration `yaml:"window" json:"window"`
	// MinPerSecond is the reserve of a window: so many retries a second are
	// granted whatever the load.
	MinPerSecond float64 `yaml:"minPerSecond" json:"minPerSecond"`
	// Capacity is the most tokens of a bucket, tokens (gRPC's maxTokens, at most
	// 1000) or quota.
	Capacity float64 `yaml:"capacity" json:"capacity"`
	// Initial is the balance that a kind with a capacity starts with; nil: full.
	Initial *float64 `yaml:"initial" json:"initial"`
	// Deposit says what earns Ratio tokens of a window or bucket: call (each call
	// begun, default) or success (each call answered).
	Deposit Deposit `yaml:"deposit" json:"deposit"`
	// MinConcurrency is how many retries of a concurrency budget may be scheduled
	// or in flight whatever the load (Envoy's min_retry_concurrency).
	MinConcurrency int `yaml:"minConcurrency" json:"minConcurrency"`
	// Cost is what a retry takes from a quota. RejectedCost is what it takes when
	// the dependency had refused the attempt at its door (throttling); 0: Cost.
	Cost         int `yaml:"cost" json:"cost"`
	RejectedCost int `yaml:"rejectedCost" json:"rejectedCost"`
	// NoRetryIncrement is what a quota earns by a call that needed no retry.
	NoRetryIncrement float64 `yaml:"noRetryIncrement" json:"noRetryIncrement"`
	// FailureRateThreshold of failure_rate: nothing is retried while the share of
	// failed attempts in the window is above this many percent. Range [0,100).
	FailureRateThreshold patterns.Percent `yaml:"failureRateThreshold" json:"failureRateThreshold"`
	// MinimumNumberOfCalls must be in the window before a failure_rate refuses.
	MinimumNumberOfCalls int `yaml:"minimumNumberOfCalls" json:"minimumNumberOfCalls"`
}

// Kind is the rule by which a budget grants retries; see the package comment.
type Kind string

// The kinds.
const (
	Window      Kind = "window"
	Bucket      Kind = "bucket"
	Concurrency Kind = "concurrency"
	Tokens      Kind = "tokens"
	Quota       Kind = "quota"
	FailureRate Kind = "failure_rate"
)

// Deposit says what earns tokens.
type Deposit string

// The deposit rules.
const (
	PerCall    Deposit = "call"
	PerSuccess Deposit = "success"
)
