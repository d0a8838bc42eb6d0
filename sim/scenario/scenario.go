package scenario

import (
	"time"

	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/throttle"
	"github.com/resilsim/resilsim/patterns/timeout"
	"github.com/resilsim/resilsim/sim/dist"
)

// Scenario is a story that is believed: every name resolved, every default
// filled in, every value in range. Nothing changes it after Load. Lists keep
// the order of the file; references are indexes into them.
type Scenario struct {
	// Name is the word after `scenario:`.
	Name string
	// About is one sentence for a reader.
	About string
	// Extends is the name of the scenario this one differs from, or empty.
	Extends string
	// Differs lists what a sibling and then the command line set, as "path: value",
	// for the reader.
	Differs []string
	// Changed are those of Differs that --set made, as "path=value".
	Changed []string
	// Duration of the run in virtual time.
	Duration time.Duration
	// Seed of every draw.
	Seed uint64
	// Interval of the recorded series.
	Interval time.Duration
	// Recovery says when a run counts as recovered.
	Recovery Recovery

	Caches    []Cache
	Callers   []Fleet
	Pipelines []Pipeline
	Services  []Service
	Links     []Link
	Faults    []Fault
	Operators []Operator

	// SteadyState must hold before the first fault, or the run is refused.
	SteadyState []Expectation
	// Expect is what the story claims; a claim that fails is exit status 99.
	Expect []Expectation
}

// Recovery is the rule of the recovery instant: the first instant after the
// last fault from which goodput is at least Share of offered for For.
type Recovery struct {
	Share float64       // in [0,1], default 0.95
	For   time.Duration // default 30s
}

// Fleet is N identical callers.
type Fleet struct {
	Name      string
	Instances int
	Arrivals  Arrivals
	Do        []Step
	Sources   Sources
	// Classes of its requests; empty: all are of one sort.
	Classes []Class
	// Keys that requests are about; nil: none.
	Keys *Keys
	// Patience of its users; nil: without end.
	Patience *Patience
	// Retrial of users without an answer; nil: they do not come back.
	Retrial *Retrial
}

// Arrivals is the offered load of a whole fleet.
type Arrivals struct {
	// Law is poisson or uniform (fixed interval) for a curve, or what the fleet's Sources
	// say more of.
	Law ArrivalLaw
	// Curve is the rate over time: at least one point, the first at 0. Without a rate
	// it is one point of 0.
	Curve []RatePoint
}

// ArrivalLaw names how gaps between arrivals are spread.
type ArrivalLaw string

// The arrival laws.
const (
	Poisson ArrivalLaw = "poisson"
	Uniform ArrivalLaw = "uniform"
	// ClosedLoop has users with think time, InBursts many requests at one instant,
	// Recorded a trace.
	ClosedLoop ArrivalLaw = "closed"
	InBursts   ArrivalLaw = "bursts"
	Recorded   ArrivalLaw = "trace"
)

// RatePoint sets the rate from At on; with Ramp above 0 it is reached linearly
// in that time.
type RatePoint struct {
	At   time.Duration
	Rate float64 // requests per second of the whole fleet
	Ramp time.Duration
}

// Step is one thing that a handler does: work, or a call to another service.
// Exactly one of Work and Call is set.
type Step struct {
	Work dist.Dist
	// Call is the index of the service called, -1 for a work step.
	Call int
	// Through is the index of the pipeline, -1 for none (a bare call).
	Through int
	// Probability in [0,1] that the step is done at all; 1 by default.
	Probability float64
	// Cache is the place+1 of the cache that is looked into before the call, 0: none.
	Cache int
	// Group: neighbours of the same number, above 0, are done at one time. Times the call
	// is made, at least 1 in a group; Need of all of them have to succeed, 0: all.
	Group, Times, Need int
}

// Weight is how often the step is done for each time that the list is.
func (s *Step) Weight() float64 { return s.Probability * float64(max(s.Times, 1)) }

