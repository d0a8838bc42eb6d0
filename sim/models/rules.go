package models

import (
	"fmt"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/codel"
)

// Unlimited is the number of workers of a service that never lets anybody wait.
const Unlimited = 1<<31 - 1

// Queueing is how requests wait at a service where a plain line will not do. The zero
// value is a plain line.
type Queueing struct {
	// Random serves any of those that wait, with equal chances.
	Random bool
	// Preempt serves the highest priority first and takes workers away from lower
	// ones. Work that is interrupted goes on where it stopped.
	Preempt bool
	// Guard is the library's queue that looks at its calls: it is then the queue and
	// the workers of each instance. Its slots and its capacity are filled in.
	Guard *bulkhead.QueueConfig
	// CoDel is asked whether to drop a request when its turn comes.
	CoDel *codel.Config
	// Deadlines of callers travel with requests: Guard looks at them, and calls that
	// the handler makes have them too.
	Deadlines bool
}

// Processing is how an instance works on several requests at one time. The zero value
// gives each worker a processor of its own.
type Processing struct {
	// Cores are shared evenly by all pieces of work of an instance; 0: as many as
	// workers.
	Cores int
	// Contention and Coherence slow each of n pieces of work down by the factor
	// 1 + Contention (n-1) + Coherence n (n-1).
	Contention, Coherence float64
	// Asynchronous handlers hold no worker while they call another service.
	Asynchronous bool
	// Memory bounds the requests at an instance; nil: no bound.
	Memory *MemoryConfig
	// Admission is asked at the door, in this order; at most one of each kind.
	Admission []Admission
}

// rules are what a service does beyond a plain line and workers of their own.
type rules struct {
	key       uint64 // of its name
	random    bool
	preempt   bool
	async     bool
	processor bool // work is done by a processor
	guard     *bulkhead.Settings
	timed     bool // patience in the queue ends
	codel     *codel.Settings
	door      door
	memory    *MemoryConfig
	most      int // requests that memory has room for
	speeds
}

// compile prepares the patterns of a service.
func (r *rules) compile(cfg *ServiceConfig) (err error) {
	if cfg.Guard != nil {
		c := *cfg.Guard
		c.MaxConcurrentCalls, c.QueueCapacity = cfg.Workers, max(cfg.QueueLimit, 0)
		r.timed = c.Order == bulkhead.AdaptiveLIFO || c.MaxWaitDuration < EndlessWait
		if r.guard, err = bulkhead.CompileQueue(c); err != nil {
			return fmt.Errorf("queue: %w", err)
		}
	}
	if cfg.CoDel != nil {
		if r.codel, err = codel.Compile(*cfg.CoDel); err != nil {
			return fmt.Errorf("queue: %w", err)
		}
	}
	return r.door.compile(cfg.Admission)
}

// EndlessWait is a guard's MaxWaitDuration for those who wait as long as it takes.
const EndlessWait = patterns.Duration(longest)
