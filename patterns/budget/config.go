package budget

import "github.com/resilsim/resilsim/patterns"

// Config holds the settings of a retry budget. Exactly one kind is used:
// the time window (Window above 0) or the token bucket (Capacity above 0).
type Config struct {
	// Ratio is the share of calls that may be retried: 0.1 buys one retry for ten
	// calls (written 10% or 0.1 in scenarios). Range [0,1000].
	Ratio float64 `yaml:"ratio" json:"ratio"`
	// Window is how long deposits and withdrawals count (Finagle's ttl), 1s to 60s.
	Window patterns.Duration `yaml:"window" json:"window"`
	// MinPerSecond is the reserve of a window: so many retries a second are
	// granted whatever the load.
	MinPerSecond float64 `yaml:"minPerSecond" json:"minPerSecond"`
	// Capacity is the most tokens of a token bucket.
	Capacity float64 `yaml:"capacity" json:"capacity"`
	// Initial is the balance a token bucket starts with; nil: full.
	Initial *float64 `yaml:"initial" json:"initial"`
	// Deposit says what earns Ratio tokens: call (each call begun, default) or
	// success (each call answered).
	Deposit Deposit `yaml:"deposit" json:"deposit"`
}

// Deposit says what earns tokens.
type Deposit string

// The deposit rules.
const (
	PerCall    Deposit = "call"
	PerSuccess Deposit = "success"
)
