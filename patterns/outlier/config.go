package outlier

import "github.com/resilsim/resilsim/patterns"

// Config holds the settings of outlier ejection under Envoy's names. A rule
// whose first setting is 0 is off.
type Config struct {
	// Interval is the time between two sweeps, 1ms to 24h.
	Interval patterns.Duration `yaml:"interval" json:"interval"`
	// BaseEjectionTime is how long a first ejection lasts, 1ms to 24h.
	BaseEjectionTime patterns.Duration `yaml:"baseEjectionTime" json:"baseEjectionTime"`
	// MaxEjectionTime caps the grown ejection time, BaseEjectionTime to 24h.
	MaxEjectionTime patterns.Duration `yaml:"maxEjectionTime" json:"maxEjectionTime"`
	// MaxEjectionTimeJitter: up to so much is added to each ejection time. 0 to 24h.
	MaxEjectionTimeJitter patterns.Duration `yaml:"maxEjectionTimeJitter" json:"maxEjectionTimeJitter"`
	// MaxEjectionPercent of the hosts may be ejected at one time. 0 to 100.
	MaxEjectionPercent patterns.Percent `yaml:"maxEjectionPercent" json:"maxEjectionPercent"`
	// AlwaysEjectOneHost lets one host be ejected whatever its share is.
	AlwaysEjectOneHost bool `yaml:"alwaysEjectOneHost" json:"alwaysEjectOneHost"`
	// PanicThreshold: with less than this percentage of hosts in use, all are used. 0: never.
	PanicThreshold patterns.Percent `yaml:"panicThreshold" json:"panicThreshold"`

	// ConsecutiveFailures in a row eject a host. 0: off.
	ConsecutiveFailures int `yaml:"consecutiveFailures" json:"consecutiveFailures"`
	// EnforcingConsecutiveFailures is the percentage of such detections that eject; the
	// others are only told.
	EnforcingConsecutiveFailures patterns.Percent `yaml:"enforcingConsecutiveFailures" json:"enforcingConsecutiveFailures"`

	// SuccessRateStdevFactor is how many standard deviations below the mean a success
	// rate has to be; Envoy writes thousandths, 1900 for 1.9. 0: off. To 100.
	SuccessRateStdevFactor float64 `yaml:"successRateStdevFactor" json:"successRateStdevFactor"`
	// SuccessRateMinimumHosts with SuccessRateRequestVolume calls are needed, at least 1.
	SuccessRateMinimumHosts int `yaml:"successRateMinimumHosts" json:"successRateMinimumHosts"`
	// SuccessRateRequestVolume is the least number of calls in an interval for a host
	// to be judged, at least 1.
	SuccessRateRequestVolume int `yaml:"successRateRequestVolume" json:"successRateRequestVolume"`
	// EnforcingSuccessRate is the percentage of detections by success rate that eject.
	EnforcingSuccessRate patterns.Percent `yaml:"enforcingSuccessRate" json:"enforcingSuccessRate"`

	// FailurePercentageThreshold: with at least this percentage of failures a host is ejected. 0: off.
	FailurePercentageThreshold patterns.Percent `yaml:"failurePercentageThreshold" json:"failurePercentageThreshold"`
	// FailurePercentageMinimumHosts with FailurePercentageRequestVolume calls are needed, at least 1.
	FailurePercentageMinimumHosts int `yaml:"failurePercentageMinimumHosts" json:"failurePercentageMinimumHosts"`
	// FailurePercentageRequestVolume is the least number of calls in an interval for a
	// host to be judged, at least 1.
	FailurePercentageRequestVolume int `yaml:"failurePercentageRequestVolume" json:"failurePercentageRequestVolume"`
	// EnforcingFailurePercentage is the percentage of detections by failure percentage that eject.
	EnforcingFailurePercentage patterns.Percent `yaml:"enforcingFailurePercentage" json:"enforcingFailurePercentage"`
}
