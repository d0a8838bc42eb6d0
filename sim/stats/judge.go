package stats

import (
	"math"
	"slices"

	"github.com/resilsim/resilsim/sim/result"
)

// Case is what a judgement rests on. Instants and spans are in seconds since the
// run began, rates in requests per second, one value per interval.
type Case struct {
	// Scope whose goodput is judged, "callers.NAME".
	Scope string
	// StartS of each interval, EndS of the run.
	StartS []float64
	EndS   float64
	// Offered, Goodput and Attempts of the scope.
	Offered, Goodput, Attempts []float64
	// InFlight is the number of the scope's requests at the end of each interval;
	// where it is nil no request is taken for undecided.
	InFlight []float64
	// Faults and Actions in the order in which they begin.
	Faults, Actions []Span
	// RecoveryShare in (0,1] and RecoveryForS above 0 are the recovery rule.
	RecoveryShare, RecoveryForS float64
	// Capacities of the services that the scope's requests reach.
	Capacities []Capacity
	// WastedShare of all service time, in [0,1]; goes into the verdict as it is.
	WastedShare float64
}

// Span is a fault, or what an operator did.
type Span struct {
	Name       string
	FromS, ToS float64
	// Noun is what a sentence calls it, so that it reads well after "90 s of":
	// "added latency on payments". The name in quotes where it is empty.
	Noun string
}

// Capacity says what a service could serve and how much of it a request takes.
type Capacity struct {
	Service string
	// PerS is what it serves at full health.
	PerS float64
	// Visits to it per request of the scope, without retries.
	Visits float64
	// OthersPerS is the load by other fleets.
	OthersPerS float64
}

// requestsPerS is the load of the scope that the service can bear.
func (c Capacity) requestsPerS() float64 { return (c.PerS - c.OthersPerS) / c.Visits }

// Outcome is a judgement with what a figure and a timeline show of it.
type Outcome struct {
	Verdict result.Verdict
	Windows []result.Window
	Events  []result.Event
	// GoodputShare of offered over the whole run, in [0,1]; 0 without load.
	GoodputShare float64
}

// Judge gives the verdict on a run.
//
// The recovery instant is the start of the first interval after the last fault
// from which goodput is at least the recovery share of offered, summed over the
// rule's window and over the short window with which it begins, that is not part
// of the outage itself, and after which no window of the rule falls below half of
// that. In order:
//
//   - undecided: a fault is not over, or the run ended within the rule's window after
//     it;
//   - stable: no short window from the first fault on has goodput below the share
//     (without a fault there is no recovery instant then);
//   - rescued: there is a recovery instant, and an operator acted between the first
//     fault and the end of the outage, and not before the end of a fault with which
//     the outage may have ended; the last who began to act gets the credit, or those
//     who began together;
//   - recovered: there is a recovery instant;
//   - undecided: goodput was back, but not for long enough before the end;
//   - overloaded: none, and the load offered after the last fault exceeds what some
//     service can bear without any retry;
//   - undecided: there was no fault, and nothing says that the outage feeds itself:
//     it was there from the start, or the attempts do not exceed what some service
//     can bear;
//   - metastable: none of these: the trigger is over, capacity would do, and it
//     stays down.
//
// Without a fault the first 5 s or more, in which a run fills from empty, are not
// judged, and the outage is its own trigger. A run into which no short window fits
// is judged as one window. Requests in flight at the end, or while the first ones
// are served, are neither good nor lost.
func Judge(c Case) Outcome {
	j := newJudgement(&c)
	j.word()
	j.measureOutages()
	j.verdict.Sentence = j.sentence()
	return Outcome{
		Verdict:      j.verdict,
		Windows:      j.windows(),
		Events:       j.events(),
		GoodputShare: j.goodputShare(),
	}
}

type judgement struct {
	*Case
	*load
	verdict result.Verdict
	// begun and over are the instants of the trigger; without a fault of the first
	// outage.
	begun, over float64
	down        []bool
	// answered over the whole run, without those in flight at its end.
	answered float64
	// healedS is the end of the last outage before the recovery instant: that instant
	// itself, unless goodput was back long before the last fault was over.
	healedS float64
	// rescuers began at the same instant, in the order of the scenario.
	rescuers []Span
}

func newJudgement(c *Case) *judgement {
	j := &judgement{Case: c, load: newLoad(c), over: math.Inf(-1), begun: math.Inf(1)}
	j.down, j.answered = j.load.down(), j.goodput[j.count()]
	j.verdict = result.Verdict{
		Scope: c.Scope, RecoveryShare: c.RecoveryShare, RecoveryForS: c.RecoveryForS,
		AmplificationMax: j.peak(), WastedShare: c.WastedShare,
	}
	for _, f := range c.Faults {
		j.begun, j.over = min(j.begun, f.FromS), max(j.over, f.ToS)
	}
	j.figures()
	j.excuse()
	return j
}

// figures fills in the load before and after the trigger.
func (j *judgement) figures() {
	before, after := j.count(), 0
	if len(j.Faults) > 0 {
		j.verdict.TriggerStartS, j.verdict.TriggerEndS = &j.begun, &j.over
		before = max(j.holding(j.begun), 1)
		if after = j.from(j.over); after == j.count() {
			after = 0
		}
	}
	before = min(before, j.count())
	j.verdict.BaselineGoodputPerS = j.mean(j.goodput, 0, before)
	j.verdict.OfferedPerS = j.mean(j.offered, after, j.count())
	for _, c := range j.Capacities {
		if c.Visits <= 0 {
			continue
		}
		if can := c.requestsPerS(); j.verdict.CapacityPerS == nil || can < *j.verdict.CapacityPerS {
			j.verdict.CapacityPerS = &can
		}
	}
}

