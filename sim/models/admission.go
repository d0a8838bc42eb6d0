package models

import (
	"fmt"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/priority"
	"github.com/resilsim/resilsim/patterns/ratelimit"
)

// Admission is one thing that is asked at a service's door; exactly one field is set.
// Nobody waits there: who is not let in at once is refused.
type Admission struct {
	RateLimiter   *ratelimit.Config
	Bulkhead      *bulkhead.Config
	AdaptiveLimit *adaptive.Config
	Priority      *ClassShedding
}

// ClassShedding sheds the lowest classes first, the more the longer the queue of the
// instance is: none with up to From waiting, all with To.
type ClassShedding struct {
	priority.Config
	From, To int
}

// door holds the compiled settings of a service's admission.
type door struct {
	order    []asked
	rate     *ratelimit.Settings
	slots    *bulkhead.Settings
	limit    *adaptive.Settings
	shedding *priority.Settings
	from, to int
}

type asked uint8

const (
	askRate asked = iota
	askSlots
	askLimit
	askShedder
)

// porter is the state of admission at an instance.
type porter struct {
	rate    ratelimit.Limiter
	slots   bulkhead.Bulkhead
	limit   adaptive.Limiter
	shedder priority.Shedder
}

func (d *door) compile(list []Admission) (err error) {
	for i, a := range list {
		switch {
		case a.RateLimiter != nil:
			d.order = append(d.order, askRate)
			d.rate, err = ratelimit.Compile(*a.RateLimiter)
		case a.Bulkhead != nil:
			d.order = append(d.order, askSlots)
			d.slots, err = bulkhead.Compile(*a.Bulkhead)
		case a.AdaptiveLimit != nil:
			d.order = append(d.order, askLimit)
			d.limit, err = adaptive.Compile(*a.AdaptiveLimit)
		case a.Priority != nil:
			d.order = append(d.order, askShedder)
			d.shedding, err = priority.Compile(a.Priority.Config)
			d.from, d.to = a.Priority.From, a.Priority.To
		}
		if err != nil {
			return fmt.Errorf("admission %d: %w", i+1, err)
		}
	}
	return nil
}

// porter of a process that starts.
func (d *door) porter() porter {
	var p porter
	if d.rate != nil {
		p.rate = ratelimit.New(d.rate)
	}
	if d.slots != nil {
		p.slots = bulkhead.New(d.slots)
	}
	if d.limit != nil {
		p.limit = adaptive.New(d.limit)
	}
	if d.shedding != nil {
		p.shedder = priority.New(d.shedding)
	}
	return p
}

// admit asks at the door. What was got there before a refusal is given back with the
// seat, when the task leaves.
func (g *Graph) admit(in *instance, t *task, st *seat) Why {
	d, p, now := &in.service.rules.door, &in.room.porter, patterns.Instant(g.now())
	for _, a := range d.order {
		switch a {
		case askRate:
			if v := p.rate.Try(now, 1); !v.OK {
				return WhyRateLimited
			}
		case askSlots:
			ticket, decision := p.slots.Enter(now, 0)
			if decision != bulkhead.Granted {
				return WhyBulkheadFull
			}
			st.inside = ticket
		case askLimit:
			permit, v := p.limit.Acquire(now)
			if !v.OK {
				return WhyLimitReached
			}
			st.permit = permit
		case askShedder:
			p.shedder.Want(now, priority.QueueShare(in.waiting.n, d.from, d.to))
			if _, v := p.shedder.Acquire(now, int(st.level), drawOf(t.key, drawShedClass, 0).Unit()); !v.OK {
				return WhyShed
			}
		}
	}
	return WhyNone
}

// giveBack returns what a task got at the door, when it leaves.
func (g *Graph) giveBack(in *instance, t *task, st *seat, why Why) {
	p, now := &in.room.porter, patterns.Instant(g.now())
	if st.inside != 0 {
		p.slots.Leave(now, st.inside, nil)
	}
	if st.permit == (adaptive.Permit{}) {
		return
	}
	outcome, reason := reply(why)
	draw := 0.0
	if rules := in.service.rules; rules.door.limit.NeedsDraw() {
		draw = g.seed.Key(drawServerProbe, rules.key, uint64(in.number), uint64(p.limit.Draws())).Unit()
	}
	if why == WhyCancelled || why == WhyCrashed {
		outcome = patterns.Ignored
	}
	p.limit.Report(now, st.permit, adaptive.SignalOf(patterns.Result{Outcome: outcome, Reason: reason}), draw)
}
