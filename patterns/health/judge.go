package health

import "github.com/resilsim/resilsim/patterns"

// advance moves the clock, which never goes back, and makes the changes that are
// due by then, in order. It returns the instant of the step.
func (r *Readiness) advance(now patterns.Instant, log *[]Event) patterns.Instant {
	r.seen = max(r.seen, now)
	for {
		at, ok := r.Next()
		if !ok || at > r.seen {
			return r.seen
		}
		if at == r.windowEnd {
			r.closeWindow(at)
		}
		r.judge(at, log)
	}
}

// closeWindow judges the window that ends. One without calls is still needed
// after one that was not calm.
func (r *Readiness) closeWindow(at patterns.Instant) {
	c, w := &r.settings.config, r.shed
	r.last, r.shed = w, account{}
	enough := w.calls >= int64(c.MinimumNumberOfCalls)
	is := enough && c.ShedThreshold.Reached(w.refused, w.calls)
	keep(&r.shedding, at, is)
	r.unsettled = is || enough && above(w.refused, w.calls, c.RecoveryShed)
	r.windowEnd = patterns.Never
	if r.unsettled {
		r.windowEnd = at.Add(c.ShedWindow.Std())
	}
}

// judge notes whether all is calm, and changes the state if that is due.
func (r *Readiness) judge(at patterns.Instant, log *[]Event) {
	keep(&r.calm, at, r.isCalm())
	due, why, pool := r.due()
	if due > at || due == patterns.Never {
		return
	}
	if r.state == Ready {
		r.enter(at, Unready, why, pool, log)
		return
	}
	r.enter(at, Ready, why, pool, log)
	// What is still the matter has to last anew.
	r.shedding = patterns.Never
	for i := range r.pools {
		p := &r.pools[i]
		p.full, p.queueFull = restart(p.full, at), restart(p.queueFull, at)
	}
}

func restart(since, at patterns.Instant) patterns.Instant {
	if since == patterns.Never {
		return since
	}
	return at
}

// due returns when the state changes if nothing is told before, and why. At that
// instant the cause is the first that is there, of those in the order of Why.
func (r *Readiness) due() (at patterns.Instant, why Why, pool int) {
	c := &r.settings.config
	at, pool = patterns.Never, -1
	switch r.state {
	case Unready:
		if c.MaxUnreadyDuration > 0 {
			at, why = r.since.Add(c.MaxUnreadyDuration.Std()), Limit
		}
		if t := r.calm.Add(c.RecoveryDuration.Std()); t <= at && r.calm != patterns.Never {
			at, why = t, Calm
		}
	case Ready:
		from := r.since.Add(c.MinimumReadyDuration.Std())
		symptom := func(since patterns.Instant, after patterns.Duration, w Why, i int) {
			if since == patterns.Never {
				return
			}
			if t := max(since.Add(after.Std()), from); t < at {
				at, why, pool = t, w, i
			}
		}
		for i := range r.pools {
			symptom(r.pools[i].full, c.SaturatedAfter, Saturated, i)
		}
		for i := range r.pools {
			symptom(r.pools[i].queueFull, c.QueueFullAfter, QueueFull, i)
		}
		symptom(r.shedding, 0, Shedding, -1)
	}
	return at, why, pool
}

// isCalm reports whether every load and the last window are at or below what recovery asks for.
func (r *Readiness) isCalm() bool {
	c := &r.settings.config
	for i := range r.pools {
		p := &r.pools[i]
		l := p.load
		switch {
		case p.full != patterns.Never || p.queueFull != patterns.Never,
			c.SaturatedAfter > 0 && above(int64(l.InUse), int64(l.Slots), c.RecoveryUtilization),
			c.QueueFullAfter > 0 && above(int64(l.Waiting), int64(l.Places), c.RecoveryUtilization):
			return false
		}
	}
	return !r.unsettled
}

// above reports whether part of total is more than p percent; false for an empty total.
func above(part, total int64, p patterns.Percent) bool {
	return total > 0 && part*int64(patterns.PercentOf(100)) > int64(p)*total
}

func (r *Readiness) enter(at patterns.Instant, to State, why Why, pool int, log *[]Event) {
	if log != nil {
		*log = append(*log, Event{At: at, From: r.state, To: to, Why: why, Pool: pool})
	}
	r.state, r.since, r.why = to, at, why
	r.changes++
}
