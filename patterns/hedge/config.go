package hedge

import (
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
)

// Config holds the settings of hedging.
type Config struct {
	// MaxHedges is the most further attempts beside the first. 1 to 16.
	MaxHedges int `yaml:"maxHedges" json:"maxHedges"`
	// Delay is how long the latest attempt runs before the next one is started. 0:
	// all at once.
	Delay patterns.Duration `yaml:"delay" json:"delay"`
	// DelayPercentile, above 0, takes the delay from the latest answers: this percentile
	// of them, in percent, below 100. Until MinimumNumberOfCalls of them are known,
	// Delay is used. 0: always Delay.
	DelayPercentile patterns.Percent `yaml:"delayPercentile" json:"delayPercentile"`
	// WindowSize is the number of answers that are remembered. 1 to 10,000.
	WindowSize int `yaml:"windowSize" json:"windowSize"`
	// MinimumNumberOfCalls is how many answers must be known before the percentile
	// is. 1 to WindowSize.
	MinimumNumberOfCalls int `yaml:"minimumNumberOfCalls" json:"minimumNumberOfCalls"`
	// HedgeOnFailure starts the next attempt as soon as one fails, without the delay.
	// Without it a failure is borne only while another attempt is under way: when
	// none is, the call has failed.
	HedgeOnFailure bool `yaml:"hedgeOnFailure" json:"hedgeOnFailure"`
	// Budget bounds all hedges of a client together; nil: no bound.
	Budget *budget.Config `yaml:"budget" json:"budget"`
}
