package stats

import "math"

// outages are the judged times that goodput was below the recovery share. Spells of
// less than the recovery rule's window between two of them, or before the recovery
// instant or the end of a run without one, were no recovery and are counted in. The
// recovery instant ends an outage whatever comes after it.
func (j *judgement) outages() []Span {
	var out []Span
	for i := j.judgedFrom(); i < j.count(); i++ {
		if !j.down[i] || j.withinRecovery(j.startS[i]) {
			continue
		}
		n := len(out)
		if n > 0 && j.sameOutage(out[n-1].ToS, j.startS[i]) {
			out[n-1].ToS = j.endS[i]
			continue
		}
		out = append(out, Span{FromS: j.startS[i], ToS: j.endS[i]})
	}
	edge := j.EndS
	if at := j.verdict.RecoveryAtS; at != nil {
		edge = *at
	}
	for k := range out {
		if gap := edge - out[k].ToS; gap > 0 && gap < j.RecoveryForS-slackS && (k+1 == len(out) || out[k+1].FromS >= edge-slackS) {
			out[k].ToS = edge
		}
	}
	return out
}

// withinRecovery reports whether an instant lies in the time by whose goodput the
// recovery was seen: bad seconds in it, as of the last step of a ramp, are no new
// outage, since the whole of it is good.
func (j *judgement) withinRecovery(atS float64) bool {
	r := j.verdict.RecoveryAtS
	return r != nil && atS >= *r-slackS && atS < *r+j.RecoveryForS-slackS
}

// sameOutage reports whether goodput from the end of one bad time to the start of
// the next was too short to be a recovery.
func (j *judgement) sameOutage(toS, fromS float64) bool {
	if at := j.verdict.RecoveryAtS; at != nil && *at >= toS-slackS && *at <= fromS+slackS {
		return false
	}
	return fromS-toS < j.RecoveryForS-slackS
}

// measureOutages fills in how long it was bad, in both meanings.
func (j *judgement) measureOutages() {
	v := &j.verdict
	for i, down := range j.down {
		if down {
			v.TimeBelowS += j.endS[i] - j.startS[i]
		}
	}
	v.TimeBelowS = nanoseconds(v.TimeBelowS)
	for _, o := range j.outages() {
		v.OutageS += o.ToS - o.FromS
		v.Outages++
	}
	v.OutageS = nanoseconds(v.OutageS)
}

// nanoseconds takes the rounding of sums and differences out of a number of seconds.
func nanoseconds(s float64) float64 { return math.Round(s*1e9) / 1e9 }
