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

// DefaultsOf returns the settings that the origin of a kind suggests: Finagle's
// window, ten tokens that calls refill by a tenth, Envoy's 20 percent and at least
// three, gRPC's ten tokens at 0.1, the AWS SDK's quota, a gate at ten percent. An
// empty or unknown kind gives Defaults.
func DefaultsOf(k Kind) Config {
	switch k {
	case Bucket:
		return Config{Kind: k, Ratio: 0.1, Capacity: 10, Deposit: PerCall}
	case Concurrency:
		return Config{Kind: k, Ratio: 0.2, MinConcurrency: 3}
	case Tokens:
		return Config{Kind: k, Ratio: 0.1, Capacity: 10}
	case Quota:
		return Config{Kind: k, Capacity: 500, Cost: 14, RejectedCost: 5, NoRetryIncrement: 1}
	case FailureRate:
		return Config{Kind: k, Window: patterns.Duration(10 * time.Second),
			FailureRateThreshold: patterns.PercentOf(10), MinimumNumberOfCalls: 10}
	}
	c := Defaults()
	if k == Window {
		c.Kind = k
	}
	return c
}

// Settings is a compiled Config. It is immutable; all budgets of a fleet share
// one.
type Settings struct {
	rule      rule
	earns     Deposited
	deposit   int64 // micro-tokens for each call or success, for concurrency of each call
	slice     int64 // ns, a tenth of the window; 0: the kind has none
	reserve   int64 // micro-tokens that a window always adds
	capacity  int64 // micro-tokens that fit in
	initial   int64
	least     int64 // minConcurrency or minimumNumberOfCalls
	cost      int32 // tokens
	rejected  int32 // tokens
	clean     int64 // micro-tokens for a call without a retry
	threshold patterns.Percent
}

// rule is a Kind as a number.
type rule uint8

const (
	window rule = iota
	bucket
	concurrency
	tokens
	quota
	failureRate
)

func ruleOf(k Kind) rule {
	return map[Kind]rule{Bucket: bucket, Concurrency: concurrency, Tokens: tokens, Quota: quota, FailureRate: failureRate}[k]
}

// Compile checks the settings and prepares them. The error tells every fault.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("budget: %w", err)
	}
	s := &Settings{
		rule:      ruleOf(c.kind()),
		earns:     Call,
		deposit:   micros(c.Ratio),
		slice:     int64(c.Window) / parts,
		reserve:   micros(float64(c.MinPerSecond * c.Window.Std().Seconds())),
		capacity:  micros(c.Capacity),
		initial:   micros(c.Capacity),
		least:     int64(max(c.MinConcurrency, c.MinimumNumberOfCalls)),
		cost:      int32(c.Cost),
		rejected:  int32(c.RejectedCost),
		clean:     micros(c.NoRetryIncrement),
		threshold: c.FailureRateThreshold,
	}
	if c.Deposit == PerSuccess || s.rule == tokens {
		s.earns = Success
	}
	if s.rule == tokens {
		s.deposit -= s.deposit % (micro / 1000)
	}
	if s.rejected == 0 {
		s.rejected = s.cost
	}
	if c.Initial != nil {
		s.initial = micros(*c.Initial)
	}
	return s, nil
}

func micros(retries float64) int64 { return int64(math.Round(float64(retries * micro))) }
