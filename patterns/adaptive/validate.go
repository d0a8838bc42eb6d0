package adaptive

import (
	"slices"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

const (
	// limitMax bounds the limit: so many permits at one time take 24 MB.
	limitMax = 1_000_000
	// countMax bounds settings that count samples.
	countMax = 1_000_000_000
	// medianMax bounds the work of one median.
	medianMax = 101
)

// Validate returns every fault of the settings. It changes nothing.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	if !slices.Contains([]Algorithm{AIMD, Vegas, Gradient2, Gradient, Envoy}, c.Algorithm) {
		fs.Add("algorithm", "'%s' is not aimd, vegas, gradient2, gradient or envoy", c.Algorithm)
		return fs
	}
	c.validateRange(&fs)
	for _, k := range c.keys() {
		k.check(c.Algorithm, &fs)
	}
	if c.Beta > 0 && c.Alpha > c.Beta {
		fs.Add("alpha", "%d is above beta (%d)", c.Alpha, c.Beta)
	}
	if !slices.Contains([]Decrease{"", ByLog10, Halve}, c.Decrease) {
		fs.Add("decrease", "'%s' is not log10 or halve", c.Decrease)
	}
	if n := c.MedianSamples; n%2 == 0 && n > 0 {
		fs.Add("medianSamples", "%d is not odd", n)
	}
	c.validateWindow(&fs)
	c.validatePartitions(&fs)
	return fs
}

func (c Config) validateRange(fs *patterns.Faults) {
	if c.MinLimit < 1 || c.MinLimit > limitMax {
		fs.Add("minLimit", "%d is not from 1 to %d", c.MinLimit, limitMax)
	}
	if c.MaxLimit < c.MinLimit || c.MaxLimit > limitMax {
		fs.Add("maxLimit", "%d is not from minLimit (%d) to %d", c.MaxLimit, c.MinLimit, limitMax)
	}
	if c.InitialLimit < c.MinLimit || c.InitialLimit > c.MaxLimit {
		fs.Add("initialLimit", "%d is not from minLimit (%d) to maxLimit (%d)", c.InitialLimit, c.MinLimit, c.MaxLimit)
	}
	if n := c.MinRTTConcurrency; c.Algorithm == Envoy && (n < c.MinLimit || n > c.MaxLimit) {
		fs.Add("minRttConcurrency", "%d is not from minLimit (%d) to maxLimit (%d)", n, c.MinLimit, c.MaxLimit)
	}
}

// key is a setting with a number: who uses it, and what is allowed then.
type key struct {
	name    string
	value   any // as it is shown
	set     bool
	allowed bool
	want    string
	users   []Algorithm
}

func (k key) check(a Algorithm, fs *patterns.Faults) {
	switch used := slices.Contains(k.users, a); {
	case !used && k.set:
		fs.Add(k.name, "%v: %s has no such setting", k.value, a)
	case used && !k.allowed:
		fs.Add(k.name, "%v is not %s", k.value, k.want)
	}
}

