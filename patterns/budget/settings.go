package budget

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// micro is one retry in the unit of account. Ratios of up to six decimals are
// exact in it, so that ten deposits of 0.1 buy one retry, neither more nor less.
const micro = 1_000_000

// Defaults returns Finagle's suggestion: a tenth of a minute's window in which
// one call in five may be retried, with a reserve of ten retries a second.
func Defaults() Config {
	return Config{Ratio: 0.2, Window: patterns.Duration(10 * time.Second), MinPerSecond: 10, Deposit: PerCall}
}

// Validate returns every fault of the settings. It changes nothing.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	number := func(key string, v, most float64) {
		if !(v >= 0 && v <= most) {
			fs.Add(key, "%v is not a number from 0 to %v", v, most)
		}
	}
	number("ratio", c.Ratio, 1000)
	switch {
	case c.Window == 0 && c.Capacity == 0:
		fs.Add("window", "neither window nor capacity is above 0: choose one kind of budget")
	case c.Window != 0 && c.Capacity != 0:
		fs.Add("capacity", "window and capacity are both given: choose one kind of budget")
	case c.Window != 0:
		if c.Window.Std() < time.Second || c.Window.Std() > time.Minute {
			fs.Add("window", "%s is not from 1s to 60s", c.Window)
		}
		if c.Initial != nil {
			fs.Add("initial", "only a budget with a capacity has an initial balance")
		}
	case c.MinPerSecond != 0:
		fs.Add("minPerSecond", "only a budget with a window has a reserve")
	}
	number("minPerSecond", c.MinPerSecond, amountsMax)
	number("capacity", c.Capacity, amountsMax)
	if c.Initial != nil {
		number("initial", *c.Initial, max(c.Capacity, 0))
	}
	switch c.Deposit {
	case "", PerCall, PerSuccess:
	default:
		fs.Add("deposit", "'%s' is not call or success", c.Deposit)
	}
	return fs
}

// amountsMax bounds capacities and reserves, in retries (a second).
const amountsMax = 1e6

// Settings is a compiled Config. It is immutable; all budgets of a fleet share
// one.
type Settings struct {
	earns    Deposited
	deposit  int64 // micro-tokens for each
	slice    int64 // ns, a tenth of the window; 0: token bucket
	reserve  int64 // micro-tokens that a window always adds
	capacity int64 // micro-tokens that a bucket holds
	initial  int64
}

// Compile checks the settings and prepares them. The error tells every fault.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("budget: %w", err)
	}
	s := &Settings{
		earns:    Call,
		deposit:  micros(c.Ratio),
		slice:    int64(c.Window) / slices,
		reserve:  micros(float64(c.MinPerSecond * c.Window.Std().Seconds())),
		capacity: micros(c.Capacity),
		initial:  micros(c.Capacity),
	}
	if c.Deposit == PerSuccess {
		s.earns = Success
	}
	if c.Initial != nil {
		s.initial = micros(*c.Initial)
	}
	return s, nil
}

func micros(retries float64) int64 { return int64(math.Round(float64(retries * micro))) }
