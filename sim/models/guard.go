package models

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
)

// ask has the library's bulkhead decide about a task that came in.
func (g *Graph) ask(in *instance, h handle, t *task, st *seat) {
	r, now := in.room, patterns.Instant(g.now())
	a := r.guard.Ask(now, bulkhead.Request{Owner: uint64(h), Level: int(st.level), Deadline: t.deadline})
	st.ticket = a.Ticket
	g.hearDrops(in)
	switch a.Decision {
	case bulkhead.Rejected:
		why := WhyQueueFull
		if a.Reason == patterns.DeadlineExceeded {
			why = WhyDeadline
		}
		g.turnAway(in.service, h, t, why)
	case bulkhead.Granted:
		if in.idle() {
			g.judge(in, 0)
			g.start(in, h, t)
			return
		}
		// Frozen: it has its slot, and waits for the thaw.
		r.granted = append(r.granted, bulkhead.Grant{Ticket: a.Ticket, Owner: uint64(h)})
		g.lineUp(in, h, t)
	case bulkhead.Queued:
		if in.service.rules.timed && a.Until != patterns.Never {
			st.expiry = g.eng.Timer(max(g.now(), time.Duration(a.Until)), g.on.expiry, uint64(h))
		}
		g.lineUp(in, h, t)
	}
}

// expired ends the patience of a waiting task. A slot that is granted at the same
// instant wins.
func (g *Graph) expired(h handle) {
	t := g.task(h)
	st, in := g.seatOf(t), g.instanceOf(t)
	if !st.again {
		st.again = true
		st.expiry = g.eng.Timer(g.now(), g.on.expiry, uint64(h))
		return
	}
	r, now := in.room, patterns.Instant(g.now())
	if !r.guard.Cancel(now, st.ticket, &r.granted) {
		return
	}
	why := WhyQueueTimeout
	if least := in.service.cfg.Guard.MinRemainingDuration.Std(); t.deadline != 0 && now.Add(max(least, 1)) >= t.deadline {
		why = WhyDeadline
	}
	st.ticket = 0
	g.unline(in, h.slot(), t)
	g.turnAway(in.service, h, t, why)
	g.pull(in)
}

// hearDrops ends the tasks that the guard has dropped.
func (g *Graph) hearDrops(in *instance) {
	r := in.room
	r.drops = r.guard.Dropped(r.drops[:0])
	for _, d := range r.drops {
		h := handle(d.Owner)
		t := g.task(h)
		g.seatOf(t).ticket = 0
		g.unline(in, h.slot(), t)
		why := WhyQueueTimeout
		switch d.Reason {
		case patterns.Shed:
			why = WhyShed
		case patterns.DeadlineExceeded:
			why = WhyDeadline
		}
		g.turnAway(in.service, h, t, why)
	}
}

// takeGrant gives the next task that was granted a slot its worker; false: there is
// none.
func (g *Graph) takeGrant(in *instance) bool {
	r := in.room
	if len(r.granted) == 0 {
		return false
	}
	h := handle(r.granted[0].Owner)
	r.granted = r.granted[:copy(r.granted, r.granted[1:])]
	// One whose caller gave it up meanwhile has left.
	if t := g.task(h); t != nil && t.state == waiting {
		g.unline(in, h.slot(), t)
		g.serve(in, h, t)
	}
	return true
}

// giveUpSlot hands the slot of a task back to the guard, or its place in the queue.
func (g *Graph) giveUpSlot(in *instance, t *task) {
	st := g.seatOf(t)
	if in.service.rules.guard == nil || st.ticket == 0 {
		return
	}
	r, now := in.room, patterns.Instant(g.now())
	if !r.guard.Leave(now, st.ticket, &r.granted) {
		r.guard.Cancel(now, st.ticket, &r.granted)
	}
	st.ticket = 0
	g.hearDrops(in)
}

// resizeGuard follows the number of workers. Without any left the one slot that a
// bulkhead has at least is held by a task that waits for its worker.
func (g *Graph) resizeGuard(in *instance) {
	if in.room == nil || in.service.rules.guard == nil {
		return
	}
	in.room.guard.Resize(patterns.Instant(g.now()), max(in.workers, 1), &in.room.granted)
	g.hearDrops(in)
}
