package stats

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/resilsim/resilsim/sim/result"
)

// flagship is the outage of a retry storm: a 90 s blip at 5:00, two restarts that
// do not help, shedding at 44:30 that does, recovered at 46:09.
func flagship() Case {
	c := curve(3600)
	c.Faults = []Span{span("blip", 300, 390)}
	c.Actions = []Span{span("restart", 990, 1020), span("restart", 1590, 1620), span("shed", 2670, 2770)}
	c.Capacities = []Capacity{{Service: "payments", PerS: 1280, Visits: 1}}
	c.set(303, 2690, 0, 4000)
	c.set(1020, 1025, 500, 2800) // alive for a moment after each restart
	c.set(1620, 1625, 500, 2800)
	c.set(2690, 2769, 600, 900)
	c.WastedShare = 0.9
	return c
}

func wantWord(t *testing.T, c Case, word result.VerdictWord, sentence string) Outcome {
	t.Helper()
	out := Judge(c)
	if out.Verdict.Word != word || out.Verdict.Sentence != sentence {
		t.Errorf("%s: %q\nwant %s: %q", out.Verdict.Word, out.Verdict.Sentence, word, sentence)
	}
	return out
}

func windowsOf(out Outcome) string {
	var lines []string
	for _, w := range out.Windows {
		lines = append(lines, fmt.Sprintf("%s %g-%g %s", w.Kind, w.FromS, w.ToS, w.Label))
	}
	return strings.Join(lines, "\n")
}

// The flagship: rescued by the last action before recovery, and every figure that
// decided it is there.
func TestTheRetryStormIsRescuedByShedding(t *testing.T) {
	out := wantWord(t, flagship(), result.Rescued, `90 s of "blip" became a 41m06s outage; shed at 44:30 ended it at 46:09`)
	v := out.Verdict
	if *v.RecoveryAtS != 2769 || *v.RecoveredAfterTriggerS != 2379 || v.RescuedBy != "shed" || v.BaselineGoodputPerS != 800 ||
		v.OutageS != 2466 || v.Outages != 1 || v.TimeBelowS != 2466 || v.AmplificationMax != 5 || *v.CapacityPerS != 1280 || v.OfferedPerS != 800 || v.WastedShare != 0.9 {
		t.Errorf("%+v", v)
	}
	want := `trigger 300-390 blip
metastable 390-2670 metastable
rescue 2670-2769 shed
action 990-1020 restart
action 1590-1620 restart
action 2670-2770 shed`
	if got := windowsOf(out); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(out.Events) != 2 || out.Events[0].TS != 303 || out.Events[1].TS != 2769 || !out.Events[1].Marker {
		t.Errorf("%+v", out.Events)
	}
}

// The same without anybody who acts: it does not heal, and the sentence says why.
func TestNobodyActsAndItStaysDown(t *testing.T) {
	c := flagship()
	c.Actions = nil
	c.set(390, 3600, 0, 4000)
	out := wantWord(t, c, result.Metastable,
		`90 s of "blip" became an outage that does not end: still down 53m30s after it; 5 attempts × 800/s exceed the capacity of 1280/s`)
	if out.Verdict.RecoveryAtS != nil || out.Verdict.RecoveredAfterTriggerS != nil {
		t.Errorf("%+v", out.Verdict)
	}
	if got := windowsOf(out); got != "trigger 300-390 blip\nmetastable 390-3600 metastable" {
		t.Error(got)
	}
}

// A fault is called by its noun, else by its name in quotes, which reads well
// whatever the name; several are counted.
func TestTheTriggerIsNamed(t *testing.T) {
	became := " became a 41m06s outage; shed at 44:30 ended it at 46:09"
	c := flagship()
	for _, name := range []string{"inventory crash", "payments slow", "responses to half of them are lost"} {
		c.Faults[0].Name = name
		wantWord(t, c, result.Rescued, `90 s of "`+name+`"`+became)
	}
	c.Faults[0].Noun = "added latency on payments"
	wantWord(t, c, result.Rescued, "90 s of added latency on payments"+became)
	c.Faults = append(c.Faults, span("crash", 320, 380))
	wantWord(t, c, result.Rescued, "2 faults within 90 s"+became)
}

