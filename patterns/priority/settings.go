package priority

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Defaults returns failsafe-go's five classes of 100 levels, calibrated each
// second, with a least number of ten calls and no guarantees.
func Defaults() Config {
	return Config{
		Classes: 5, LevelsPerClass: 100,
		CalibrationInterval: patterns.Duration(time.Second), MinimumNumberOfCalls: 10,
	}
}

const (
	classesMax = 64
	levelsMax  = 1000
)

// Validate returns every fault of the settings. It changes nothing.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	whole := func(key string, n, least, most int) {
		if n < least || n > most {
			fs.Add(key, "%d is not from %d to %d", n, least, most)
		}
	}
	whole("classes", c.Classes, 1, classesMax)
	whole("levelsPerClass", c.LevelsPerClass, 1, levelsMax)
	whole("minimumNumberOfCalls", c.MinimumNumberOfCalls, 0, math.MaxInt32)
	if c.CalibrationInterval.Std() < time.Millisecond {
		fs.Add("calibrationInterval", "%s is below 1ms", c.CalibrationInterval)
	}
	if n := len(c.GuaranteedShares); n > max(c.Classes, 0) {
		fs.Add("guaranteedShares", "%d shares for %d classes", n, c.Classes)
	}
	all := 0.0
	for i, g := range c.GuaranteedShares {
		if g < 0 {
			fs.Add("guaranteedShares", "%s of class %d is below 0 (percent)", g, i)
		}
		all += g.Float()
	}
	if all > 100 {
		fs.Add("guaranteedShares", "%v together is above 100 (percent)", all)
	}
	return fs
}

// Settings is a compiled Config. It is immutable and may be shared.
type Settings struct {
	classes, levels int // levels of a class
	interval        int64
	least           int64
	guaranteed      []float64 // by class, 0 to 1
}

// Compile checks the settings and prepares them. The error tells every fault.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("priority: %w", err)
	}
	s := &Settings{
		classes: c.Classes, levels: c.LevelsPerClass, interval: int64(c.CalibrationInterval),
		least: int64(c.MinimumNumberOfCalls), guaranteed: make([]float64, c.Classes),
	}
	for i, g := range c.GuaranteedShares {
		s.guaranteed[i] = g.Float() / 100
	}
	return s, nil
}
