package bulkhead

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// QueueDefaults returns the settings that the paper "Fail at Scale" (Maurer, 2015)
// found to do for all services it tried: adaptive LIFO, 100 ms of patience, 5 ms
// when the queue has not been empty for 100 ms.
func QueueDefaults() QueueConfig {
	c := QueueConfig{
		Config:   Defaults(),
		Interval: patterns.Duration(100 * time.Millisecond),
		Target:   patterns.Duration(5 * time.Millisecond),
	}
	c.Order, c.MaxWaitDuration = AdaptiveLIFO, c.Interval
	return c
}

// PoolDefaults returns resilience4j's queue of 100 calls, with as many workers as
// a semaphore has slots. resilience4j takes their number from the processors of
// the machine, which a core does not ask.
func PoolDefaults() PoolConfig {
	return PoolConfig{CoreThreadPoolSize: 25, MaxThreadPoolSize: 25, QueueCapacity: 100}
}

const levelsMax = 64

// Validate returns every fault of the settings. It changes nothing.
func (c QueueConfig) Validate() patterns.Faults {
	var fs patterns.Faults
	c.validateSize(&fs)
	if c.MaxWaitDuration == 0 {
		fs.Add("maxWaitDuration", "0s is not above 0: no call could ever wait")
	}
	switch c.Order {
	case "", FIFO, LIFO, AdaptiveLIFO, Priority:
	default:
		fs.Add("order", "'%s' is not fifo, lifo, adaptive_lifo or priority", c.Order)
	}
	c.validateCongestion(&fs)
	if c.Order == Priority && (c.Levels < 1 || c.Levels > levelsMax) {
		fs.Add("levels", "%d is not from 1 to %d", c.Levels, levelsMax)
	}
	if c.Order != Priority && c.Levels != 0 {
		fs.Add("levels", "%d levels are given, but order is not priority", c.Levels)
	}
	if c.MinRemainingDuration < 0 {
		fs.Add("minRemainingDuration", "%s is below 0", c.MinRemainingDuration)
	}
	return fs
}

// validateCongestion lets Interval and Target be given where they are not used, so
// that an order may be tried by changing one key of the defaults.
func (c QueueConfig) validateCongestion(fs *patterns.Faults) {
	least := patterns.Duration(0)
	if c.Order == AdaptiveLIFO {
		least = 1
	}
	if c.Interval < least {
		fs.Add("interval", "%s is not above 0", c.Interval)
	}
	if c.Target < least {
		fs.Add("target", "%s is not above 0", c.Target)
	}
	if c.Order == AdaptiveLIFO && c.MaxWaitDuration > 0 && c.Target > c.MaxWaitDuration {
		fs.Add("target", "%s is above maxWaitDuration, %s", c.Target, c.MaxWaitDuration)
	}
}

// queueSettings are those of a queue that looks at its calls.
type queueSettings struct {
	interval  time.Duration // 0: never congested
	target    time.Duration
	levels    int           // 0: none
	remaining time.Duration // at least 1 ns: at its deadline a call is too late
}

// CompileQueue checks the settings and prepares them. The error tells every fault.
func CompileQueue(c QueueConfig) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("bulkhead: %w", err)
	}
	s := c.compile()
	s.queue = &queueSettings{levels: c.Levels, remaining: max(c.MinRemainingDuration.Std(), 1)}
	if c.Order == AdaptiveLIFO {
		s.queue.interval, s.queue.target = c.Interval.Std(), c.Target.Std()
	}
	return s, nil
}

// Validate returns every fault of the settings. It changes nothing.
func (c PoolConfig) Validate() patterns.Faults {
	var fs patterns.Faults
	if c.MaxThreadPoolSize < 1 || c.MaxThreadPoolSize > math.MaxInt32 {
		fs.Add("maxThreadPoolSize", "%d is not from 1 to %d", c.MaxThreadPoolSize, math.MaxInt32)
	} else if c.CoreThreadPoolSize < 1 || c.CoreThreadPoolSize > c.MaxThreadPoolSize {
		fs.Add("coreThreadPoolSize", "%d is not from 1 to maxThreadPoolSize, %d", c.CoreThreadPoolSize, c.MaxThreadPoolSize)
	}
	if c.QueueCapacity < 1 || c.QueueCapacity > math.MaxInt32 {
		fs.Add("queueCapacity", "%d is not from 1 to %d", c.QueueCapacity, math.MaxInt32)
	}
	return fs
}

// CompilePool checks the settings and prepares them. The error tells every fault.
func CompilePool(c PoolConfig) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("bulkhead: %w", err)
	}
	return &Settings{
		slots: c.MaxThreadPoolSize, core: c.CoreThreadPoolSize, maxWait: math.MaxInt64, capacity: c.QueueCapacity,
	}, nil
}