// Actions that begin at the same instant share the credit; an earlier one has none.
func TestThoseWhoActTogetherRescueTogether(t *testing.T) {
	c := flagship()
	c.Actions = append(c.Actions, span("restart", 2670, 2700), span("shed", 2670, 2680), span("open", 2670, 2680))
	out := wantWord(t, c, result.Rescued, `90 s of "blip" became a 41m06s outage; shed, restart and open at 44:30 ended it at 46:09`)
	if v := out.Verdict; v.RescuedBy != "shed, restart and open" || !strings.Contains(windowsOf(out), "rescue 2670-2769 shed, restart and open\n") {
		t.Errorf("%+v\n%s", v, windowsOf(out))
	}
}

// Two faults with a healthy time of 120 s between them: two outages, whose lengths
// are added. With 29 s between them goodput was not back for the 30 s of the rule,
// and it is one outage; the time below leaves those 29 s out.
func TestHealthyTimeBetweenFaultsIsNoOutage(t *testing.T) {
	for healthy, want := range map[int]struct { // order-free: each is judged alone
		sentence string
		n        int
		outage   float64
	}{
		120: {"2 faults within 3m30s became 2 outages of 95 s in all; recovered by itself at 5:35", 2, 95},
		30:  {"2 faults within 2m00s became 2 outages of 95 s in all; recovered by itself at 4:05", 2, 95},
		29:  {"2 faults within 119 s became a 2m04s outage, which healed by itself at 4:04", 1, 124},
	} {
		c := curve(600)
		second := 180 + healthy
		c.Faults = []Span{span("a", 120, 180), span("b", float64(second), float64(second+30))}
		c.set(120, 180, 0, 800)
		c.set(second, second+35, 0, 800)
		v := wantWord(t, c, result.Recovered, want.sentence).Verdict
		if v.OutageS != want.outage || v.Outages != want.n || v.TimeBelowS != 95 {
			t.Errorf("%d s healthy: %+v", healthy, v)
		}
	}
}

// A fault that does no more harm is no outage: goodput is back at 5:20, the fault
// ends at 6:30, which is the recovery instant.
func TestAnOutageEndsWithGoodputNotWithTheFault(t *testing.T) {
	c := curve(600)
	c.Faults = []Span{span("blip", 300, 390)}
	c.set(300, 320, 0, 800)
	// Who acts when goodput has been back for long rescues nobody.
	c.Actions = []Span{span("restart", 360, 361)}
	v := wantWord(t, c, result.Recovered, `90 s of "blip" became a 20 s outage, which healed by itself at 5:20`).Verdict
	if v.OutageS != 20 || v.TimeBelowS != 20 || *v.RecoveryAtS != 390 {
		t.Errorf("%+v", v)
	}
	c.Actions[0].FromS = 310
	wantWord(t, c, result.Rescued, `90 s of "blip" became a 20 s outage; restart at 5:10 ended it at 5:20`)
}

// What was bad before the first fault is time below, and no outage of the fault's.
// While no fault has begun, as when the start is checked, it is one.
func TestTheTimeBeforeTheFaultIsNoOutageOfIts(t *testing.T) {
	c := curve(600)
	c.set(100, 140, 0, 800)
	c.set(300, 395, 0, 800)
	c.Faults = []Span{span("blip", 300, 390)}
	if v := Judge(c).Verdict; v.OutageS != 95 || v.TimeBelowS != 135 {
		t.Errorf("%+v", v)
	}
	c.StartS, c.EndS = c.StartS[:300], 300
	if v := Judge(c).Verdict; v.OutageS != 40 || v.TimeBelowS != 40 {
		t.Errorf("%+v", v)
	}
}

