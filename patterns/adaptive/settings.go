package adaptive

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Defaults returns the settings that the origin of an algorithm suggests: those
// of Netflix' concurrency-limits, and for envoy those of its adaptive
// concurrency filter, with the two intervals of its manual. For a name that is
// no algorithm it returns a Config that only holds the name.
func Defaults(a Algorithm) Config {
	c := Config{Algorithm: a}
	switch a {
	case AIMD:
		c.InitialLimit, c.MinLimit, c.MaxLimit = 20, 20, 200
		c.BackoffRatio, c.Timeout = 0.9, patterns.Duration(5*time.Second)
	case Vegas:
		c.InitialLimit, c.MinLimit, c.MaxLimit = 20, 1, 1000
		c.Smoothing, c.ProbeMultiplier, c.Decrease = 1, 30, ByLog10
	case Gradient2:
		c.InitialLimit, c.MinLimit, c.MaxLimit = 20, 20, 200
		c.Smoothing, c.RTTTolerance, c.QueueSize = 0.2, 1.5, 4
		c.LongWindow, c.WarmupWindow = 600, 10
	case Gradient:
		c.InitialLimit, c.MinLimit, c.MaxLimit = 50, 1, 1000
		c.Smoothing, c.RTTTolerance, c.ProbeInterval, c.BackoffRatio = 0.2, 2, 1000, 0.9
	case Envoy:
		c.InitialLimit, c.MinLimit, c.MaxLimit, c.MinRTTConcurrency = 3, 3, 1000, 3
		c.ConcurrencyUpdateInterval = patterns.Duration(100 * time.Millisecond)
		c.SampleAggregatePercentile = patterns.PercentOf(50)
		c.MinRTTInterval = patterns.Duration(time.Minute)
		c.MinRTTJitter, c.MinRTTBuffer = patterns.PercentOf(15), patterns.PercentOf(25)
		c.MinRTTRequestCount = 50
	}
	return c
}

// DefaultWindow returns the windowed sampling that Netflix suggests: one second,
// ten samples, the mean.
func DefaultWindow() Window {
	return Window{
		MinWindowTime: patterns.Duration(time.Second), MaxWindowTime: patterns.Duration(time.Second),
		WindowSize: 10, MinRTTThreshold: patterns.Duration(100 * time.Microsecond),
	}
}

// Settings is a compiled Config. It is immutable; all limiters of a fleet share
// one.
type Settings struct {
	algorithm         Algorithm
	initial, min, max float64
	backoff           float64
	timeout           float64 // ns; 0: none
	smoothing         float64
	probeMultiplier   float64
	alpha, beta       int
	halve             bool
	queue             float64 // 0: by square root
	tolerance         float64
	weight            float64 // of a sample in the long average
	warmup            int64
	probeInterval     int64
	median            int
	window            *windowRule
	envoy             envoyRule
	partitions        []Partition
}

// Compile checks the settings and prepares them. The error tells every fault.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("adaptive: %w", err)
	}
	s := &Settings{
		algorithm: c.Algorithm,
		initial:   float64(c.InitialLimit), min: float64(c.MinLimit), max: float64(c.MaxLimit),
		backoff: c.BackoffRatio, timeout: float64(c.Timeout), smoothing: c.Smoothing,
		probeMultiplier: float64(c.ProbeMultiplier), alpha: c.Alpha, beta: c.Beta, halve: c.Decrease == Halve,
		queue: float64(c.QueueSize), tolerance: c.RTTTolerance,
		weight: 2 / (float64(c.LongWindow) + 1), warmup: int64(c.WarmupWindow),
		probeInterval: int64(c.ProbeInterval), median: c.MedianSamples,
		envoy: envoyRule{
			every: c.ConcurrencyUpdateInterval.Std(), percentile: c.SampleAggregatePercentile,
			interval: c.MinRTTInterval.Std(), jitter: c.MinRTTJitter.Float() / 100,
			requests: int64(c.MinRTTRequestCount), pin: float64(c.MinRTTConcurrency),
			slack: 1 + c.MinRTTBuffer.Float()/100,
		},
		partitions: append([]Partition(nil), c.Partitions...),
	}
	if w := c.Window; w != nil {
		s.window = &windowRule{
			shortest: w.MinWindowTime.Std(), longest: w.MaxWindowTime.Std(), size: int64(w.WindowSize),
			threshold: float64(w.MinRTTThreshold), percentile: w.Percentile,
		}
	}
	return s, nil
}

// NeedsDraw reports whether a Report may use its draw.
func (s *Settings) NeedsDraw() bool {
	return s.algorithm == Vegas ||
		(s.algorithm == Gradient && s.probeInterval > 0) ||
		(s.algorithm == Envoy && s.envoy.jitter > 0)
}

// Partition returns the number of the partition of the given name, for
// AcquireIn; Unknown if there is none.
func (s *Settings) Partition(name string) int {
	for i, p := range s.partitions {
		if p.Name == name {
			return i
		}
	}
	return Unknown
}

// clamp returns the limit within floor and ceiling.
func (s *Settings) clamp(limit float64) float64 { return max(s.min, min(s.max, limit)) }
