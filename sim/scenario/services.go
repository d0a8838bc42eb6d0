package scenario

import (
	"time"

	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/codel"
	"github.com/resilsim/resilsim/patterns/priority"
	"github.com/resilsim/resilsim/patterns/ratelimit"
)

// Unlimited is the number of workers of a service where nobody ever waits.
const Unlimited = 1<<31 - 1

// Further queue disciplines.
const (
	Random             Discipline = "random"
	AdaptiveLIFO       Discipline = "adaptive_lifo"
	Priority           Discipline = "priority"
	PreemptivePriority Discipline = "preemptive_priority"
)

// Waiting is what a queue does besides its order. The zero value is nothing.
type Waiting struct {
	// MaxWait is how long a request may wait; 0: as long as it takes.
	MaxWait time.Duration
	// Interval and Target of adaptive_lifo.
	Interval, Target time.Duration
	// Deadlines of callers travel with requests and are looked at.
	Deadlines bool
	// MinRemaining is the time that a request needs before its deadline when its turn comes.
	MinRemaining time.Duration
	// CoDel drops requests of a queue that does not drain; nil: nothing does.
	CoDel *codel.Config
}

// Looks reports whether the queue looks at its requests: then it is the library's
// bulkhead with its workers for slots.
func (q *Queue) Looks() bool {
	return q.MaxWait > 0 || q.Deadlines || q.Discipline == AdaptiveLIFO || q.Discipline == Priority
}

// Abilities of a service beyond workers that each have a processor of their own. The
// zero value is none.
type Abilities struct {
	// Asynchronous handlers hold no worker while they call another service.
	Asynchronous bool
	// Cores of an instance, shared evenly by all that work; 0: each worker has one.
	Cores int
	// Scalability says how much n that work at one time slow each other down.
	Scalability Scalability
	// Memory of an instance; nil: enough.
	Memory *Memory
	// Admission at the door, in the order in which it is asked.
	Admission []Admission
}

// Scalability holds the coefficients of the Universal Scalability Law, in [0,1].
type Scalability struct{ Contention, Coherence float64 }

// Memory of an instance in MiB, and how long it takes to start again after it has
// run out.
type Memory struct {
	Limit, Base, PerRequest float64
	Restart                 time.Duration
	// Collector is the time that garbage takes for each unit of work while half of the
	// memory is in use; 0: none.
	Collector float64
}

// Admission is one thing that is asked at a service's door; exactly one field is set.
type Admission struct {
	RateLimiter   *ratelimit.Config
	Bulkhead      *bulkhead.Config
	AdaptiveLimit *adaptive.Config
	Priority      *ClassShedding
}

// ClassShedding sheds the lowest classes first: none with up to From requests waiting
// at an instance, all with To.
type ClassShedding struct {
	priority.Config
	From, To int
}
