package adaptive

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

var algorithms = []Algorithm{AIMD, Vegas, Gradient2, Gradient, Envoy}

// TestDefaultsCompile: the suggested settings of each algorithm are sound, with
// the suggested window where there can be one.
func TestDefaultsCompile(t *testing.T) {
	for _, a := range algorithms {
		c := Defaults(a)
		if a != Envoy {
			w := DefaultWindow()
			c.Window = &w
		}
		s := compile(t, c)
		if l := New(s); l.Limit() != c.InitialLimit {
			t.Errorf("%s: first limit %d, want %d", a, l.Limit(), c.InitialLimit)
		}
		if want := a != AIMD && a != Gradient2; s.NeedsDraw() != want {
			t.Errorf("%s: needs a draw: %v, want %v", a, s.NeedsDraw(), want)
		}
		if next, ok := func() (patterns.Instant, bool) { l := New(s); return l.Next() }(); ok || next != patterns.Never {
			t.Errorf("%s: a fresh limiter changes by itself at %d", a, next)
		}
	}
	if c := Defaults("bbr"); !reflect.DeepEqual(c, Config{Algorithm: "bbr"}) {
		t.Errorf("defaults of no algorithm: %+v", c)
	}
}

// faulty changes sound settings; the first fault has the key, and the word in it.
var faulty = []struct {
	algorithm Algorithm
	change    func(*Config)
	key, word string
}{
	{AIMD, func(c *Config) { c.Algorithm = "bbr" }, "algorithm", "gradient2"},
	{AIMD, func(c *Config) { c.MinLimit = 0 }, "minLimit", "from 1"},
	{AIMD, func(c *Config) { c.MaxLimit = 19 }, "maxLimit", "minLimit (20)"},
	{AIMD, func(c *Config) { c.MinLimit = limitMax + 1 }, "minLimit", "1000000"},
	{AIMD, func(c *Config) { c.MaxLimit = limitMax + 1 }, "maxLimit", "1000000"},
	{AIMD, func(c *Config) { c.InitialLimit = 19 }, "initialLimit", "minLimit (20)"},
	{AIMD, func(c *Config) { c.InitialLimit = 201 }, "initialLimit", "maxLimit (200)"},
	{AIMD, func(c *Config) { c.BackoffRatio = 1 }, "backoffRatio", "below 1"},
	{AIMD, func(c *Config) { c.BackoffRatio = 0 }, "backoffRatio", "at least 0.5"},
	{AIMD, func(c *Config) { c.BackoffRatio = math.NaN() }, "backoffRatio", "below 1"},
	{Gradient2, func(c *Config) { c.BackoffRatio = 0.4 }, "backoffRatio", "at least 0.5"},
	{Gradient, func(c *Config) { c.BackoffRatio = 0 }, "backoffRatio", "at least 0.5"},
	{AIMD, func(c *Config) { c.Timeout = -1 }, "timeout", "0s or longer"},
	{Vegas, func(c *Config) { c.Timeout = 1 }, "timeout", "vegas has no such setting"},
	{Vegas, func(c *Config) { c.Smoothing = 0 }, "smoothing", "above 0"},
	{Vegas, func(c *Config) { c.Smoothing = 1.1 }, "smoothing", "at most 1"},
	{AIMD, func(c *Config) { c.Smoothing = 1 }, "smoothing", "aimd has no such setting"},
	{Vegas, func(c *Config) { c.ProbeMultiplier = 0 }, "probeMultiplier", "from 1"},
	{Vegas, func(c *Config) { c.Alpha = -1 }, "alpha", "from 0"},
	{Vegas, func(c *Config) { c.Beta = countMax + 1 }, "beta", "1000000000"},
	{Vegas, func(c *Config) { c.Alpha, c.Beta = 7, 6 }, "alpha", "above beta (6)"},
	{Vegas, func(c *Config) { c.Decrease = "third" }, "decrease", "halve"},
	{AIMD, func(c *Config) { c.Decrease = Halve }, "decrease", "aimd has no such setting"},
	{Gradient2, func(c *Config) { c.QueueSize = 0 }, "queueSize", "from 1"},
	{Gradient, func(c *Config) { c.QueueSize = -1 }, "queueSize", "from 0"},
	{Gradient, func(c *Config) { c.RTTTolerance = 0.9 }, "rttTolerance", "from 1"},
	{Gradient2, func(c *Config) { c.LongWindow = 0 }, "longWindow", "from 1"},
	{Gradient2, func(c *Config) { c.WarmupWindow = 0 }, "warmupWindow", "from 1"},
	{Gradient, func(c *Config) { c.ProbeInterval = -1 }, "probeInterval", "from 0"},
	{Envoy, func(c *Config) { c.ConcurrencyUpdateInterval = 1 }, "concurrencyUpdateInterval", "1ms or longer"},
	{Envoy, func(c *Config) { c.SampleAggregatePercentile = 0 }, "sampleAggregatePercentile", "to 100"},
	{Envoy, func(c *Config) { c.MinRTTInterval = 0 }, "minRttInterval", "1ms or longer"},
	{Envoy, func(c *Config) { c.MinRTTJitter = -1 }, "minRttJitter", "from 0"},
	{Envoy, func(c *Config) { c.MinRTTRequestCount = 0 }, "minRttRequestCount", "from 1"},
	{Envoy, func(c *Config) { c.MinRTTConcurrency = 2 }, "minRttConcurrency", "minLimit (3)"},
	{Envoy, func(c *Config) { c.MinRTTConcurrency = 1001 }, "minRttConcurrency", "maxLimit (1000)"},
	{AIMD, func(c *Config) { c.MinRTTConcurrency = 3 }, "minRttConcurrency", "aimd has no such setting"},
	{Envoy, func(c *Config) { c.MinRTTBuffer = patterns.PercentOf(101) }, "minRttBuffer", "to 100"},
	{AIMD, func(c *Config) { c.MedianSamples = 4 }, "medianSamples", "not odd"},
	{AIMD, func(c *Config) { c.MedianSamples = 103 }, "medianSamples", "to 101"},
	{AIMD, func(c *Config) { c.MedianSamples = -1 }, "medianSamples", "from 0"},
	{Envoy, func(c *Config) { c.MedianSamples = 5 }, "medianSamples", "envoy has no such setting"},
	{Envoy, func(c *Config) { w := DefaultWindow(); c.Window = &w }, "window", "envoy has no such setting"},
	{AIMD, func(c *Config) { w := DefaultWindow(); w.MinWindowTime = 0; c.Window = &w }, "window.minWindowTime", "1ms"},
	{AIMD, func(c *Config) { w := DefaultWindow(); w.MaxWindowTime /= 2; c.Window = &w }, "window.maxWindowTime", "minWindowTime (1s)"},
	{AIMD, func(c *Config) { w := DefaultWindow(); w.WindowSize = 0; c.Window = &w }, "window.windowSize", "from 1"},
	{AIMD, func(c *Config) { w := DefaultWindow(); w.MinRTTThreshold = -1; c.Window = &w }, "window.minRttThreshold", "below 0"},
	{AIMD, func(c *Config) { w := DefaultWindow(); w.Percentile = -1; c.Window = &w }, "window.percentile", "from 0"},
	{AIMD, func(c *Config) { c.Partitions = []Partition{{"", 1}} }, "partitions", "empty"},
	{AIMD, func(c *Config) { c.Partitions = []Partition{{"a", 1}, {"a", 1}} }, "partitions", "given twice"},
	{AIMD, func(c *Config) { c.Partitions = []Partition{{"a", 0}} }, "partitions", "above 0"},
	{AIMD, func(c *Config) {
		c.Partitions = []Partition{{"a", patterns.PercentOf(60)}, {"b", patterns.PercentOf(41)}}
	}, "partitions", "more than 100"},
}

