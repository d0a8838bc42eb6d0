package pipeline

import (
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/retry"
)

// Call is one call through a pipeline: the state machine of the package
// comment. Its inputs are its methods; each answers with an Action. The zero
// value is ready for Begin, and after Done (and Outstanding() == 0) it may be
// begun again: its memory is reused.
type Call struct {
	// NonIdempotent: this call does harm when it is carried out twice, so that a
	// failure after which it may have been is not retried. Set it before Begin; it
	// stays.
	NonIdempotent bool
	// Level of the call in a bulkhead whose order is priority; higher is served first.
	// Set it before Begin; it stays.
	Level int

	fleet    *Fleet
	instance int32
	state    state
	base     int8 // the stage that began it: of a leg the hedge, else -1
	inward   bool
	stop     int8   // lingering: the stage that goes on when the function returns
	at       int8   // the stage the call is at
	depth    int8   // stages that have admitted it: [0,depth)
	attempts uint32 // attempts begun
	steps    uint32 // of fallbacks begun, in all uses of this memory
	asks     uint32 // of throttles
	out      uint32 // the attempt whose function has not returned, 0: none
	owner    uint64
	noTime   bool             // a retry was not begun because its wait would pass the deadline
	deadline patterns.Instant // the caller's own
	until    patterns.Instant // waiting: end of the wait; queued: of patience; lingering: the function is left behind
	overdue  patterns.Instant // when a breaker counts the running call as slow
	result   patterns.Result  // travels outward
	frames   []frame
	held     []held   // slots whose functions outlive their stage
	detached []uint32 // attempts given up whose functions have not returned
	race     *race    // that the call runs or, as a leg, is part of
}

type state uint8

const (
	idle state = iota
	moving
	attempting
	lingering
	waiting
	queued
	limited
	falling
	racing
	done
)

// frame is what one stage remembers of the call that it admitted.
type frame struct {
	due    patterns.Instant // earliest deadline of this stage and all outside it
	own    patterns.Instant // timeout: its own deadline
	permit breaker.Permit
	ticket bulkhead.Ticket
	retry  retry.State
	stake  budget.Stake // retry: what the call has in the budget
	entry  adaptive.Permit
	place  ratelimit.Reservation
	step   int             // fallback: step under way
	cause  patterns.Result // fallback: what it answers for
	first  uint32          // attempts begun before this stage admitted
}

// held is a bulkhead's slot that waits for functions to return: those of the
// attempts first+1 to last.
type held struct {
	stage       int8
	ticket      bulkhead.Ticket
	first, last uint32
}

// ActionKind says what the driver does next.
type ActionKind uint8

const (
	// Wait: nothing now; arm the timer of Timer and wait for what comes.
	Wait ActionKind = iota
	// Attempt: start attempt Action.Attempt and report its end with Ended.
	Attempt
	// Step: run step Action.Step of the fallback at Action.Stage and report the end of
	// run Action.Run with StepEnded.
	Step
	// Linger: the function was abandoned; cancel it, and report its return with Returned.
	// The call waits for that, but not past a detached timeout around the function.
	Linger
	// Done: the call ended with Action.Result.
	Done
)

// Action is what the call needs next.
type Action struct {
	Kind ActionKind
	// Attempt is the number of the attempt to start, from 1.
	Attempt uint32
	// Stage and Step of a fallback.
	Stage, Step int
	// Run numbers the steps that were run, as Attempt does the attempts. It goes on
	// counting when the call is begun again.
	Run uint32
	// Deadline is the earliest of the enclosing timeouts and the caller's own.
	Deadline patterns.Instant
	// Abandoned is the attempt that this input gave up, 0: none. Its answer will
	// not be heard; report its return all the same.
	Abandoned uint32
	// StepAbandoned: the fallback step under way was given up.
	StepAbandoned bool
	// Result is how the call ended, or what a fallback step answers for.
	Result patterns.Result
}

// Begin starts a call through pipeline instance of the fleet. owner comes back
// in grants; deadline is the caller's own (patterns.Never for none).
func (c *Call) Begin(e *Env, f *Fleet, instance int, owner uint64, deadline patterns.Instant) Action {
	if c.state != idle && c.state != done {
		panic("pipeline: a call was begun twice")
	}
	c.attempts, c.asks = 0, 0
	c.ready(f, int32(instance), -1)
	c.owner, c.deadline = owner, deadline
	if deadline <= e.Now {
		c.inward, c.at = false, -1
		c.result = deadlineResult
	}
	return c.run(e)
}

// ready makes a call ready to go in at the stage inside base.
func (c *Call) ready(f *Fleet, instance int32, base int8) {
	n := len(f.plan.stages)
	if cap(c.frames) < n {
		c.frames = make([]frame, n)
	}
	c.frames = c.frames[:n]
	c.fleet, c.instance, c.base = f, instance, base
	c.out, c.depth, c.at, c.noTime = 0, base+1, base+1, false
	c.until, c.overdue = patterns.Never, patterns.Never
	c.state, c.inward = moving, true
}

var (
	deadlineResult = patterns.Result{Outcome: patterns.Failure, Reason: patterns.DeadlineExceeded}
	timeoutResult  = patterns.Result{Outcome: patterns.Failure, Reason: patterns.AttemptTimeout}
	cancelResult   = patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Cancelled}
)

