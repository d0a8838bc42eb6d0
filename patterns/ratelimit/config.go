package ratelimit

import "github.com/resilsim/resilsim/patterns"

// Config holds the settings of a rate limiter, under resilience4j's names where it
// has them. A setting that does not belong to the type must be zero.
type Config struct {
	// Type is cycle (default), token_bucket or smooth; see the package comment.
	Type Type `yaml:"type" json:"type"`
	// LimitForPeriod is the number of permits that each LimitRefreshPeriod brings.
	// At least 1; for token_bucket and smooth at most one a nanosecond.
	LimitForPeriod int `yaml:"limitForPeriod" json:"limitForPeriod"`
	// LimitRefreshPeriod is 1ns to 8760h.
	LimitRefreshPeriod patterns.Duration `yaml:"limitRefreshPeriod" json:"limitRefreshPeriod"`
	// TimeoutDuration is how long a call may wait for its permits; 0: not at all.
	// The limiter does not apply it by itself: it is what MaxWait returns.
	TimeoutDuration patterns.Duration `yaml:"timeoutDuration" json:"timeoutDuration"`
	// Burst is the most permits that a token_bucket holds; 0: LimitForPeriod.
	Burst int `yaml:"burst" json:"burst"`
	// Slack is how many permits that passed unused a smooth limiter hands out later,
	// at once; 0: none.
	Slack int `yaml:"slack" json:"slack"`
}

// Type is the rule by which permits come.
type Type string

// The types.
const (
	// Cycle brings LimitForPeriod permits at the start of each period.
	Cycle Type = "cycle"
	// TokenBucket brings them one after the other and keeps up to Burst of them.
	TokenBucket Type = "token_bucket"
	// Smooth brings one in each interval of LimitRefreshPeriod/LimitForPeriod.
	Smooth Type = "smooth"
)

// KeyedConfig holds the settings of a limiter for each key.
type KeyedConfig struct {
	Config `yaml:",inline"`
	// MaxKeys is how many keys have a limiter of their own at one time. At least 1.
	MaxKeys int `yaml:"maxKeys" json:"maxKeys"`
	// Overflow says what happens to a further key while none of the others is idle:
	// shared (default) or refuse.
	Overflow Overflow `yaml:"overflow" json:"overflow"`
}

// Overflow says what happens to a key for which there is no place.
type Overflow string

// The overflow rules.
const (
	// Shared gives all such keys one limiter together.
	Shared Overflow = "shared"
	// Refuse lets none of them pass.
	Refuse Overflow = "refuse"
)
