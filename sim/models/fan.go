package models

import (
	"github.com/resilsim/resilsim/patterns"
)

// fan is a group of calls that a task makes at one time.
type fan struct {
	calls []handle
	open  int // that have not ended
	ok    int
	need  int // that have to succeed
	steps int // of the task that the group is
	// How the first one that failed ended.
	failed patterns.Result
	why    Why
}

// group is the number of the steps from here on that are done at one time, 0: this
// one is done alone.
func group(steps []Step) int {
	n := 0
	for n < len(steps) && steps[0].Group > 0 && steps[n].Group == steps[0].Group {
		n++
	}
	return n
}

// fanOut makes the calls of a group, and reports whether there were any.
func (g *Graph) fanOut(o *owner, h handle, t *task, steps []Step) (any bool) {
	slot, f := g.fans.take()
	*f = fan{calls: f.calls[:0], steps: len(steps), need: steps[0].Need}
	for i := range steps {
		st, at := &steps[i], uint64(t.step)+uint64(i)
		if st.Probability < 1 && !chance(drawStep, st.Probability, t.key, at) {
			continue
		}
		for k := range max(st.Times, 1) {
			c := g.newCall(o, t.instance, st.Call, o.pipe(st.Through), t.key.Child(at, 1+uint64(k)))
			c.parent, c.ofTask = h, true
			g.carry(c, t.mark, at<<32|uint64(1+k))
			f.calls = append(f.calls, c.handle())
		}
	}
	f.open = len(f.calls)
	if f.need == 0 || f.need > f.open {
		f.need = f.open
	}
	if f.open == 0 {
		g.fans.give(slot)
		return false
	}
	t.fan = slot + 1
	// A call that ends at once is heard of later in this instant: the group stays as it is.
	for _, c := range f.calls {
		g.begin(g.call(c), t.due())
	}
	if o.async {
		g.stepAside(h, t)
	}
	return true
}

// fanned hears how a call of a task's group ended. As many successes as are needed end
// the step, and so does one failure too many: the other calls are given up.
func (g *Graph) fanned(h handle, t *task, r patterns.Result, why Why) {
	f := g.fans.at(t.fan - 1)
	f.open--
	if r.Outcome == patterns.Success {
		f.ok++
		t.degraded = t.degraded || r.Degraded
	} else if f.failed.Outcome == 0 {
		f.failed, f.why = r, why
	}
	switch {
	case f.ok >= f.need:
		t.step += int32(f.steps) - 1 // the last one of the group
		r = patterns.Result{Outcome: patterns.Success}
	case f.ok+f.open < f.need:
		r, why = f.failed, f.why
	default:
		return
	}
	g.foldFan(t, g.dying)
	g.stepCalled(h, t, r, why)
}

// foldFan gives up what is under way of a task's group.
func (g *Graph) foldFan(t *task, dying bool) {
	if t.fan == 0 {
		return
	}
	slot := t.fan - 1
	t.fan = 0
	calls := g.fans.at(slot).calls
	for _, c := range calls {
		if one := g.call(c); one != nil && one.parent != 0 {
			g.cancel(c, dying)
		}
	}
	g.fans.give(slot)
}
