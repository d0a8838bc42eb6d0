package throttle

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/window"
)

// Defaults returns the settings of the SRE book: K of 2, two minutes, refused
// calls counted, no cap.
func Defaults() Config {
	return Config{
		K: 2, Aggression: 1, MaxRejectionProbability: patterns.PercentOf(100),
		SamplingWindow: patterns.Duration(2 * time.Minute), Buckets: 60, Counting: All,
	}
}

// Envoy returns the settings that Envoy's admission control has by default.
func Envoy() Config {
	return Config{
		SuccessRateThreshold: patterns.PercentOf(95), Aggression: 1, MaxRejectionProbability: patterns.PercentOf(80),
		SamplingWindow: patterns.Duration(30 * time.Second), Buckets: 30, Counting: Sent,
	}
}

// Failsafe returns the settings that failsafe-go's adaptive throttler has by
// default, with a least number of ten calls.
func Failsafe() Config {
	return Config{
		SuccessRateThreshold: patterns.PercentOf(90), Aggression: 1, MaxRejectionProbability: patterns.PercentOf(90),
		MinimumNumberOfCalls: 10, SamplingWindow: patterns.Duration(time.Minute), Buckets: 20, Counting: Sent,
	}
}

// Kratos returns the settings that kratos' sre breaker has by default.
func Kratos() Config {
	return Config{
		SuccessRateThreshold: patterns.PercentOf(60), Aggression: 1, MaxRejectionProbability: patterns.PercentOf(100),
		MinimumNumberOfCalls: 100, SamplingWindow: patterns.Duration(3 * time.Second), Buckets: 10, Counting: All,
	}
}

const bucketsMax = 1000

// Validate returns every fault of the settings. It changes nothing.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	c.validateRule(&fs)
	number(&fs, "aggression", c.Aggression, 1, 100)
	if p := c.MaxRejectionProbability; p <= 0 || p > patterns.PercentOf(100) {
		fs.Add("maxRejectionProbability", "%s is not above 0 and at most 100 (percent)", p)
	}
	if n := c.MinimumNumberOfCalls; n < 0 || n > math.MaxInt32 {
		fs.Add("minimumNumberOfCalls", "%d is not from 0 to %d", n, math.MaxInt32)
	}
	number(&fs, "rpsThreshold", c.RPSThreshold, 0, 1e9)
	if w := c.SamplingWindow.Std(); w < time.Second || w > time.Hour {
		fs.Add("samplingWindow", "%s is not from 1s to 1h", w)
	}
	if c.Buckets < 1 || c.Buckets > bucketsMax {
		fs.Add("buckets", "%d is not from 1 to %d", c.Buckets, bucketsMax)
	}
	switch c.Counting {
	case "", All, Sent:
	default:
		fs.Add("counting", "'%s' is not all or sent", c.Counting)
	}
	return fs
}

func (c Config) validateRule(fs *patterns.Faults) {
	switch {
	case c.K == 0 && c.SuccessRateThreshold == 0:
		fs.Add("k", "neither k nor successRateThreshold is above 0: give one of them")
	case c.K != 0 && c.SuccessRateThreshold != 0:
		fs.Add("successRateThreshold", "k and successRateThreshold are both given: give one of them")
	case c.K != 0:
		number(fs, "k", c.K, 1, 1000)
	case c.SuccessRateThreshold < patterns.PercentOf(0.1) || c.SuccessRateThreshold > patterns.PercentOf(100):
		fs.Add("successRateThreshold", "%s is not from 0.1 to 100 (percent)", c.SuccessRateThreshold)
	}
}

func number(fs *patterns.Faults, key string, v, least, most float64) {
	if !(v >= least && v <= most) {
		fs.Add(key, "%v is not a number from %v to %v", v, least, most)
	}
}

// Settings is a compiled Config. It is immutable; all throttles of a fleet share
// one.
type Settings struct {
	k        float64
	exponent float64 // 1/aggression
	most     float64 // largest probability
	least    int64   // requests in the window before anything is refused
	all      bool
	shape    window.Shape
}

// Compile checks the settings and prepares them. The error tells every fault.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("throttle: %w", err)
	}
	k := c.K
	if k == 0 {
		k = 100 / c.SuccessRateThreshold.Float()
	}
	size, n := c.SamplingWindow.Std(), time.Duration(c.Buckets)
	atRate := math.Ceil(float64(c.RPSThreshold * size.Seconds()))
	return &Settings{
		k: k, exponent: 1 / c.Aggression, most: c.MaxRejectionProbability.Float() / 100,
		least: max(int64(c.MinimumNumberOfCalls), int64(atRate)), all: c.Counting != Sent,
		shape: window.TimeShape(size, (size+n-1)/n),
	}, nil
}

// Probability returns the probability with which a call is refused, given what
// the window holds. In [0,1].
func (s *Settings) Probability(requests, accepts int64) float64 {
	excess := float64(requests) - float64(s.k*float64(accepts))
	if requests < s.least || excess <= 0 {
		return 0
	}
	p := excess / (float64(requests) + 1)
	if s.exponent != 1 {
		p = exact.Pow(p, s.exponent)
	}
	return min(p, s.most)
}
