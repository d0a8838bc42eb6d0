// Package engine answers: what happens when, and what does chance say.
//
// It is a virtual clock with an agenda of events and nothing else. A user
// registers components, schedules events for them and lets the clock run:
//
//	e := engine.New()
//	id := e.Register(component)              // component implements Handler
//	e.At(5*time.Millisecond, id, 42)         // component.Handle(5ms, 42) later
//	t := e.Timer(time.Second, id, 43)        // like At, but can be cancelled
//	e.Cancel(t)
//	e.Run(time.Hour)                         // Now() is one hour afterwards
//
// Words:
//   - Instant: nanoseconds since the run began, as a time.Duration, never negative.
//   - Event: an instant, a handler and an argument of 64 bits that only the handler understands.
//   - Order: events run by (instant, order of scheduling). Nothing else decides.
//   - Key: where a draw comes from. Chance is a pure function of the run's seed
//     and of what the draw is for (see Seed.Key), never of how many draws were
//     made before; a new component shifts nobody's draws.
//
// The same schedule gives the same run, byte for byte, and Digest says so in one
// number. An Engine is for one goroutine.
package engine