// Ended reports that the function of an attempt returned with this result. The
// answer of an abandoned attempt is late: it counts as its return only.
func (c *Call) Ended(e *Env, attempt uint32, r patterns.Result) Action {
	if c.state == racing {
		return c.legAnswered(e, attempt, r)
	}
	if c.state != attempting || attempt != c.out {
		return c.Returned(e, attempt)
	}
	c.out = 0
	c.state, c.inward, c.at = moving, false, c.depth-1
	c.result = r
	return c.run(e)
}

// Returned reports that the function of an abandoned attempt has returned, with
// whatever answer. Unknown attempts are ignored.
func (c *Call) Returned(e *Env, attempt uint32) Action {
	if attempt == 0 {
		return Action{}
	}
	if c.state == lingering && attempt == c.out {
		c.out = 0
		c.free(e)
		return c.goOn(e)
	}
	for i, a := range c.detached {
		if a == attempt {
			c.detached = append(c.detached[:i], c.detached[i+1:]...)
			c.free(e)
			return Action{}
		}
	}
	return c.legReturned(e, attempt)
}

// StepEnded reports how a run of a fallback step ended. The answer of one that was
// abandoned is late: it counts as its return only, and as nothing if it was left behind.
func (c *Call) StepEnded(e *Env, run uint32, r patterns.Result) Action {
	if run != c.steps {
		return Action{}
	}
	if c.state == lingering && c.out == 0 {
		return c.goOn(e)
	}
	if c.state != falling {
		return Action{}
	}
	i := c.at
	fr := &c.frames[i]
	c.state = moving
	if r.Outcome == patterns.Success {
		c.result = patterns.Result{Outcome: patterns.Success, Degraded: true}
		if e.Loud {
			c.loud(e, i, Event{Kind: FallbackUsed, Reason: fr.cause.Reason, Step: fr.step})
		}
		c.leave(i)
		return c.run(e)
	}
	fr.step++
	switch {
	case r.Reason == patterns.Panicked:
		c.result = r // it goes on through the caller: no further step covers it
	case fr.step < c.fleet.plan.stages[i].steps:
		return c.fall(int(i))
	default:
		c.result = fr.cause
	}
	c.leave(i)
	return c.run(e)
}

// Granted reports that a bulkhead gave the waiting call its slot, or dropped it. A
// grant that is no longer waited for is ignored.
func (c *Call) Granted(e *Env, g Grant) Action {
	if c.state == racing {
		return c.legGranted(e, g)
	}
	if c.state != queued || int(c.at) != g.Stage || c.frames[c.at].ticket != g.Ticket {
		return Action{}
	}
	if g.Dropped != patterns.None {
		return c.turnedAway(e, g.Dropped)
	}
	return c.slotted(e)
}

func (c *Call) slotted(e *Env) Action {
	c.until = patterns.Never
	c.state, c.inward = moving, true
	c.admitted()
	return c.run(e)
}

// Fire reports that the timer of Timer has passed. Firing early does nothing.
func (c *Call) Fire(e *Env) Action {
	if c.overdue <= e.Now {
		c.runLate(e)
	}
	if i, expired := c.expired(e.Now); expired {
		r := timeoutResult
		if i <= c.base {
			r = deadlineResult
		}
		return c.abandon(e, i, r)
	}
	if c.state == racing {
		return c.fireRace(e)
	}
	if e.Now < c.until {
		return Action{}
	}
	switch c.state {
	case waiting:
		c.until = patterns.Never
		c.state, c.inward, c.at = moving, true, c.depth
		return c.run(e)
	case queued:
		return c.impatient(e)
	case limited:
		return c.slotted(e)
	case lingering:
		return c.goOn(e)
	}
	return Action{}
}

// Cancel reports that the caller gave up. Policies hear that the call is to be
// ignored.
func (c *Call) Cancel(e *Env) Action { return c.abandon(e, c.base, cancelResult) }

// Timer returns the one instant at which Fire is due, patterns.Never for none.
func (c *Call) Timer() patterns.Instant {
	switch c.state {
	case idle, moving, done:
		return patterns.Never
	}
	return min(c.due(), c.until, c.overdue, c.legTimer())
}

// Outstanding returns the number of functions that have not returned yet. After
// Done, the call may be begun again when it is 0.
func (c *Call) Outstanding() int {
	n := len(c.detached)
	if c.out != 0 {
		n++
	}
	for _, l := range c.legs() {
		n += l.Outstanding()
	}
	return n
}

// Attempts returns the number of attempts begun so far.
func (c *Call) Attempts() uint32 { return c.attempts }

// OutOfTime reports whether the last retry was not begun because its wait would
// have passed the deadline.
func (c *Call) OutOfTime() bool { return c.noTime }

// Owner returns the number that the call was begun with.
func (c *Call) Owner() uint64 { return c.owner }

// due is the earliest deadline in force.
func (c *Call) due() patterns.Instant {
	// While lingering, only the stages outside the one that gave up still count; when
	// the function is left behind, until says.
	if c.state == lingering && c.stop <= c.base {
		return patterns.Never
	}
	if c.depth > c.base+1 {
		return c.frames[c.depth-1].due
	}
	return c.deadline
}

// expired returns the outermost timeout that has passed; base is the caller's own
// deadline.
func (c *Call) expired(now patterns.Instant) (int8, bool) {
	if c.state == idle || c.state == done || c.due() > now {
		return 0, false
	}
	if c.deadline <= now {
		return c.base, true
	}
	i := c.base + 1
	for c.frames[i].due > now {
		i++
	}
	return i, true
}
