package pipeline

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

// EventKind says what an event tells.
type EventKind uint8

const (
	// BreakerChanged: a breaker changed its state; see the embedded event.
	BreakerChanged EventKind = iota
	// RetryScheduled: another attempt will be made after Wait; Reason says why.
	RetryScheduled
	// TimedOut: a timeout gave up what is inside it.
	TimedOut
	// Refused: a stage let the call no further in; Reason says why.
	Refused
	// FallbackUsed: step Step of a fallback answered; Reason says for what.
	FallbackUsed
	// HedgeStarted: attempt Attempts was begun beside those under way.
	HedgeStarted
)

// String returns the kind in lower case words.
func (k EventKind) String() string {
	names := [...]string{"breaker changed", "retry scheduled", "timed out", "refused", "fallback used", "hedge started"}
	if int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// Event is something that a stage did. Its At is the instant of every kind; From,
// To and Why are those of BreakerChanged.
type Event struct {
	Kind EventKind
	// Reason is what a retry, a refusal or a fallback is the answer to.
	Reason patterns.Reason
	// Stage is the position of the policy, 0 for the outermost, and Name its name.
	Stage int
	Name  string
	// Call is the number that the call was begun with; 0: an operator's hand.
	Call uint64
	// Attempts begun so far by the call.
	Attempts uint32
	// Step of a fallback, from 0.
	Step int
	// Wait before a retry.
	Wait time.Duration
	breaker.Event
}

// emit hands an event of stage i to the driver.
func (c *Call) emit(e *Env, i int8, ev Event) {
	ev.Stage, ev.Name = int(i), c.fleet.plan.policies[i].Name
	ev.Call, ev.Attempts = c.owner, c.attempts
	e.Events = append(e.Events, ev)
	e.out.push(ev)
}

// loud hands on what only a driver that asked for it wants to hear.
func (c *Call) loud(e *Env, i int8, ev Event) {
	ev.At = e.Now
	c.emit(e, i, ev)
}

// book is where a breaker writes its events; nil: nobody will read them.
func (e *Env) book() *[]breaker.Event {
	if e.deaf {
		return nil
	}
	return &e.log
}

// tell hands on the events of the breaker at stage i, under its lock: so they are
// in the order in which they happened.
func (c *Call) tell(e *Env, i int8) {
	if len(e.log) == 0 {
		return
	}
	for _, ev := range e.log {
		c.emit(e, i, Event{Event: ev})
	}
	e.log = e.log[:0]
}
