package priority

import "github.com/resilsim/resilsim/patterns"

// Config holds the settings of a priority shedder.
type Config struct {
	// Classes is the number of classes of calls, 1 to 64. Class 0 is shed first.
	Classes int `yaml:"classes" json:"classes"`
	// LevelsPerClass is the number of levels of each class, 1 to 1000.
	LevelsPerClass int `yaml:"levelsPerClass" json:"levelsPerClass"`
	// CalibrationInterval is how long calls are counted before the thresholds are
	// set anew. At least 1ms.
	CalibrationInterval patterns.Duration `yaml:"calibrationInterval" json:"calibrationInterval"`
	// MinimumNumberOfCalls is how many calls an interval must have for anything to
	// be shed in the next.
	MinimumNumberOfCalls int `yaml:"minimumNumberOfCalls" json:"minimumNumberOfCalls"`
	// GuaranteedShares are the shares, in percent of all that is admitted, that
	// classes keep although higher ones could use them, from class 0 on. Classes
	// without one have 0. At most 100 together.
	GuaranteedShares []patterns.Percent `yaml:"guaranteedShares" json:"guaranteedShares"`
}