// Pipeline is an ordered list of policies, outermost first.
type Pipeline struct {
	Name string
	// Shared: one set of breakers, budgets and bulkheads for the whole fleet (or
	// all instances of a service) instead of one per instance.
	Shared   bool
	Policies []Policy
}

// Policy is one stage; exactly one field is set.
type Policy struct {
	Fallback       *Fallback
	Retry          *retry.Config
	CircuitBreaker *breaker.Config
	Bulkhead       *bulkhead.Config
	Timeout        *timeout.Config
	RateLimiter    *ratelimit.Config
	AdaptiveLimit  *adaptive.Config
	Throttle       *throttle.Config
	Hedge          *hedge.Config
	// QueuedBulkhead is a YAML `bulkhead` whose queue looks at its calls.
	QueuedBulkhead     *bulkhead.QueueConfig
	ThreadPoolBulkhead *bulkhead.PoolConfig
	// Uncooperative marks a timeout whose function ignores its cancelled context:
	// YAML `cooperative: false`. What is inside goes on until its answer comes.
	Uncooperative bool
}

// Fallback is a ladder: steps are tried in order until one answers.
type Fallback struct {
	Steps []FallbackStep
}

// FallbackStep is a value that answers after Takes, or (Call >= 0) a call to
// another service through a pipeline of its own.
type FallbackStep struct {
	Name    string
	Takes   time.Duration
	Call    int
	Through int
}

// Service is instances x workers with a queue in front of each instance.
type Service struct {
	Name      string
	Instances int
	// Workers per instance, or Unlimited; a worker is held until its handler ends,
	// waiting for a downstream included unless Asynchronous.
	Workers int
	Do      []Step
	Queue   Queue
	// Abandoned says what happens to work whose caller has gone.
	Abandoned Abandoned
	// ErrorShare of handled requests that fail anyway, in [0,1].
	ErrorShare float64
	// Crash on overload; nil: never.
	Crash *Crash
	// ColdStart after every start but the first; nil: full speed at once.
	ColdStart *ColdStart
	Abilities
	Balancing
}

// Queue in front of each instance. Limit counts waiting requests, not those in
// service; -1: unbounded.
type Queue struct {
	Limit      int
	Discipline Discipline
	Waiting
}

// Discipline is the order in which waiting requests are served.
type Discipline string

// The queue disciplines.
const (
	FIFO Discipline = "fifo"
	LIFO Discipline = "lifo"
)

// Abandoned is what a service does with work whose caller has gone: keep (serve
// it all the same, as most real systems do), skip (drop it when it reaches a
// worker) or cancel (drop it at once, wherever it is).
type Abandoned string

// The treatments of abandoned work.
const (
	Keep   Abandoned = "keep"
	Skip   Abandoned = "skip"
	Cancel Abandoned = "cancel"
)

// Crash kills an instance whose queue exceeds QueueAbove: queue and work are
// lost, connections are refused for Restart, then it starts (cold, if it does).
type Crash struct {
	QueueAbove int
	Restart    time.Duration
}

// ColdStart divides service times by a speed that rises linearly from From (in
// (0,1]) to 1 within For of a restart.
type ColdStart struct {
	From float64
	For  time.Duration
}

// Link is the way between callers and a service. Latency is one way, for the
// request and again for the response.
type Link struct {
	From    string // fleet or service name; empty: everybody
	To      int
	Latency dist.Dist // nil: none
	Loss    float64   // share of the messages that are lost, in each direction
}

