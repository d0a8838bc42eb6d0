package engine

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// HandlerID names a registered component. The zero value is the engine's own
// (see Func) and is never given to a component.
type HandlerID uint32

// Handler is a component that events are delivered to. now is the event's
// instant, arg what was given when it was scheduled.
type Handler interface {
	Handle(now time.Duration, arg uint64)
}

// An entry's key holds, from the top: 43 bits of sequence number, 20 bits of
// handler, one bit that marks a timer. Comparing keys compares sequence numbers.
const (
	handlerBits = 20
	handlersMax = 1 << handlerBits
	seqShift    = handlerBits + 1
	seqMax      = 1 << (64 - seqShift)
	timerBit    = 1
)

// Engine runs events in the order of (instant, order of scheduling).
//
// Scheduling, cancelling and executing cost amortised constant time in the
// number of pending events (each event is moved at most once per level of the
// agenda, of which there are eleven) and allocate nothing in steady state.
type Engine struct {
	now      time.Duration
	seq      uint64
	pending  int
	executed uint64
	digest   uint64
	running  bool
	stopped  bool
	handlers []Handler
	funcs    funcs
	agenda   agenda
}

// New returns an engine at instant zero with nothing scheduled.
func New() *Engine {
	e := &Engine{digest: digestBasis}
	e.agenda.init()
	e.handlers = append(e.handlers, &e.funcs)
	return e
}

// Register adds a component and returns its name. The order of registration is
// part of the digest. At most 1,048,575 components.
func (e *Engine) Register(h Handler) HandlerID {
	if h == nil {
		panic("engine: a registered handler is not nil")
	}
	if len(e.handlers) >= handlersMax {
		panic("engine: at most 1,048,575 handlers")
	}
	e.handlers = append(e.handlers, h)
	return HandlerID(len(e.handlers) - 1)
}

// Now is the current instant.
func (e *Engine) Now() time.Duration { return e.now }

// Executed is the number of events executed since New.
func (e *Engine) Executed() uint64 { return e.executed }

// Pending is the number of events that are still to be executed; cancelled
// timers do not count.
func (e *Engine) Pending() int { return e.pending }

// At schedules an event that cannot be cancelled. An instant before Now breaks
// the engine's invariant and panics, as does an unknown handler.
func (e *Engine) At(t time.Duration, h HandlerID, arg uint64) {
	e.agenda.push(entry{at: uint64(t), key: e.admit(t, h), arg: arg})
}

// admit checks that an event may be scheduled and gives it its key.
func (e *Engine) admit(t time.Duration, h HandlerID) uint64 {
	if t < e.now || int(h) >= len(e.handlers) || e.seq >= seqMax-1 {
		e.refuse(t, h)
	}
	e.seq++
	e.pending++
	return e.seq<<seqShift | uint64(h)<<1
}

func (e *Engine) refuse(t time.Duration, h HandlerID) {
	switch {
	case t < e.now:
		panic(fmt.Sprintf("engine: an event is never earlier than now: %v < %v", t, e.now))
	case int(h) >= len(e.handlers):
		panic(fmt.Sprintf("engine: an event has a registered handler: %d", h))
	}
	panic("engine: at most 8.7e12 events are scheduled in one run")
}

// Run executes every event up to and including until, in order, also those that
// are scheduled while it runs. Now is until afterwards, unless Stop ended the run
// early. Later events stay untouched, and events between until and them may still
// be scheduled. An until before Now panics, as does Run inside a handler.
func (e *Engine) Run(until time.Duration) { e.RunSome(until, math.MaxUint64) }

// RunSome is Run for at most so many events. It answers whether there is nothing
// left up to until; otherwise Now is the instant of the last event. It is for those
// who must look up now and then, however much happens in a second.
func (e *Engine) RunSome(until time.Duration, most uint64) (done bool) {
	if until < e.now {
		panic(fmt.Sprintf("engine: the clock never runs backwards: %v < %v", until, e.now))
	}
	if e.running {
		panic("engine: a handler never calls Run")
	}
	e.running, e.stopped = true, false
	defer func() { e.running = false }()
	for ; !e.stopped && most > 0; most-- {
		next, ok := e.agenda.pop(uint64(until))
		if !ok {
			e.now = until
			return true
		}
		e.execute(next)
	}
	return false
}

// Stop ends Run after the current event; Now stays at that event's instant. The
// events that are left can be executed by another Run.
func (e *Engine) Stop() { e.stopped = true }

func (e *Engine) execute(next entry) {
	h := next.key >> 1 & (handlersMax - 1)
	e.now = time.Duration(next.at)
	e.pending--
	e.executed++
	e.digest = fold(e.digest, next.at, h, next.arg)
	e.handlers[h].Handle(e.now, next.arg)
}

// Digest is a fingerprint of all events executed so far: a fold over (instant,
// handler, argument) in the order of execution. Two runs with the same digest
// did the same things, short of a collision of 64 bits.
func (e *Engine) Digest() uint64 { return mix(e.digest) }

const digestBasis = 0xcbf29ce484222325

func fold(digest, at, h, arg uint64) uint64 {
	event := (at ^ h<<44) * 0x9e3779b97f4a7c15
	event ^= bits.RotateLeft64(arg*0xd6e8feb86659fd93, 32)
	return (bits.RotateLeft64(digest, 23) ^ event) * 0xff51afd7ed558ccd
}
