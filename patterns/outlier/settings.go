package outlier

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Defaults returns what Envoy has by default, with one host always allowed: 5
// failures in a row and the success rate eject, the failure percentage is only told.
func Defaults() Config {
	return Config{
		Interval:           patterns.Duration(10 * time.Second),
		BaseEjectionTime:   patterns.Duration(30 * time.Second),
		MaxEjectionTime:    patterns.Duration(300 * time.Second),
		MaxEjectionPercent: patterns.PercentOf(10),
		AlwaysEjectOneHost: true,
		PanicThreshold:     patterns.PercentOf(50),

		ConsecutiveFailures:          5,
		EnforcingConsecutiveFailures: patterns.PercentOf(100),

		SuccessRateStdevFactor:   1.9,
		SuccessRateMinimumHosts:  5,
		SuccessRateRequestVolume: 100,
		EnforcingSuccessRate:     patterns.PercentOf(100),

		FailurePercentageThreshold:     patterns.PercentOf(85),
		FailurePercentageMinimumHosts:  5,
		FailurePercentageRequestVolume: 50,
	}
}

const (
	timeMax  = 24 * time.Hour
	countMax = math.MaxInt32
)

// Validate returns every fault of the settings. It changes nothing. The further
// settings of a rule that is off may be zero.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	duration := func(key string, d patterns.Duration, least time.Duration) {
		if v := d.Std(); v < least || v > timeMax {
			fs.Add(key, "%s is not from %s to %s", d, least, timeMax)
		}
	}
	duration("interval", c.Interval, time.Millisecond)
	duration("baseEjectionTime", c.BaseEjectionTime, time.Millisecond)
	if c.MaxEjectionTime < c.BaseEjectionTime || c.MaxEjectionTime.Std() > timeMax {
		fs.Add("maxEjectionTime", "%s is not from baseEjectionTime (%s) to %s", c.MaxEjectionTime, c.BaseEjectionTime, timeMax)
	}
	duration("maxEjectionTimeJitter", c.MaxEjectionTimeJitter, 0)
	percent(&fs, "maxEjectionPercent", c.MaxEjectionPercent)
	percent(&fs, "panicThreshold", c.PanicThreshold)
	if n := c.ConsecutiveFailures; n < 0 || n > countMax {
		fs.Add("consecutiveFailures", "%d is not from 0 to %d", n, countMax)
	}
	percent(&fs, "enforcingConsecutiveFailures", c.EnforcingConsecutiveFailures)
	if f := c.SuccessRateStdevFactor; !(f >= 0 && f <= 100) {
		fs.Add("successRateStdevFactor", "%v is not from 0 to 100 (1.9 is what Envoy writes as 1900)", f)
	}
	on := c.SuccessRateStdevFactor != 0
	count(&fs, "successRateMinimumHosts", c.SuccessRateMinimumHosts, on)
	count(&fs, "successRateRequestVolume", c.SuccessRateRequestVolume, on)
	percent(&fs, "enforcingSuccessRate", c.EnforcingSuccessRate)
	percent(&fs, "failurePercentageThreshold", c.FailurePercentageThreshold)
	on = c.FailurePercentageThreshold != 0
	count(&fs, "failurePercentageMinimumHosts", c.FailurePercentageMinimumHosts, on)
	count(&fs, "failurePercentageRequestVolume", c.FailurePercentageRequestVolume, on)
	percent(&fs, "enforcingFailurePercentage", c.EnforcingFailurePercentage)
	return fs
}

func percent(fs *patterns.Faults, key string, p patterns.Percent) {
	if p < 0 || p > patterns.PercentOf(100) {
		fs.Add(key, "%s is not from 0 to 100 (percent)", p)
	}
}

func count(fs *patterns.Faults, key string, n int, on bool) {
	if n < 0 || n > countMax || (n == 0 && on) {
		fs.Add(key, "%d is not from 1 to %d", n, countMax)
	}
}

// Settings is a compiled Config. It is immutable; any number of sets share one.
type Settings struct {
	config    Config
	timesMost uint32              // ejections after which the time grows no more
	enforcing [4]patterns.Percent // by Why
	needsDraw bool
}

// Compile checks the settings and prepares them. The error tells every fault.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("outlier: %w", err)
	}
	s := &Settings{config: c, timesMost: uint32((c.MaxEjectionTime + c.BaseEjectionTime - 1) / c.BaseEjectionTime)}
	s.needsDraw = c.MaxEjectionTimeJitter > 0
	for _, rule := range []struct {
		why       Why
		on        bool
		enforcing patterns.Percent
	}{
		{Consecutive, c.ConsecutiveFailures > 0, c.EnforcingConsecutiveFailures},
		{SuccessRate, c.SuccessRateStdevFactor > 0, c.EnforcingSuccessRate},
		{FailurePercentage, c.FailurePercentageThreshold > 0, c.EnforcingFailurePercentage},
	} {
		s.enforcing[rule.why] = rule.enforcing
		s.needsDraw = s.needsDraw || rule.on && rule.enforcing > 0 && rule.enforcing < patterns.PercentOf(100)
	}
	return s, nil
}

// NeedsDraw reports whether an ejection uses its draw.
func (s *Settings) NeedsDraw() bool { return s.needsDraw }

// EjectionTime returns how long the given ejection in a row lasts, from 1, with the
// part of the jitter that the draw in [0,1) makes.
func (s *Settings) EjectionTime(times int, draw float64) time.Duration {
	n := min(uint32(min(max(times, 1), math.MaxInt32)), s.timesMost)
	grown := min(s.config.BaseEjectionTime.Std()*time.Duration(n), s.config.MaxEjectionTime.Std())
	return grown + time.Duration(float64(s.config.MaxEjectionTimeJitter)*draw)
}
