package budget

import (
	"slices"
	"strings"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// amountsMax bounds capacities, reserves and costs, in retries (a second).
const amountsMax = 1e6

// tokensMax is the largest maxTokens that gRPC allows.
const tokensMax = 1000

// kind is what the settings mean when they do not say it.
func (c Config) kind() Kind {
	switch {
	case c.Kind != "":
		return c.Kind
	case c.Capacity != 0 && c.Window == 0:
		return Bucket
	}
	return Window
}

// Uses reports whether the setting with this key belongs to the budget's kind.
func (c Config) Uses(key string) bool { return slices.Contains(belongs(c.kind()), key) }

// belongs lists the settings of each kind, besides kind itself.
func belongs(k Kind) []string {
	switch k {
	case Window:
		return []string{"ratio", "window", "minPerSecond", "deposit"}
	case Bucket:
		return []string{"ratio", "capacity", "initial", "deposit"}
	case Concurrency:
		return []string{"ratio", "minConcurrency"}
	case Tokens:
		return []string{"ratio", "capacity", "initial"}
	case Quota:
		return []string{"capacity", "initial", "cost", "rejectedCost", "noRetryIncrement"}
	case FailureRate:
		return []string{"window", "failureRateThreshold", "minimumNumberOfCalls"}
	}
	return nil
}

// given lists the settings that are not zero, in the order of Config.
func (c Config) given() []string {
	var keys []string
	for _, s := range []struct {
		key   string
		given bool
	}{
		{"ratio", c.Ratio != 0}, {"window", c.Window != 0}, {"minPerSecond", c.MinPerSecond != 0},
		{"capacity", c.Capacity != 0}, {"initial", c.Initial != nil}, {"deposit", c.Deposit != ""},
		{"minConcurrency", c.MinConcurrency != 0}, {"cost", c.Cost != 0}, {"rejectedCost", c.RejectedCost != 0},
		{"noRetryIncrement", c.NoRetryIncrement != 0}, {"failureRateThreshold", c.FailureRateThreshold != 0},
		{"minimumNumberOfCalls", c.MinimumNumberOfCalls != 0},
	} {
		if s.given {
			keys = append(keys, s.key)
		}
	}
	return keys
}

// Validate returns every fault of the settings. It changes nothing.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	k := c.kind()
	own := belongs(k)
	if own == nil {
		fs.Add("kind", "'%s' is not window, bucket, concurrency, tokens, quota or failure_rate", c.Kind)
		return fs
	}
	for _, key := range c.given() {
		switch {
		case slices.Contains(own, key):
		case c.Kind == "" && key == "capacity":
			fs.Add(key, "window and capacity are both given: choose one kind of budget")
		default:
			fs.Add(key, "does not belong to a budget of kind %s, which has %s", k, strings.Join(own, ", "))
		}
	}
	for _, key := range own {
		c.validate(&fs, k, key)
	}
	return fs
}

// validate checks one setting that belongs to the kind.
func (c Config) validate(fs *patterns.Faults, k Kind, key string) {
	number := func(v, least, most float64) {
		if !(v >= least && v <= most) {
			fs.Add(key, "%v is not a number from %v to %v", v, least, most)
		}
	}
	switch key {
	case "ratio":
		number(c.Ratio, 0, 1000)
	case "window":
		c.validateWindow(fs)
	case "minPerSecond":
		number(c.MinPerSecond, 0, amountsMax)
	case "capacity":
		c.validateCapacity(fs, k)
	case "initial":
		if c.Initial != nil {
			number(*c.Initial, 0, max(c.Capacity, 0))
		}
	case "deposit":
		if c.Deposit != "" && c.Deposit != PerCall && c.Deposit != PerSuccess {
			fs.Add(key, "'%s' is not call or success", c.Deposit)
		}
	case "minConcurrency":
		number(float64(c.MinConcurrency), 0, amountsMax)
	case "cost":
		number(float64(c.Cost), 1, amountsMax)
	case "rejectedCost":
		number(float64(c.RejectedCost), 0, amountsMax)
	case "noRetryIncrement":
		number(c.NoRetryIncrement, 0, amountsMax)
	case "failureRateThreshold":
		if p := c.FailureRateThreshold; p < 0 || p >= patterns.PercentOf(100) {
			fs.Add(key, "%s is not at least 0 and below 100 (percent)", p)
		}
	case "minimumNumberOfCalls":
		number(float64(c.MinimumNumberOfCalls), 0, amountsMax)
	}
}

func (c Config) validateWindow(fs *patterns.Faults) {
	switch {
	case c.Window == 0 && c.Kind == "":
		fs.Add("window", "neither window nor capacity is above 0: choose one kind of budget")
	case c.Window.Std() < time.Second || c.Window.Std() > time.Minute:
		fs.Add("window", "%s is not from 1s to 60s", c.Window)
	}
}

func (c Config) validateCapacity(fs *patterns.Faults, k Kind) {
	most := float64(amountsMax)
	if k == Tokens {
		most = tokensMax
	}
	if !(c.Capacity > 0 && c.Capacity <= most) {
		fs.Add("capacity", "%v is not a number above 0 and at most %v", c.Capacity, most)
	}
}
