package timeout

import "github.com/resilsim/resilsim/patterns"

// Config holds the settings of a timeout. Inside a retry it bounds each
// attempt; outside, the whole call.
type Config struct {
	// TimeoutDuration is the time given to all that is inside. Above 0.
	TimeoutDuration patterns.Duration `yaml:"timeoutDuration" json:"timeoutDuration"`
	// Detached returns at the timeout even if the function inside does not
	// (it goes on in a goroutine of its own and keeps its bulkhead slot).
	// Default: the context is cancelled and the call ends when the function does.
	Detached bool `yaml:"detached" json:"detached"`
}
