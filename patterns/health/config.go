package health

import "github.com/resilsim/resilsim/patterns"

// Config holds the settings of a readiness. A symptom whose first setting is 0 is
// not looked for.
type Config struct {
	// SaturatedAfter: a pool without a free slot for so long is saturated. 0: off.
	SaturatedAfter patterns.Duration `yaml:"saturatedAfter" json:"saturatedAfter"`
	// QueueFullAfter: a queue without a free place for so long is full. 0: off.
	QueueFullAfter patterns.Duration `yaml:"queueFullAfter" json:"queueFullAfter"`
	// ShedThreshold: with at least this percentage of a window's requests refused, the
	// instance sheds. 0: off.
	ShedThreshold patterns.Percent `yaml:"shedThreshold" json:"shedThreshold"`
	// ShedWindow is the length of a window, 100ms to 1h.
	ShedWindow patterns.Duration `yaml:"shedWindow" json:"shedWindow"`
	// MinimumNumberOfCalls in a window, for it to say anything. At least 1.
	MinimumNumberOfCalls int `yaml:"minimumNumberOfCalls" json:"minimumNumberOfCalls"`
	// RecoveryUtilization: pools and queues are calm up to this percentage of their
	// slots and places. 0 to 100.
	RecoveryUtilization patterns.Percent `yaml:"recoveryUtilization" json:"recoveryUtilization"`
	// RecoveryShed: shedding is calm up to this percentage of a window's requests. 0 to ShedThreshold.
	RecoveryShed patterns.Percent `yaml:"recoveryShed" json:"recoveryShed"`
	// RecoveryDuration: all is to be calm for so long. 100ms to 1h.
	RecoveryDuration patterns.Duration `yaml:"recoveryDuration" json:"recoveryDuration"`
	// MinimumReadyDuration is the least time between becoming ready and a symptom's
	// effect, 100ms to 1h.
	MinimumReadyDuration patterns.Duration `yaml:"minimumReadyDuration" json:"minimumReadyDuration"`
	// MaxUnreadyDuration ends an unready stay though all is not calm. 0: never; else 100ms to 24h.
	MaxUnreadyDuration patterns.Duration `yaml:"maxUnreadyDuration" json:"maxUnreadyDuration"`
}

// LivenessConfig holds the settings of a liveness.
type LivenessConfig struct {
	// HeartbeatTimeout: a loop at work beats more often than this. 1ms to 24h.
	HeartbeatTimeout patterns.Duration `yaml:"heartbeatTimeout" json:"heartbeatTimeout"`
	// MissedChecks in a row find a beat too old before the loop is stuck. 1 to 1000.
	MissedChecks int `yaml:"missedChecks" json:"missedChecks"`
}