// A run that stays down says so with its last line, as one of the few that a figure
// numbers.
func TestTheLastLineOfARunThatStaysDown(t *testing.T) {
	c := flagship()
	c.Actions = nil
	c.set(390, 3600, 0, 4000)
	for _, want := range []string{"metastable: still down", "overloaded: still down"} {
		events := Judge(c).Events
		if e := events[len(events)-1]; e.TS != 3600 || !e.Marker || e.What != want || e.Detail != "no recovery up to the end of the run" {
			t.Errorf("%+v, want %s", e, want)
		}
		c.Capacities[0].PerS = 700
	}
	c = curve(415)
	c.Faults = []Span{span("blip", 300, 390)}
	c.set(300, 395, 0, 800)
	events := Judge(c).Events
	if e := events[len(events)-1]; e.What != "undecided" || e.Detail != "goodput is back, but not yet for 30 s" {
		t.Errorf("%+v", e)
	}
}

// Differences of instants carry no noise of the binary fractions: without rounding
// the last would be 5.400000000000002. (200 ms of the 15.6 s are within the 5 % of
// a short window.)
func TestFiguresCarryNoNoise(t *testing.T) {
	c := curve(600)
	for i := range c.StartS {
		c.StartS[i] *= 0.1
	}
	c.EndS = 60
	c.Faults = []Span{span("blip", 20.1, 30.2)}
	c.RecoveryForS = 3
	c.set(201, 357, 0, 800)
	v := Judge(c).Verdict
	if v.OutageS != 15.4 || v.TimeBelowS != 15.4 || *v.RecoveredAfterTriggerS != 5.4 {
		t.Errorf("%v %v %v", v.OutageS, v.TimeBelowS, *v.RecoveredAfterTriggerS)
	}
}

// Down during the blip and 5 s longer, then healed without help.
func TestABlipThatHealsByItself(t *testing.T) {
	c := curve(600)
	c.Faults = []Span{span("blip", 300, 390)}
	c.set(300, 395, 100, 880)
	out := wantWord(t, c, result.Recovered, `90 s of "blip" became a 95 s outage, which healed by itself at 6:35`)
	if v := out.Verdict; *v.RecoveredAfterTriggerS != 5 || v.OutageS != 95 || v.RescuedBy != "" {
		t.Errorf("%+v", v)
	}
	if got := windowsOf(out); got != "trigger 300-390 blip\nrecovering 390-395 recovering" {
		t.Error(got)
	}
}

// What operators did before the trigger, or after recovery, rescued nobody.
func TestActionsAtOtherTimesRescueNobody(t *testing.T) {
	c := curve(600)
	c.Faults = []Span{span("blip", 300, 390)}
	c.Actions = []Span{span("drill", 100, 110), span("restart", 396, 400)}
	c.set(300, 395, 100, 880)
	wantWord(t, c, result.Recovered, `90 s of "blip" became a 95 s outage, which healed by itself at 6:35`)
}

// A fault that costs 4 % of goodput is no outage where 95 % is the rule.
func TestASmallDipIsStable(t *testing.T) {
	c := curve(600)
	c.Faults = []Span{span("slow disk", 300, 311)}
	c.set(300, 311, 0.96*800, 800)
	out := wantWord(t, c, result.Stable, `stable: 11 s of "slow disk" did not take goodput below 95 % of offered load`)
	if out.Verdict.OutageS != 0 || len(out.Events) != 0 || *out.Verdict.RecoveredAfterTriggerS != 0 {
		t.Errorf("%+v %v", out.Verdict, out.Events)
	}
	c.Faults = nil
	out = wantWord(t, c, result.Stable, "stable: there was no fault and goodput stayed at 95 % of offered load or above")
	if out.Verdict.RecoveryAtS != nil {
		t.Errorf("nothing to recover from, but at %v", *out.Verdict.RecoveryAtS)
	}
}

