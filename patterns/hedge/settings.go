package hedge

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Defaults returns one hedge after the 95th percentile of the last 100 answers, or
// after two seconds (Polly's delay) until 20 answers are known. It has no budget.
func Defaults() Config {
	return Config{
		MaxHedges: 1, Delay: patterns.Duration(2 * time.Second), DelayPercentile: patterns.PercentOf(95),
		WindowSize: 100, MinimumNumberOfCalls: 20,
	}
}

const (
	hedgesMax = 16
	windowMax = 10_000
)

// Validate returns every fault of the settings, those of the budget included. It
// changes nothing.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	if c.MaxHedges < 1 || c.MaxHedges > hedgesMax {
		fs.Add("maxHedges", "%d is not from 1 to %d", c.MaxHedges, hedgesMax)
	}
	if c.Delay < 0 {
		fs.Add("delay", "%s is below 0", c.Delay)
	}
	if c.DelayPercentile < 0 || c.DelayPercentile >= patterns.PercentOf(100) {
		fs.Add("delayPercentile", "%s is not from 0 to below 100 (percent)", c.DelayPercentile)
	}
	if c.DelayPercentile > 0 {
		c.validateWindow(&fs)
	}
	if c.Budget != nil {
		for _, f := range c.Budget.Validate() {
			fs.Add("budget."+f.Key, "%s", f.Message)
		}
	}
	return fs
}

func (c Config) validateWindow(fs *patterns.Faults) {
	if c.WindowSize < 1 || c.WindowSize > windowMax {
		fs.Add("windowSize", "%d is not from 1 to %d", c.WindowSize, windowMax)
		return
	}
	if c.MinimumNumberOfCalls < 1 || c.MinimumNumberOfCalls > c.WindowSize {
		fs.Add("minimumNumberOfCalls", "%d is not from 1 to windowSize, %d", c.MinimumNumberOfCalls, c.WindowSize)
	}
}

// Settings is a compiled Config. It is immutable; all clients of a fleet share one.
type Settings struct {
	hedges    int
	delay     time.Duration
	rank      patterns.Percent // 0: the delay is fixed
	size      int
	least     int
	onFailure bool
}

// Compile checks the settings and prepares them. The error tells every fault. The
// budget is compiled by whoever holds it.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("hedge: %w", err)
	}
	return &Settings{
		hedges: c.MaxHedges, delay: c.Delay.Std(), rank: c.DelayPercentile,
		size: c.WindowSize, least: c.MinimumNumberOfCalls, onFailure: c.HedgeOnFailure,
	}, nil
}

// MaxHedges returns the most further attempts beside the first.
func (s *Settings) MaxHedges() int { return s.hedges }

// OnFailure reports whether a failure starts the next attempt at once.
func (s *Settings) OnFailure() bool { return s.onFailure }
