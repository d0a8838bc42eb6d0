package pipeline

import "github.com/resilsim/resilsim/patterns"

// InputKind says what a driver tells a call.
type InputKind uint8

// The inputs of a call, one for each of its methods.
const (
	Begun InputKind = iota + 1
	AttemptEnded
	AttemptReturned
	StepEnded
	SlotGranted
	TimerFired
	Cancelled
)

// Input is one thing that happened to a call, as a value: what a tape records
// and a replay feeds in again.
type Input struct {
	Kind     InputKind
	Instance int              // Begun
	Owner    uint64           // Begun
	Deadline patterns.Instant // Begun
	Once     bool             // Begun: the call is not idempotent
	Level    int              // Begun: of the call
	Attempt  uint32           // AttemptEnded, AttemptReturned
	Run      uint32           // StepEnded
	Result   patterns.Result  // AttemptEnded, StepEnded
	Grant    Grant            // SlotGranted
}

// Step feeds one input to the call. It is the same as calling the method that
// the input names.
func (c *Call) Step(e *Env, f *Fleet, in Input) Action {
	switch in.Kind {
	case Begun:
		c.NonIdempotent, c.Level = in.Once, in.Level
		return c.Begin(e, f, in.Instance, in.Owner, in.Deadline)
	case AttemptEnded:
		return c.Ended(e, in.Attempt, in.Result)
	case AttemptReturned:
		return c.Returned(e, in.Attempt)
	case StepEnded:
		return c.StepEnded(e, in.Run, in.Result)
	case SlotGranted:
		return c.Granted(e, in.Grant)
	case TimerFired:
		return c.Fire(e)
	case Cancelled:
		return c.Cancel(e)
	}
	panic("pipeline: unknown input")
}