func (c Config) keys() []key {
	number := func(name string, v float64, allowed bool, want string, users ...Algorithm) key {
		return key{name, v, v != 0, allowed, want, users}
	}
	count := func(name string, n, least int, users ...Algorithm) key {
		want := "from 1 to 1000000000"
		if least == 0 {
			want = "from 0 to 1000000000"
		}
		return key{name, n, n != 0, n >= least && n <= countMax, want, users}
	}
	span := func(name string, d patterns.Duration, least time.Duration, users ...Algorithm) key {
		return key{name, d, d != 0, d.Std() >= least, least.String() + " or longer", users}
	}
	percent := func(name string, p patterns.Percent, least patterns.Percent) key {
		return key{name, p, p != 0, p >= least && p <= patterns.PercentOf(100),
			"from " + least.String() + " to 100 (percent)", []Algorithm{Envoy}}
	}
	backoff := c.BackoffRatio >= 0.5 && c.BackoffRatio < 1
	none := c.Algorithm == Gradient2 && c.BackoffRatio == 0
	median := c.MedianSamples >= 0 && c.MedianSamples <= medianMax
	queueLeast := 0
	if c.Algorithm == Gradient2 {
		queueLeast = 1
	}
	return []key{
		number("backoffRatio", c.BackoffRatio, backoff || none, "at least 0.5 and below 1", AIMD, Gradient, Gradient2),
		span("timeout", c.Timeout, 0, AIMD),
		number("smoothing", c.Smoothing, c.Smoothing > 0 && c.Smoothing <= 1, "above 0 and at most 1", Vegas, Gradient, Gradient2),
		count("probeMultiplier", c.ProbeMultiplier, 1, Vegas),
		count("alpha", c.Alpha, 0, Vegas),
		count("beta", c.Beta, 0, Vegas),
		{"decrease", c.Decrease, c.Decrease != "", true, "", []Algorithm{Vegas}},
		count("queueSize", c.QueueSize, queueLeast, Gradient, Gradient2),
		number("rttTolerance", c.RTTTolerance, c.RTTTolerance >= 1 && c.RTTTolerance <= 1000, "from 1 to 1000", Gradient, Gradient2),
		count("longWindow", c.LongWindow, 1, Gradient2),
		count("warmupWindow", c.WarmupWindow, 1, Gradient2),
		count("probeInterval", c.ProbeInterval, 0, Gradient),
		span("concurrencyUpdateInterval", c.ConcurrencyUpdateInterval, time.Millisecond, Envoy),
		percent("sampleAggregatePercentile", c.SampleAggregatePercentile, 1),
		span("minRttInterval", c.MinRTTInterval, time.Millisecond, Envoy),
		percent("minRttJitter", c.MinRTTJitter, 0),
		count("minRttRequestCount", c.MinRTTRequestCount, 1, Envoy),
		{"minRttConcurrency", c.MinRTTConcurrency, c.MinRTTConcurrency != 0, true, "", []Algorithm{Envoy}},
		percent("minRttBuffer", c.MinRTTBuffer, 0),
		{"medianSamples", c.MedianSamples, c.MedianSamples != 0, median, "from 0 to 101", samplers},
		{"window", "a window", c.Window != nil, true, "", samplers},
	}
}

// samplers are the algorithms that are fed with one sample at a time.
var samplers = []Algorithm{AIMD, Vegas, Gradient, Gradient2}

func (c Config) validateWindow(fs *patterns.Faults) {
	w := c.Window
	if w == nil {
		return
	}
	if w.MinWindowTime.Std() < time.Millisecond {
		fs.Add("window.minWindowTime", "%s is below 1ms", w.MinWindowTime)
	}
	if w.MaxWindowTime < w.MinWindowTime {
		fs.Add("window.maxWindowTime", "%s is below minWindowTime (%s)", w.MaxWindowTime, w.MinWindowTime)
	}
	if w.WindowSize < 1 || w.WindowSize > countMax {
		fs.Add("window.windowSize", "%d is not from 1 to %d", w.WindowSize, countMax)
	}
	if w.MinRTTThreshold < 0 {
		fs.Add("window.minRttThreshold", "%s is below 0", w.MinRTTThreshold)
	}
	if w.Percentile < 0 || w.Percentile > patterns.PercentOf(100) {
		fs.Add("window.percentile", "%s is not from 0 to 100 (percent)", w.Percentile)
	}
}

func (c Config) validatePartitions(fs *patterns.Faults) {
	var names []string
	total := int64(0)
	for _, p := range c.Partitions {
		if p.Name == "" || slices.Contains(names, p.Name) {
			fs.Add("partitions", "the name '%s' is empty or given twice", p.Name)
		}
		if p.Share <= 0 || p.Share > patterns.PercentOf(100) {
			fs.Add("partitions", "%s: a share of %s is not above 0 and at most 100 (percent)", p.Name, p.Share)
		}
		names = append(names, p.Name)
		total += int64(p.Share)
	}
	if total > int64(patterns.PercentOf(100)) {
		fs.Add("partitions", "the shares add up to more than 100 percent")
	}
}