// More is offered than the service can bear: with three visits a request 1280/s
// bear 426 requests/s. One request fewer than offered is the border.
func TestLoadAboveCapacityIsOverloaded(t *testing.T) {
	c := curve(600)
	c.Faults = []Span{span("blip", 300, 390)}
	c.Capacities = []Capacity{{"big", 1e6, 1, 0}, {"db", 1280, 2, 0}, {"unused", 1, 0, 0}}
	c.set(300, 600, 300, 2400)
	wantWord(t, c, result.Overloaded, "overloaded: the load of 800/s exceeds the capacity of 640/s without any retry")
	c.Capacities[1].Visits = 1
	if got := Judge(c).Verdict.Word; got != result.Metastable {
		t.Errorf("below capacity: %s", got)
	}
	c.Capacities[1].OthersPerS = 500
	if got := Judge(c).Verdict.Word; got != result.Overloaded {
		t.Errorf("with 500/s of others: %s", got)
	}
}

// A run that ends while the rule's window is open cannot tell: with one second more
// it can. A fault that is not over cannot be judged either.
func TestARunThatEndsTooEarlyIsUndecided(t *testing.T) {
	for seconds, want := range map[int]result.VerdictWord{ // order-free: each is judged alone
		415: result.Undecided, 424: result.Undecided, 425: result.Recovered} {
		c := curve(seconds)
		c.Faults = []Span{span("blip", 300, 390)}
		c.set(300, 395, 0, 800)
		if got := Judge(c).Verdict; got.Word != want {
			t.Errorf("%d s: %s, want %s: %s", seconds, got.Word, want, got.Sentence)
		} else if late := `undecided: the run ended less than 30 s after the end of "blip"`; seconds == 415 && got.Sentence != late {
			t.Errorf("%s, want %s", got.Sentence, late)
		}
	}
	c := curve(600)
	c.Faults = []Span{span("outage", 300, math.Inf(1))}
	c.set(300, 600, 0, 800)
	wantWord(t, c, result.Undecided, `undecided: the run ended before the end of "outage"`)
}

// Well for 60 s after a restart, then down again: that was no recovery, whether the
// run ends down or somebody helps later.
func TestARelapseIsNoRecovery(t *testing.T) {
	c := flagship()
	c.set(1020, 1080, 800, 800)
	if v := Judge(c).Verdict; v.Word != result.Rescued || *v.RecoveryAtS != 2769 || v.RescuedBy != "shed" {
		t.Errorf("%+v", v)
	}
	c.set(1080, 3600, 0, 4000)
	if v := Judge(c).Verdict; v.Word != result.Metastable {
		t.Errorf("%+v", v)
	}
}

// Collapse without any fault: the outage is its own trigger.
func TestACollapseWithoutAFaultIsFound(t *testing.T) {
	c := curve(600)
	c.Capacities = []Capacity{{"db", 900, 1, 0}}
	c.set(200, 600, 0, 2400)
	wantWord(t, c, result.Metastable, "A collapse without a fault became an outage that does not end: still down 6m40s after it began; 3 attempts × 800/s exceed the capacity of 900/s")
	c.set(250, 600, 800, 800)
	if v := Judge(c).Verdict; v.Word != result.Recovered || *v.RecoveryAtS != 250 || v.TriggerStartS != nil || v.RecoveredAfterTriggerS != nil {
		t.Errorf("%+v", v)
	}
}

// 7 requests a second, Poisson, all answered, a third of them one second later: in
// 40 hours of it, cut into 40 runs with a harmless fault, none is an outage, and
// the recovery instant is never later than 30 s after the fault.
func TestNoiseOfASmallFleetIsNoOutage(t *testing.T) {
	for seed := range uint64(40) {
		c := curve(3600)
		c.Faults = []Span{span("blip", 300, 390)}
		c.noisy(seed, 7, func(int) float64 { return 1 })
		if v := Judge(c).Verdict; v.Word != result.Stable || v.OutageS != 0 || v.RecoveryAtS == nil || *v.RecoveryAtS > 420 {
			t.Errorf("seed %d: %+v", seed, v)
		}
	}
}

