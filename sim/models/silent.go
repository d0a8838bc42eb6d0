package models

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

// Silent is a probe that hears nothing. Embedded, it is the rest of a probe that
// hears a little.
type Silent struct{}

// RequestSent does nothing.
func (Silent) RequestSent(time.Duration, int) {}

// RequestEnded does nothing.
func (Silent) RequestEnded(time.Duration, int, Ending, Why, time.Duration) {}

// AttemptSent does nothing.
func (Silent) AttemptSent(time.Duration, int, bool) {}

// AttemptEnded does nothing.
func (Silent) AttemptEnded(time.Duration, int, patterns.Reason, time.Duration) {}

// BreakerChanged does nothing.
func (Silent) BreakerChanged(time.Duration, int, int, breaker.Event) {}

// OnwardSent does nothing.
func (Silent) OnwardSent(time.Duration, int, bool) {}

// OnwardEnded does nothing.
func (Silent) OnwardEnded(time.Duration, int, patterns.Reason, time.Duration) {}

// OnwardBreaker does nothing.
func (Silent) OnwardBreaker(time.Duration, int, int, breaker.Event) {}

// CallSent does nothing.
func (Silent) CallSent(time.Duration, int) {}

// CallEnded does nothing.
func (Silent) CallEnded(time.Duration, int, Ending, Why) {}

// Arrived does nothing.
func (Silent) Arrived(time.Duration, int) {}

// Started does nothing.
func (Silent) Started(time.Duration, int, time.Duration) {}

// Served does nothing.
func (Silent) Served(time.Duration, int, time.Duration, bool, bool) {}

// TurnedAway does nothing.
func (Silent) TurnedAway(time.Duration, int, Why) {}

// Level does nothing.
func (Silent) Level(time.Duration, int, Level) {}

// Happened does nothing.
func (Silent) Happened(time.Duration, Happening) {}