// TestEveryFaultIsTold changes a setting of sound ones and looks for the key and for a
// word of what is allowed in the first fault.
func TestEveryFaultIsTold(t *testing.T) {
	for _, r := range faulty {
		c := Defaults(r.algorithm)
		r.change(&c)
		faults := c.Validate()
		if len(faults) == 0 || faults[0].Key != r.key || !strings.Contains(faults[0].Message, r.word) {
			t.Errorf("%s, %s: faults %v, want the first to say '%s'", r.algorithm, r.key, faults, r.word)
		}
		if s, err := Compile(c); err == nil || s != nil || !strings.HasPrefix(err.Error(), "adaptive: ") {
			t.Errorf("%s, %s: compiled, error %v", r.algorithm, r.key, err)
		}
	}
}

// TestConfigReadsItsOwnText: settings written as text and read again are the same.
func TestConfigReadsItsOwnText(t *testing.T) {
	for _, a := range algorithms {
		c := Defaults(a)
		c.Window = &Window{MinWindowTime: patterns.Duration(time.Second), WindowSize: 3, Percentile: patterns.PercentOf(90)}
		c.Partitions = []Partition{{"batch", patterns.PercentOf(12.5)}}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var again Config
		if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%s: %v\nread  %+v\nwrote %+v", a, err, again, c)
		}
	}
}

// TestPartitionsByName: a partition is found by its name, any other name is
// Unknown, and a later change of the caller's list changes nothing.
func TestPartitionsByName(t *testing.T) {
	c := Defaults(AIMD)
	c.Partitions = []Partition{{"batch", patterns.PercentOf(30)}, {"live", patterns.PercentOf(70)}}
	s := compile(t, c)
	c.Partitions[0].Name = "other"
	if s.Partition("live") != 1 || s.Partition("batch") != 0 || s.Partition("other") != Unknown {
		t.Error("partitions are not found by the names they were compiled with")
	}
}