// The same fleet with an outage of 200 s from the fault on, healed 110 s after it:
// found in every run, its end to within 10 s (the answers are 2.5 s late at most,
// and the short window of 200 requests may hold 5 % of them in the outage).
func TestTheOutageOfASmallFleetIsMeasured(t *testing.T) {
	for seed := range uint64(40) {
		c := curve(3600)
		c.Faults = []Span{span("blip", 300, 390)}
		c.noisy(seed, 7, func(second int) float64 {
			if second >= 300 && second < 500 {
				return 0
			}
			return 1
		})
		v := Judge(c).Verdict
		if v.Word != result.Recovered || math.Abs(*v.RecoveryAtS-500) > 10 || math.Abs(v.OutageS-200) > 10 {
			t.Errorf("seed %d: %s at %v, outage %v", seed, v.Word, *v.RecoveryAtS, v.OutageS)
		}
	}
}

// Amplification is judged over 10 s: a spike of one second is a tenth of itself.
func TestAmplificationIsOverTenSeconds(t *testing.T) {
	c := curve(100)
	c.set(50, 51, 800, 8800)
	if got := Judge(c).Verdict.AmplificationMax; got != 2 {
		t.Errorf("one second of 11 attempts a request: %v", got)
	}
	c.Offered[20], c.Attempts[20] = math.NaN(), math.NaN()
	if got := Judge(c).Verdict.AmplificationMax; got != 2 {
		t.Errorf("an absent interval: %v", got)
	}
	short := curve(3)
	short.set(0, 3, 800, 2400)
	if got := Judge(short).Verdict.AmplificationMax; got != 3 {
		t.Errorf("a run of 3 s: %v", got)
	}
}

// A run without intervals, or without load, is judged without a panic: it ends too
// early for its fault, and without one nothing falls.
func TestARunWithoutLoadIsJudged(t *testing.T) {
	for _, c := range []Case{{RecoveryShare: 0.95, RecoveryForS: 30}, {StartS: []float64{0}, EndS: 1, RecoveryShare: 0.95, RecoveryForS: 30}} {
		if out := Judge(c); out.Verdict.Word != result.Stable || out.GoodputShare != 0 {
			t.Errorf("%+v", out)
		}
		c.Faults = []Span{span("blip", 0, 0)}
		if out := Judge(c); out.Verdict.Word != result.Undecided || out.GoodputShare != 0 {
			t.Errorf("%+v", out)
		}
	}
}

// Spans and instants as a person writes them.
func TestTimesAreSpoken(t *testing.T) {
	for s, want := range map[float64]string{ // order-free: each alone
		0.5: "0.5 s", 90: "90 s", 119.4: "119 s", 120: "2m00s", 2469: "41m09s", 3720: "1h02m"} {
		if got := spoken(s); got != want {
			t.Errorf("%v: %q, want %q", s, got, want)
		}
	}
	if got := clock(2670) + " " + clock(3870); got != "44:30 1:04:30" {
		t.Error(got)
	}
	for number, want := range map[string]string{"8 s": "an", "80 s": "an", "18m00s": "an", "110 s": "a", "1h02m": "a", "11m02s": "an"} { // order-free: each alone
		if got := article(number); got != want {
			t.Errorf("%s %s", got, number)
		}
	}
}

// The last step of a ramp takes a second of the thirty by which the recovery is seen
// below the share: they are good as a whole, so that it is one outage and not two.
func TestABadSecondWithinTheRecoveryIsNoOutage(t *testing.T) {
	c := flagship()
	c.set(2771, 2772, 700, 800)
	out := Judge(c)
	if v := out.Verdict; v.Outages != 1 || v.Word != result.Rescued || *v.RecoveryAtS > 2771 {
		t.Errorf("%d outages, %s at %v", v.Outages, v.Word, *v.RecoveryAtS)
	}
}
