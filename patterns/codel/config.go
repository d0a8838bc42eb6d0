package codel

import "github.com/resilsim/resilsim/patterns"

// Config holds the settings, under the names that CoDel's authors gave them.
type Config struct {
	// Target is the wait that a queue may stand at. Above 0.
	Target patterns.Duration `yaml:"target" json:"target"`
	// Interval is how long waits must not fall below Target. At least Target.
	Interval patterns.Duration `yaml:"interval" json:"interval"`
	// Variant is services (default) or rfc8289.
	Variant Variant `yaml:"variant" json:"variant"`
}

// Variant is the rule by which requests are dropped.
type Variant string

// The variants.
const (
	// Services is folly's rule: in an overloaded interval drop what waited
	// longer than twice the target.
	Services Variant = "services"
	// RFC8289 is the rule for packets: drop one at a time, ever more often.
	RFC8289 Variant = "rfc8289"
)
