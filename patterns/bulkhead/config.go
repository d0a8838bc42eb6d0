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
	// Order is fifo (default) or lifo; in a QueueConfig also adaptive_lifo or
	// priority.
	Order Order `yaml:"order" json:"order"`
}

// Order says which waiting call is served next.
type Order string

// The orders of waiting calls.
const (
	// FIFO serves the oldest: fair, and under overload late for everybody.
	FIFO Order = "fifo"
	// LIFO serves the newest: under overload some are served in time.
	LIFO Order = "lifo"
	// AdaptiveLIFO is FIFO until the queue has not been empty for Interval, then
	// LIFO with Target as the patience of those that come.
	AdaptiveLIFO Order = "adaptive_lifo"
	// Priority serves the highest level, and FIFO within a level.
	Priority Order = "priority"
)

// QueueConfig holds the settings of a bulkhead whose queue looks at its calls: at
// their deadlines always, at congestion or levels by order. MaxWaitDuration must
// be above 0. It is compiled by CompileQueue, entered by Ask, and its driver takes
// what Dropped tells.
type QueueConfig struct {
	Config `yaml:",inline"`
	// Interval is how long the queue may be non-empty before it counts as
	// congested. adaptive_lifo only, above 0.
	Interval patterns.Duration `yaml:"interval" json:"interval"`
	// Target is how long a call may wait that comes while the queue is congested.
	// adaptive_lifo only, above 0 and at most MaxWaitDuration.
	Target patterns.Duration `yaml:"target" json:"target"`
	// Levels is the number of levels, 1 to 64. priority only.
	Levels int `yaml:"levels" json:"levels"`
	// MinRemainingDuration is the time that a call needs when it gets its slot:
	// with less left before its deadline it is not admitted. 0: its deadline must
	// not have come.
	MinRemainingDuration patterns.Duration `yaml:"minRemainingDuration" json:"minRemainingDuration"`
}

// PoolConfig holds the settings of a pool of workers with a queue, under the names
// of resilience4j's ThreadPoolBulkhead. A call waits when all core workers are
// busy; only when the queue is full are further workers begun, up to the maximum,
// and such a call is served at once: it overtakes those that wait, as in the
// executor that resilience4j uses. A worker that becomes free serves the oldest
// waiting call; one above the core size that finds none ends (keepAliveDuration 0).
type PoolConfig struct {
	// CoreThreadPoolSize is the number of workers that do not wait for a full
	// queue. 1 to MaxThreadPoolSize.
	CoreThreadPoolSize int `yaml:"coreThreadPoolSize" json:"coreThreadPoolSize"`
	// MaxThreadPoolSize is the most workers at one time.
	MaxThreadPoolSize int `yaml:"maxThreadPoolSize" json:"maxThreadPoolSize"`
	// QueueCapacity is the number of calls that may wait, for as long as they
	// like. At least 1.
	QueueCapacity int `yaml:"queueCapacity" json:"queueCapacity"`
}
