package models

import (
	"time"

	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/sim/engine"
)

// seat is what a task has at an instance with a room, besides its own record: tasks
// of plain services do without.
type seat struct {
	ticket bulkhead.Ticket // of the room's guard
	inside bulkhead.Ticket // of the bulkhead at the door
	permit adaptive.Permit // of the adaptive limit at the door
	expiry engine.Timer    // of its patience in the queue
	held   time.Duration   // workers, before the one that it has now
	left   progress        // of the piece of work that was interrupted
	place  int32           // in the processor's heap or in the bag, nobody: in none
	level  uint8           // its priority
	broken bool            // its work was interrupted and goes on where it stopped
	again  bool            // expiry has fired once at this instant
}

func (g *Graph) sit(t *task) *seat {
	slot, s := g.seats.take()
	*s = seat{place: nobody, level: uint8(min(g.classOf(t.mark).priority, Levels-1))}
	t.seat = slot + 1
	return s
}

func (g *Graph) seatOf(t *task) *seat { return g.seats.at(t.seat - 1) }

// rise takes the seat away from a task that leaves its service, and gives back what
// it got at the door.
func (g *Graph) rise(t *task, why Why) {
	st := g.seatOf(t)
	g.eng.Cancel(st.expiry)
	in := g.instanceOf(t)
	g.giveBack(in, t, st, why)
	g.seats.give(t.seat - 1)
	t.seat = 0
	g.burdened(in)
}
