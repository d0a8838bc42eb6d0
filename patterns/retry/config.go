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
	// RejectedWaitDuration is the same after an attempt that the dependency refused
	// at its door (throttling, queue full; the AWS SDKs take 1s). 0: WaitDuration.
	RejectedWaitDuration patterns.Duration `yaml:"rejectedWaitDuration" json:"rejectedWaitDuration"`
	// EnableExponentialBackoff multiplies the wait from retry to retry.
	EnableExponentialBackoff bool `yaml:"enableExponentialBackoff" json:"enableExponentialBackoff"`
	// ExponentialBackoffMultiplier is the factor, at least 1.
	ExponentialBackoffMultiplier float64 `yaml:"exponentialBackoffMultiplier" json:"exponentialBackoffMultiplier"`
	// ExponentialMaxWaitDuration caps the wait, jitter included (D6); 0: no cap.
	ExponentialMaxWaitDuration patterns.Duration `yaml:"exponentialMaxWaitDuration" json:"exponentialMaxWaitDuration"`
	// Jitter is none (default), full, equal, factor, decorrelated, a6, resilience4j,
	// polly or aws_legacy; formulas at Backoff. EnableRandomizedWait with no Jitter
	// means factor.
	Jitter Jitter `yaml:"jitter" json:"jitter"`
	// EnableRandomizedWait is resilience4j's switch for factor jitter.
	EnableRandomizedWait bool `yaml:"enableRandomizedWait" json:"enableRandomizedWait"`
	// RandomizedWaitFactor f of factor and resilience4j jitter: uniform in [1-f,1+f]
	// times the wait. Range [0,1).
	RandomizedWaitFactor float64 `yaml:"randomizedWaitFactor" json:"randomizedWaitFactor"`
	// ServerHints says what becomes of a dependency's wish for a wait longer than
	// exponentialMaxWaitDuration (D8): clamp (default), stop or obey. With a6 jitter
	// the default is obey.
	ServerHints Hints `yaml:"serverHints" json:"serverHints"`
	// RetryOn lists the failures that are retried: failed, timeout, rejected,
	// unreachable, connection_lost, panicked. Empty: all.
	RetryOn []string `yaml:"retryOn" json:"retryOn"`
	// RetryRefusals lists refusals on the caller's side that are retried all the
	// same (D18): bulkhead_full, bulkhead_timeout, throttled, shed. An open breaker
	// never is.
	RetryRefusals []string `yaml:"retryRefusals" json:"retryRefusals"`
	// NonIdempotent: a call that is carried out twice does harm. A failure that leaves
	// open whether it was carried out (a timeout, a lost connection) is then not
	// retried, unless RetryAmbiguous. State says it for one call.
	NonIdempotent  bool `yaml:"nonIdempotent" json:"nonIdempotent"`
	RetryAmbiguous bool `yaml:"retryAmbiguous" json:"retryAmbiguous"`
	// Budget limits retries; nil: no limit.
	Budget *budget.Config `yaml:"budget" json:"budget"`
}

// Jitter is how a wait is spread.
type Jitter string

// The kinds of jitter; formulas at Backoff.
const (
	None         Jitter = "none"
	Full         Jitter = "full"
	Equal        Jitter = "equal"
	Factor       Jitter = "factor"
	Decorrelated Jitter = "decorrelated"
	A6           Jitter = "a6"
	Resilience4j Jitter = "resilience4j"
	Polly        Jitter = "polly"
	AWSLegacy    Jitter = "aws_legacy"
)

// Hints is what becomes of a wish for a wait that is longer than the cap.
type Hints string

// The rules of D8. A wish below the cap is a floor for the wait with all of them.
const (
	// Clamp: wait as long as the cap.
	Clamp Hints = "clamp"
	// Stop: do not retry.
	Stop Hints = "stop"
	// Obey: wait as long as the dependency wishes.
	Obey Hints = "obey"
)
