package timeout

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Defaults returns the settings that resilience4j's time limiter suggests.
func Defaults() Config { return Config{TimeoutDuration: patterns.Duration(time.Second)} }

// Validate returns every fault of the settings. It changes nothing.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	if c.TimeoutDuration <= 0 {
		fs.Add("timeoutDuration", "%s is not above 0", c.TimeoutDuration)
	}
	return fs
}

// Settings is a compiled Config. It is immutable and may be shared.
type Settings struct {
	after    time.Duration
	detached bool
}

// Compile checks the settings and prepares them. The error tells every fault.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("timeout: %w", err)
	}
	return &Settings{after: c.TimeoutDuration.Std(), detached: c.Detached}, nil
}

// Deadline returns the instant at which all that began at start must be over.
func (s *Settings) Deadline(start patterns.Instant) patterns.Instant { return start.Add(s.after) }

// Detached reports whether the caller goes on at the deadline even if the
// function inside has not returned.
func (s *Settings) Detached() bool { return s.detached }
