package pipeline

import (
	"fmt"

	"github.com/resilsim/resilsim/patterns"
)

// Entry is one input on a tape with what it led to.
type Entry struct {
	Now    patterns.Instant
	Input  Input
	Owner  uint64
	Draws  []float64
	Action Action
	Events []Event
	Grants []Grant
	Timer  patterns.Instant
}

// Replay feeds the recorded inputs to fresh cores and reports the first entry
// that leads to anything else than what was recorded: the proof that what runs
// in production and what runs in simulation is the same machine.
func Replay(policies []Policy, entries []Entry) error {
	plan, err := Compile(policies)
	if err != nil {
		return err
	}
	r := replayer{fleet: NewFleet(plan, 1), calls: map[uint64]*Call{}}
	for i, want := range entries {
		got := r.feed(want)
		if err := differ(got, want); err != nil {
			return fmt.Errorf("pipeline: replay: entry %d (%+v at %d): %w", i, want.Input, want.Now, err)
		}
	}
	return nil
}

type replayer struct {
	fleet *Fleet
	calls map[uint64]*Call
	draws []float64
}

// Draw hands out the recorded draws in their order.
func (r *replayer) Draw(Purpose, int, uint64) float64 {
	if len(r.draws) == 0 {
		return 0
	}
	d := r.draws[0]
	r.draws = r.draws[1:]
	return d
}

func (r *replayer) feed(want Entry) Entry {
	c := r.calls[want.Owner]
	if c == nil {
		c = &Call{}
		r.calls[want.Owner] = c
	}
	r.draws = want.Draws
	e := Env{Now: want.Now, Dice: r}
	got := Entry{Action: c.Step(&e, r.fleet, want.Input)}
	got.Events, got.Grants, got.Timer = e.Events, e.Grants, c.Timer()
	return got
}

func differ(got, want Entry) error {
	switch {
	case got.Action != want.Action:
		return fmt.Errorf("action %+v, recorded %+v", got.Action, want.Action)
	case got.Timer != want.Timer:
		return fmt.Errorf("timer %d, recorded %d", got.Timer, want.Timer)
	case fmt.Sprint(got.Events) != fmt.Sprint(want.Events):
		return fmt.Errorf("events %v, recorded %v", got.Events, want.Events)
	case fmt.Sprint(got.Grants) != fmt.Sprint(want.Grants):
		return fmt.Errorf("grants %v, recorded %v", got.Grants, want.Grants)
	}
	return nil
}
