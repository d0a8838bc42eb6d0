package stats

import (
	"fmt"

	"github.com/resilsim/resilsim/sim/result"
)

// windows are the spans that a figure shades: the faults, what came after them, and
// what was done about it.
func (j *judgement) windows() []result.Window {
	out := []result.Window{}
	add := func(kind string, from, to float64, label string) {
		if from, to = max(from, 0), min(to, j.EndS); from < to {
			out = append(out, result.Window{Kind: kind, FromS: from, ToS: to, Label: label})
		}
	}
	for _, f := range j.Faults {
		add("trigger", f.FromS, f.ToS, f.Name)
	}
	switch v := &j.verdict; v.Word {
	case result.Recovered:
		add("recovering", j.over, *v.RecoveryAtS, "recovering")
	case result.Rescued:
		add("metastable", j.over, j.rescuers[0].FromS, "metastable")
		add("rescue", max(j.over, j.rescuers[0].FromS), *v.RecoveryAtS, v.RescuedBy)
	case result.Metastable:
		add("metastable", j.over, j.EndS, "metastable")
	case result.Undecided, result.Overloaded:
		add(string(v.Word), j.over, j.EndS, string(v.Word))
	}
	for _, a := range j.Actions {
		add("action", a.FromS, a.ToS, a.Name)
	}
	return out
}

// events are the instants that only a judge can see.
func (j *judgement) events() []result.Event {
	out := []result.Event{}
	if j.verdict.Word == result.Stable {
		return out
	}
	first, fell := j.firstBelow()
	if fell {
		out = append(out, result.Event{
			TS: j.startS[first], Source: "detector", Subject: j.Scope, Marker: true,
			What: fmt.Sprintf("goodput falls below %s of offered", percent(j.RecoveryShare)),
		})
	}
	if at := j.verdict.RecoveryAtS; at != nil {
		return append(out, result.Event{
			TS: *at, Source: "verdict", Subject: j.Scope, Marker: true, What: string(j.verdict.Word),
			Detail: fmt.Sprintf("goodput at least %s of offered for %s", percent(j.RecoveryShare), spoken(j.RecoveryForS)),
		})
	}
	return append(out, j.lastEvent())
}

// lastEvent says at the end of a run that it did not recover.
func (j *judgement) lastEvent() result.Event {
	e := result.Event{
		TS: j.EndS, Source: "verdict", Subject: j.Scope, Marker: true, What: string(j.verdict.Word),
		Detail: "no recovery up to the end of the run",
	}
	if n := j.count(); j.verdict.Word != result.Undecided {
		e.What += ": still down"
	} else if _, fell := j.firstBelow(); !fell {
		e.Detail = j.why()
	} else if n > 0 && !j.down[n-1] {
		e.Detail = "goodput is back, but not yet for " + spoken(j.RecoveryForS)
	}
	return e
}
