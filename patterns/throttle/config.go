package throttle

import "github.com/resilsim/resilsim/patterns"

// Config holds the settings of a client's throttle. Exactly one of K and
// SuccessRateThreshold is above 0.
type Config struct {
	// K is the multiplier of the SRE book: nothing is refused while requests are
	// at most K times the accepted ones. 1 to 1000.
	K float64 `yaml:"k" json:"k"`
	// SuccessRateThreshold is 100/K, in percent (Envoy's sr_threshold).
	SuccessRateThreshold patterns.Percent `yaml:"successRateThreshold" json:"successRateThreshold"`
	// Aggression bends the probability: at 1 it grows in proportion to the
	// excess, above 1 it rises steeply at first. 1 to 100.
	Aggression float64 `yaml:"aggression" json:"aggression"`
	// MaxRejectionProbability caps the probability, in percent, above 0.
	MaxRejectionProbability patterns.Percent `yaml:"maxRejectionProbability" json:"maxRejectionProbability"`
	// MinimumNumberOfCalls is how many requests the window must hold before
	// anything is refused.
	MinimumNumberOfCalls int `yaml:"minimumNumberOfCalls" json:"minimumNumberOfCalls"`
	// RPSThreshold is the rate of requests, a second over the whole window, below
	// which nothing is refused.
	RPSThreshold float64 `yaml:"rpsThreshold" json:"rpsThreshold"`
	// SamplingWindow is how long requests count, 1s to 1h.
	SamplingWindow patterns.Duration `yaml:"samplingWindow" json:"samplingWindow"`
	// Buckets is the number of parts in which the window moves on, 1 to 1000.
	Buckets int `yaml:"buckets" json:"buckets"`
	// Counting is all (default) or sent; see the package comment.
	Counting Counting `yaml:"counting" json:"counting"`
}

// Counting says whether calls that the throttle refused are requests.
type Counting string

// The counting rules.
const (
	// All counts the calls that were refused here with those that were sent.
	All Counting = "all"
	// Sent counts only what was sent.
	Sent Counting = "sent"
)
