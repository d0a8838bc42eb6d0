package retry

import (
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
)

// Config holds the settings of a retry under resilience4j's names. Zero is
// zero; suggested values come from Defaults.
type Config struct {
	// MaxAttempts counts the first call too. At least 1.
	MaxAttempts int `yaml:"maxAttempts" json:"maxAttempts"`
	// WaitDuration is the wait before the first retry.
	WaitDuration patterns.Duration `yaml:"waitDuration" json:"waitDuration"`
	// EnableExponentialBackoff multiplies the wait from retry to retry.
	EnableExponentialBackoff bool `yaml:"enableExponentialBackoff" json:"enableExponentialBackoff"`
	// ExponentialBackoffMultiplier is the factor, at least 1.
	ExponentialBackoffMultiplier float64 `yaml:"exponentialBackoffMultiplier" json:"exponentialBackoffMultiplier"`
	// ExponentialMaxWaitDuration caps the wait, jitter included (D6); 0: no cap.
	ExponentialMaxWaitDuration patterns.Duration `yaml:"exponentialMaxWaitDuration" json:"exponentialMaxWaitDuration"`
	// Jitter is none (default), full, equal or factor. EnableRandomizedWait with
	// no Jitter means factor.
	Jitter Jitter `yaml:"jitter" json:"jitter"`
	// EnableRandomizedWait is resilience4j's switch for factor jitter.
	EnableRandomizedWait bool `yaml:"enableRandomizedWait" json:"enableRandomizedWait"`
	// RandomizedWaitFactor f of factor jitter: uniform in [1-f,1+f] times the wait. Range [0,1).
	RandomizedWaitFactor float64 `yaml:"randomizedWaitFactor" json:"randomizedWaitFactor"`
	// RetryRefusals lists refusals on the caller's side that are retried all the
	// same: bulkhead_full, bulkhead_timeout (D18). An open breaker never is.
	RetryRefusals []string `yaml:"retryRefusals" json:"retryRefusals"`
	// Budget limits retries; nil: no limit.
	Budget *budget.Config `yaml:"budget" json:"budget"`
}

// Jitter is how a wait is spread.
type Jitter string

// The kinds of jitter; formulas in PATTERNS 2.3 (see Backoff).
const (
	None         Jitter = "none"
	Full         Jitter = "full"
	Equal        Jitter = "equal"
	Factor       Jitter = "factor"
	Decorrelated Jitter = "decorrelated"
	A6           Jitter = "a6"
)
