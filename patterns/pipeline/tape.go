package pipeline

import (
	"errors"
	"fmt"

	"github.com/resilsim/resilsim/patterns"
)

// Entry is one input on a tape with what it led to.
type Entry struct {
	Now    patterns.Instant
	Input  Input
	Owner  uint64
	Draws  []Draw
	Action Action
	Events []Event
	Grants []Grant
	// GivenUp as in Env.
	GivenUp []uint32
	Timer   patterns.Instant
}

// Draw is one draw that a step asked for, with what it got.
type Draw struct {
	Purpose Purpose
	Stage   int
	N       uint64
	Value   float64
}

// Replay feeds the recorded inputs to fresh cores and reports the first entry
// that leads to anything else than what was recorded, or asks for other draws: the
// proof that what runs in production and what runs in simulation is the same machine.
func Replay(policies []Policy, entries []Entry) error {
	plan, err := Compile(policies)
	if err != nil {
		return err
	}
	r := replayer{fleet: NewFleet(plan, 1), calls: map[uint64]*Call{}}
	for i, want := range entries {
		got := r.feed(want)
		if err := errors.Join(r.wrong, differ(got, want)); err != nil {
			return fmt.Errorf("pipeline: replay: entry %d (%+v at %d): %w", i, want.Input, want.Now, err)
		}
	}
	return nil
}

type replayer struct {
	fleet *Fleet
	calls map[uint64]*Call
	draws []Draw // recorded of this step and not asked for yet
	wrong error  // the first draw of this step that was not recorded so
}

// Draw hands out the recorded draws in their order, each for what it was drawn for.
func (r *replayer) Draw(p Purpose, stage int, n uint64) float64 {
	asked := Draw{Purpose: p, Stage: stage, N: n}
	if len(r.draws) == 0 {
		r.blame("draw %+v was not recorded", asked)
		return 0
	}
	d := r.draws[0]
	r.draws = r.draws[1:]
	if asked.Value = d.Value; asked != d {
		r.blame("draw %+v, recorded %+v", asked, d)
	}
	return d.Value
}

func (r *replayer) blame(format string, args ...any) {
	if r.wrong == nil {
		r.wrong = fmt.Errorf(format, args...)
	}
}

func (r *replayer) feed(want Entry) Entry {
	c := r.calls[want.Owner]
	if c == nil {
		c = &Call{}
		r.calls[want.Owner] = c
	}
	r.draws, r.wrong = want.Draws, nil
	e := Env{Now: want.Now, Dice: r, Loud: true}
	got := Entry{Action: c.Step(&e, r.fleet, want.Input)}
	got.Events, got.Grants, got.GivenUp, got.Timer = e.Events, e.Grants, e.GivenUp, c.Timer()
	if len(r.draws) > 0 {
		r.blame("%d recorded draws were not asked for", len(r.draws))
	}
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
	case fmt.Sprint(got.GivenUp) != fmt.Sprint(want.GivenUp):
		return fmt.Errorf("given up %v, recorded %v", got.GivenUp, want.GivenUp)
	case fmt.Sprint(got.Grants) != fmt.Sprint(want.Grants):
		return fmt.Errorf("grants %v, recorded %v", got.Grants, want.Grants)
	}
	return nil
}
