package codel

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Defaults returns the settings that folly and RFC 8289 both suggest.
func Defaults() Config {
	return Config{
		Target:   patterns.Duration(5 * time.Millisecond),
		Interval: patterns.Duration(100 * time.Millisecond),
		Variant:  Services,
	}
}

// longest bounds both durations, so that no sum of them overflows.
const longest = 24 * time.Hour

// Validate returns every fault of the settings. It changes nothing.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	if c.Target <= 0 || c.Target.Std() > longest {
		fs.Add("target", "%s is not above 0 and at most %s", c.Target, longest)
	}
	if c.Interval < max(c.Target, 1) || c.Interval.Std() > longest {
		fs.Add("interval", "%s is not from target (%s) to %s", c.Interval, c.Target, longest)
	}
	switch c.Variant {
	case "", Services, RFC8289:
	default:
		fs.Add("variant", "'%s' is not services or rfc8289", c.Variant)
	}
	return fs
}

// Settings is a compiled Config. It is immutable and may be shared.
type Settings struct {
	target, interval time.Duration
	spaced           bool
}

// Compile checks the settings and prepares them. The error tells every fault.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("codel: %w", err)
	}
	return &Settings{target: c.Target.Std(), interval: c.Interval.Std(), spaced: c.Variant == RFC8289}, nil
}