func (j *judgement) goodputShare() float64 {
	n := j.count()
	if j.offered[n] == 0 {
		return 0
	}
	return j.answered / j.offered[n]
}

func (j *judgement) word() {
	first, fell := j.firstBelow()
	if len(j.Faults) == 0 && fell {
		j.begun, j.over = j.startS[first], j.startS[first]
	}
	recovery, found := j.recovery()
	if found && (fell || len(j.Faults) > 0) {
		j.recovered(recovery)
	}
	v := &j.verdict
	switch {
	case j.tooEarly(), !fell && !found && j.unproven():
		v.Word = result.Undecided
	case !fell:
		v.Word = result.Stable
	case found && len(j.rescuers) > 0:
		v.Word, v.RescuedBy = result.Rescued, j.rescuerNames()
	case found:
		v.Word = result.Recovered
	case j.over > j.EndS-j.RecoveryForS+slackS || j.healthyTail():
		v.Word = result.Undecided
	case v.CapacityPerS != nil && v.OfferedPerS > *v.CapacityPerS:
		v.Word = result.Overloaded
	case len(j.Faults) == 0 && !j.feedsItself(first):
		v.Word = result.Undecided
	default:
		v.Word = result.Metastable
	}
}

// tooEarly reports that the run ended before a fault was over, or within the rule's
// window after it.
func (j *judgement) tooEarly() bool {
	return len(j.Faults) > 0 && j.over > j.EndS-j.RecoveryForS+slackS
}

// feedsItself reports whether an outage without a fault, that begins with interval
// first, came after a good time and lives on its own attempts.
func (j *judgement) feedsItself(first int) bool { return first > j.judgedFrom() && j.loop() != "" }

// firstBelow is the first judged interval that is down.
func (j *judgement) firstBelow() (int, bool) {
	for i := j.judgedFrom(); i < j.count(); i++ {
		if j.down[i] {
			return i, true
		}
	}
	return 0, false
}

// judgedFrom is the first interval that is judged: that of the first fault, or of
// the end of the time in which the run fills where no fault has begun.
func (j *judgement) judgedFrom() int {
	filled, fits := j.short(0)
	switch {
	case len(j.Faults) > 0 && j.begun < j.EndS-slackS:
		return j.holding(j.begun)
	case fits && filled < j.count():
		return filled
	}
	return 0
}

// recovery is the interval with which the recovery instant begins.
func (j *judgement) recovery() (int, bool) {
	from := 0
	if !math.IsInf(j.over, 0) {
		from = j.from(j.over)
	}
	if j.downAtTheEnd() {
		return 0, false
	}
	for i := j.lastRelapse(from) + 1; i < j.count(); i++ {
		end, fits := j.rule(i)
		if !fits {
			return 0, false
		}
		start, _ := j.short(i)
		if !j.down[i] && !j.below(i, end, j.share) && !j.below(i, start, j.share) {
			return i, true
		}
	}
	return 0, false
}

// lastRelapse is the last interval from which the rule's window has less than half
// of the wanted goodput; from-1 if there is none.
func (j *judgement) lastRelapse(from int) int {
	last := from - 1
	for i := from; i < j.count(); i++ {
		if end, fits := j.rule(i); fits && j.below(i, end, relapseShare*j.share) && !j.fewWait(i, end) {
			last = i
		}
	}
	return last
}

func (j *judgement) downAtTheEnd() bool {
	i, fits := j.lastShort()
	return fits && j.below(i, j.count(), relapseShare*j.share)
}

// healthyTail reports whether goodput was high enough from some instant of the
// last window of the rule up to the end.
func (j *judgement) healthyTail() bool {
	for i := max(j.from(j.EndS-j.RecoveryForS), j.from(j.over)); i < j.count(); i++ {
		end, fits := j.short(i)
		if fits && !j.below(i, end, j.share) && !j.below(i, j.count(), j.share) {
			return true
		}
	}
	return false
}

// recovered fills in the recovery instant and who is to be thanked.
func (j *judgement) recovered(i int) {
	at := j.startS[i]
	j.verdict.RecoveryAtS = &at
	if len(j.Faults) > 0 {
		after := nanoseconds(max(at-j.over, 0))
		j.verdict.RecoveredAfterTriggerS = &after
	}
	j.healedS = at
	for _, o := range j.outages() {
		if o.FromS < at {
			j.healedS = o.ToS
		}
	}
	since := j.mayRescueFrom()
	for _, a := range j.Actions {
		if a.FromS < since-slackS || a.FromS > j.healedS {
			continue
		}
		if len(j.rescuers) > 0 && a.FromS > j.rescuers[0].FromS {
			j.rescuers = nil
		}
		j.rescuers = append(j.rescuers, a)
	}
}

// mayRescueFrom is the instant from which who acts may have ended the outage: the
// end of the last fault that was over by then, to within a short window. Without a
// fault it is the end of the interval in which goodput fell: what an operator did
// before may have been the cause.
func (j *judgement) mayRescueFrom() float64 {
	if len(j.Faults) == 0 {
		return j.endS[j.holding(j.begun)]
	}
	since := j.begun
	for _, f := range j.Faults {
		if f.ToS <= j.healedS+min(shortWindowS, j.RecoveryForS) {
			since = max(since, f.ToS)
		}
	}
	return since
}

// rescuerNames are those of the actions that get the credit: "shed and restart".
func (j *judgement) rescuerNames() string {
	var names []string
	for _, a := range j.rescuers {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	return listed(names)
}
