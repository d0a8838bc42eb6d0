package adaptive

import "github.com/resilsim/resilsim/patterns"

// Config holds the settings of an adaptive limit. Zero is zero: suggested values
// come from Defaults. A setting in which the algorithm has no part must be zero.
type Config struct {
	// Algorithm is aimd, vegas, gradient2, gradient or envoy.
	Algorithm Algorithm `yaml:"algorithm" json:"algorithm"`
	// InitialLimit is the first limit; from MinLimit to MaxLimit.
	InitialLimit int `yaml:"initialLimit" json:"initialLimit"`
	// MinLimit is the floor, at least 1.
	MinLimit int `yaml:"minLimit" json:"minLimit"`
	// MaxLimit is the ceiling, at most 1,000,000.
	MaxLimit int `yaml:"maxLimit" json:"maxLimit"`

	// BackoffRatio multiplies the limit after a drop. Range [0.5,1). gradient2
	// takes 0 as well: drops lower nothing by themselves, as in its origin.
	BackoffRatio float64 `yaml:"backoffRatio" json:"backoffRatio"`
	// Timeout: aimd takes a round trip strictly longer for a drop; 0: none.
	Timeout patterns.Duration `yaml:"timeout" json:"timeout"`
	// Smoothing is the share of the new value in the next limit, in (0,1].
	// vegas and gradient2 smooth every step, gradient only those down.
	Smoothing float64 `yaml:"smoothing" json:"smoothing"`

	// ProbeMultiplier m: vegas measures the base round trip anew after between
	// m/2 and m times as many samples as its limit. At least 1.
	ProbeMultiplier int `yaml:"probeMultiplier" json:"probeMultiplier"`
	// Alpha and Beta are the bounds of vegas' queue; 0: 3 and 6 times L10, where
	// L10 is max(1, trunc(log10 limit)).
	Alpha int `yaml:"alpha" json:"alpha"`
	Beta  int `yaml:"beta" json:"beta"`
	// Decrease is vegas' step down: log10 (default, by L10) or halve.
	Decrease Decrease `yaml:"decrease" json:"decrease"`

	// QueueSize is what gradient and gradient2 add to every new limit, so that
	// it can grow. gradient takes 0 for max(4, trunc(sqrt limit)).
	QueueSize int `yaml:"queueSize" json:"queueSize"`
	// RTTTolerance t: round trips up to t times the base lower nothing. At least 1.
	RTTTolerance float64 `yaml:"rttTolerance" json:"rttTolerance"`
	// LongWindow n: gradient2's base is an exponential average with weight 2/(n+1).
	LongWindow int `yaml:"longWindow" json:"longWindow"`
	// WarmupWindow: over so many first samples that base is their plain mean.
	WarmupWindow int `yaml:"warmupWindow" json:"warmupWindow"`
	// ProbeInterval n: gradient drops to its queue size and measures the base
	// anew after n to 2n samples; 0: never.
	ProbeInterval int `yaml:"probeInterval" json:"probeInterval"`

	// ConcurrencyUpdateInterval is the length of envoy's sample window.
	ConcurrencyUpdateInterval patterns.Duration `yaml:"concurrencyUpdateInterval" json:"concurrencyUpdateInterval"`
	// SampleAggregatePercentile stands for the samples of envoy's windows. Range (0,100].
	SampleAggregatePercentile patterns.Percent `yaml:"sampleAggregatePercentile" json:"sampleAggregatePercentile"`
	// MinRTTInterval is the time from one measurement of the least round trip
	// to the next.
	MinRTTInterval patterns.Duration `yaml:"minRttInterval" json:"minRttInterval"`
	// MinRTTJitter adds up to this share of the interval. Range [0,100].
	MinRTTJitter patterns.Percent `yaml:"minRttJitter" json:"minRttJitter"`
	// MinRTTRequestCount is the number of samples that end a measurement.
	MinRTTRequestCount int `yaml:"minRttRequestCount" json:"minRttRequestCount"`
	// MinRTTConcurrency is the limit during a measurement; from MinLimit to MaxLimit.
	MinRTTConcurrency int `yaml:"minRttConcurrency" json:"minRttConcurrency"`
	// MinRTTBuffer is how much longer than the least a round trip may be before
	// the limit falls. Range [0,100].
	MinRTTBuffer patterns.Percent `yaml:"minRttBuffer" json:"minRttBuffer"`

	// MedianSamples n, odd, puts the median of the last n samples in the place
	// of each, so that no single odd one is heard; 0: off. Not for envoy.
	MedianSamples int `yaml:"medianSamples" json:"medianSamples"`
	// Window gathers samples and hands on one for each window; nil: off. Not for
	// envoy, which has windows of its own.
	Window *Window `yaml:"window" json:"window"`
	// Partitions guarantee shares of the limit to classes of calls.
	Partitions []Partition `yaml:"partitions" json:"partitions"`
}

// Window holds the settings of windowed sampling.
type Window struct {
	// MinWindowTime and MaxWindowTime bound the length, which is twice the least
	// round trip of the window before. At least 1ms.
	MinWindowTime patterns.Duration `yaml:"minWindowTime" json:"minWindowTime"`
	MaxWindowTime patterns.Duration `yaml:"maxWindowTime" json:"maxWindowTime"`
	// WindowSize is the least number of samples; with fewer the window is thrown
	// away, all but a drop.
	WindowSize int `yaml:"windowSize" json:"windowSize"`
	// MinRTTThreshold: a shorter round trip is no sample.
	MinRTTThreshold patterns.Duration `yaml:"minRttThreshold" json:"minRttThreshold"`
	// Percentile of the window's samples that is handed on; 0: their mean.
	Percentile patterns.Percent `yaml:"percentile" json:"percentile"`
}

// Partition is a class of calls with a share of the limit.
type Partition struct {
	Name string `yaml:"name" json:"name"`
	// Share of the limit that is kept for it, in percent, above 0.
	Share patterns.Percent `yaml:"share" json:"share"`
}

// Algorithm names a rule by which the limit moves.
type Algorithm string

// The algorithms.
const (
	AIMD      Algorithm = "aimd"
	Vegas     Algorithm = "vegas"
	Gradient2 Algorithm = "gradient2"
	Gradient  Algorithm = "gradient"
	Envoy     Algorithm = "envoy"
)

// Decrease names a step down.
type Decrease string

// The steps down of vegas.
const (
	ByLog10 Decrease = "log10"
	Halve   Decrease = "halve"
)
