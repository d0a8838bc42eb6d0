package fallback

import "github.com/resilsim/resilsim/patterns"

// Config holds the steps of a fallback ladder, first choice first.
type Config struct {
	// Steps are the names of the steps, at least one; names are labels in
	// accounts and events.
	Steps []string `yaml:"steps" json:"steps"`
}

// Validate reports every fault of the configuration.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	if len(c.Steps) == 0 {
		fs.Add("steps", "a fallback needs at least one step")
	}
	for _, s := range c.Steps {
		if s == "" {
			fs.Add("steps", "a step needs a name")
		}
	}
	return fs
}

// Applies reports whether a call that ended so is answered by the ladder: any
// failure or refusal, but not a call whose caller has gone.
func Applies(r patterns.Result) bool {
	return r.Outcome == patterns.Failure || r.Outcome == patterns.NotMade
}