// Fault is something that goes wrong at At for For. Kind says what, and which
// of the other fields hold. Instances is the share of instances hit, in (0,1]:
// of the calling instances for partition, of the service's own for the others.
type Fault struct {
	Kind      FaultKind
	Name      string // label, default from the kind
	At        time.Duration
	For       time.Duration
	Service   int // -1 when the fault is not at a service
	Fleet     int // for surge, else -1
	Instances float64

	Times      float64       // latency: service times multiplied; surge: rate multiplied
	Plus       time.Duration // latency: added to each service time
	Share      float64       // errors: share that fails; capacity: share of workers left
	Restart    time.Duration // crash: time down
	Loses      Loses         // partition
	How        How           // partition
	CallersTo  int           // partition: fleet whose instances are cut off, -1: every caller
	RatePerSec float64       // surge: absolute rate, 0: use Times
	Breakdowns Breakdowns    // breakdowns
	Cache      int           // flush
	// RampIn and RampOut are parts of For in which the fault comes and goes.
	RampIn, RampOut time.Duration
	Healthy         bool // lyingCheck: what the checks say
}

// FaultKind names a fault.
type FaultKind string

// The faults. Freeze: work in service is finished, nothing new starts, the
// queue stays. Crash: queue and work lost, refused while down. Surge: more load
// at the door.
const (
	Latency    FaultKind = "latency"
	Errors     FaultKind = "errors"
	Capacity   FaultKind = "capacity"
	Freeze     FaultKind = "freeze"
	CrashDown  FaultKind = "crash"
	Partition  FaultKind = "partition"
	Surge      FaultKind = "surge"
	RandomDown FaultKind = "breakdowns"
)

// Loses says which direction a partition cuts.
type Loses string

// The directions.
const (
	Requests  Loses = "requests"
	Responses Loses = "responses"
	Both      Loses = "both"
)

// How says what a cut-off caller notices: nothing (blackhole) or an immediate
// refusal (refused).
type How string

// The ways of being cut off.
const (
	BlackHole How = "blackhole"
	Refused   How = "refused"
)

// Operator is what the on-call engineer does at At. Kind says which of the
// other fields hold.
type Operator struct {
	Kind     OperatorKind
	Name     string
	At       time.Duration
	For      time.Duration
	Service  int
	Pipeline int // breaker, retries: index of the pipeline, -1: all

	Downtime time.Duration // restart
	What     What          // shed
	Share    float64       // shed: share refused, in [0,1]
	Ramp     time.Duration // shed: after For the share falls to 0 in Steps steps over Ramp
	Steps    int           // default 12
	Force    breaker.State // breaker: open, closed, ...

	Instances int           // scaleOut
	Startup   time.Duration // scaleOut
	Fault     string        // rollBack: the name of what it ends
}

// OperatorKind names an action.
type OperatorKind string

// The actions. Retries: retries are switched off for For.
const (
	RestartService OperatorKind = "restart"
	Shed           OperatorKind = "shed"
	Purge          OperatorKind = "purge"
	ForceBreaker   OperatorKind = "breaker"
	RetriesOff     OperatorKind = "retriesOff"
	ScaleOut       OperatorKind = "scaleOut"
	RollBack       OperatorKind = "rollBack"
)

// What is shed: requests (users refused at the caller, who do not come back) or
// attempts (refused at the service, which may be retried).
type What string

// What can be shed.
const (
	ShedRequests What = "requests"
	ShedAttempts What = "attempts"
)

// Expectation is one claim over a recorded metric:
//
//	[SCOPE.]METRIC [AGGREGATE] [during [FROM, TO]] OP BOUND
//	verdict == rescued
type Expectation struct {
	// Text as written.
	Text string
	// Scope is "callers.NAME", "services.NAME" or empty (the first fleet, or the run).
	Scope string
	// Metric is a name of the catalogue in sim/result, or "verdict".
	Metric string
	// Aggregate is mean, min, max, last, p50, p95, p99 over the intervals of the window.
	Aggregate string
	From, To  Anchor
	// Op is one of >= <= > < == !=.
	Op string
	// Bound in the metric's own unit; Word for verdicts.
	Bound float64
	Word  string
	// Line and Col in the file.
	Line, Col int
}

// Anchor is an instant given by an offset from a named moment.
type Anchor struct {
	// Base is start, end, trigger (first fault begins), trigger.end (last fault is
	// over), or recovery.
	Base   string
	Offset time.Duration
}
