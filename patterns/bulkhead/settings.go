package bulkhead

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Defaults returns the settings that resilience4j suggests.
func Defaults() Config { return Config{MaxConcurrentCalls: 25, Order: FIFO} }

// Validate returns every fault of the settings. It changes nothing.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	c.validateSize(&fs)
	switch c.Order {
	case "", FIFO, LIFO:
	default:
		fs.Add("order", "'%s' is not fifo or lifo", c.Order)
	}
	return fs
}

func (c Config) validateSize(fs *patterns.Faults) {
	if c.MaxConcurrentCalls < 1 || c.MaxConcurrentCalls > math.MaxInt32 {
		fs.Add("maxConcurrentCalls", "%d is not from 1 to %d", c.MaxConcurrentCalls, math.MaxInt32)
	}
	if c.MaxWaitDuration < 0 {
		fs.Add("maxWaitDuration", "%s is below 0", c.MaxWaitDuration)
	}
	if c.QueueCapacity < 0 || c.QueueCapacity > math.MaxInt32 {
		fs.Add("queueCapacity", "%d is not from 0 to %d", c.QueueCapacity, math.MaxInt32)
	}
	if c.QueueCapacity > 0 && c.MaxWaitDuration == 0 {
		fs.Add("queueCapacity", "%d calls could never wait: maxWaitDuration is 0", c.QueueCapacity)
	}
}

// Settings is a compiled configuration. It is immutable and may be shared.
type Settings struct {
	slots    int
	core     int // slots that are given before the queue is full
	maxWait  time.Duration
	capacity int // waiting calls at most
	newest   bool
	queue    *queueSettings // nil: the queue does not look at its calls
}

// Compile checks the settings and prepares them. The error tells every fault.
func Compile(c Config) (*Settings, error) {
	if err := c.Validate().Err(); err != nil {
		return nil, fmt.Errorf("bulkhead: %w", err)
	}
	return c.compile(), nil
}

func (c Config) compile() *Settings {
	s := &Settings{
		slots: c.MaxConcurrentCalls, core: c.MaxConcurrentCalls, maxWait: c.MaxWaitDuration.Std(),
		capacity: c.QueueCapacity, newest: c.Order == LIFO,
	}
	switch {
	case s.maxWait == 0:
		s.capacity = 0
	case s.capacity == 0:
		s.capacity = math.MaxInt32
	}
	return s
}
