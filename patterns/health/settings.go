package health

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Defaults returns settings for an instance that is probed every few seconds. The
// values are ours: no other library was found to have them.
func Defaults() Config {
	return Config{
		SaturatedAfter:       patterns.Duration(10 * time.Second),
		QueueFullAfter:       patterns.Duration(5 * time.Second),
		ShedThreshold:        patterns.PercentOf(50),
		ShedWindow:           patterns.Duration(10 * time.Second),
		MinimumNumberOfCalls: 20,
		RecoveryUtilization:  patterns.PercentOf(80),
		RecoveryShed:         patterns.PercentOf(10),
		RecoveryDuration:     patterns.Duration(10 * time.Second),
		MinimumReadyDuration: patterns.Duration(30 * time.Second),
		MaxUnreadyDuration:   patterns.Duration(60 * time.Second),
	}
}

// least is the shortest stay in a state and the shortest window.
const least = 100 * time.Millisecond

// Validate returns every fault of the settings. It changes nothing. The further settings
// of shedding may be zero when it is off.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	duration(&fs, "saturatedAfter", c.SaturatedAfter, 0, time.Hour)
	duration(&fs, "queueFullAfter", c.QueueFullAfter, 0, time.Hour)
	percent(&fs, "shedThreshold", c.ShedThreshold, patterns.PercentOf(100))
	if c.ShedThreshold != 0 {
		duration(&fs, "shedWindow", c.ShedWindow, least, time.Hour)
		if n := c.MinimumNumberOfCalls; n < 1 || n > math.MaxInt32 {
			fs.Add("minimumNumberOfCalls", "%d is not from 1 to %d", n, math.MaxInt32)
		}
	}
	percent(&fs, "recoveryUtilization", c.RecoveryUtilization, patterns.PercentOf(100))
	percent(&fs, "recoveryShed", c.RecoveryShed, min(max(c.ShedThreshold, 0), patterns.PercentOf(100)))
	duration(&fs, "recoveryDuration", c.RecoveryDuration, least, time.Hour)
	duration(&fs, "minimumReadyDuration", c.MinimumReadyDuration, least, time.Hour)
	if c.MaxUnreadyDuration != 0 {
		duration(&fs, "maxUnreadyDuration", c.MaxUnreadyDuration, least, 24*time.Hour)
	}
	return fs
}

// Validate returns every fault of the settings. It changes nothing.
func (c LivenessConfig) Validate() patterns.Faults {
	var fs patterns.Faults
	duration(&fs, "heartbeatTimeout", c.HeartbeatTimeout, time.Millisecond, 24*time.Hour)
	if n := c.MissedChecks; n < 1 || n > 1000 {
		fs.Add("missedChecks", "%d is not from 1 to 1000", n)
	}
	return fs
}

func duration(fs *patterns.Faults, key string, d patterns.Duration, least, most time.Duration) {
	if v := d.Std(); v < least || v > most {
		fs.Add(key, "%s is not from %s to %s", d, least, most)
	}
}

func percent(fs *patterns.Faults, key string, p, most patterns.Percent) {
	if p < 0 || p > most {
		fs.Add(key, "%s is not from 0 to %s (percent)", p, most)
	}
}

// Settings is a compiled Config. It is immutable.
type Settings struct{ config Config }

// Compile checks the settings. The error tells every fault.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("health: %w", err)
	}
	return &Settings{c}, nil
}

// LivenessDefaults returns settings for loops whose turns take seconds, asked
// for every few seconds. The values are ours.
func LivenessDefaults() LivenessConfig {
	return LivenessConfig{HeartbeatTimeout: patterns.Duration(30 * time.Second), MissedChecks: 3}
}

// LivenessSettings is a compiled LivenessConfig. It is immutable.
type LivenessSettings struct{ config LivenessConfig }

// CompileLiveness checks the settings. The error tells every fault.
func CompileLiveness(c LivenessConfig) (*LivenessSettings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("health: %w", err)
	}
	return &LivenessSettings{c}, nil
}
