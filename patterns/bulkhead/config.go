package bulkhead

import "github.com/resilsim/resilsim/patterns"

// Config holds the settings of a semaphore bulkhead under resilience4j's names.
type Config struct {
	// MaxConcurrentCalls is the number of slots. At least 1.
	MaxConcurrentCalls int `yaml:"maxConcurrentCalls" json:"maxConcurrentCalls"`
	// MaxWaitDuration is how long a call may wait for a slot; 0: not at all.
	MaxWaitDuration patterns.Duration `yaml:"maxWaitDuration" json:"maxWaitDuration"`
	// QueueCapacity bounds the number of waiting calls; 0 with a MaxWaitDuration
	// above 0: as many as may wait, bounded only by time.
	QueueCapacity int `yaml:"queueCapacity" json:"queueCapacity"`
	// Order is fifo (default) or lifo.
	Order Order `yaml:"order" json:"order"`
}

// Order says which waiting call is served next.
type Order string

// The orders of waiting calls.
const (
	FIFO Order = "fifo"
	LIFO Order = "lifo"
)
