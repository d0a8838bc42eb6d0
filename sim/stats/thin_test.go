package stats

import (
	"testing"

	"github.com/resilsim/resilsim/sim/result"
)

// thin is a run with one-second intervals, one attempt a request, in which requests
// come every everyS seconds from everyS on and take takesS; those for which bad
// holds fail then. It counts what is in flight as a recorder does.
func thin(seconds, everyS, takesS int, bad func(n int) bool) Case {
	c := curve(seconds)
	c.set(0, seconds, 0, 0)
	c.InFlight = make([]float64, seconds)
	for i := range seconds {
		c.Offered[i] = 0
	}
	for n, at := 0, everyS; at < seconds; n, at = n+1, at+everyS {
		c.Offered[at]++
		c.Attempts[at]++
		for i := at; i < min(at+takesS, seconds); i++ {
			c.InFlight[i]++
		}
		if end := at + takesS; end < seconds && !bad(n) {
			c.Goodput[end]++
		}
	}
	return c
}

func never(int) bool  { return false }
func always(int) bool { return true }

const tooShort = "undecided: goodput was below 95 % of offered load from 0:00 to the end, without a fault"

// Into a run of 10 s with few requests no short window fits: it is judged as a
// whole, and is not stable where most requests fail. With all of them answered it is.
func TestAShortThinRunIsJudgedAsAWhole(t *testing.T) {
	wantWord(t, thin(10, 1, 0, always), result.Undecided, tooShort)
	wantWord(t, thin(10, 1, 0, func(n int) bool { return n%10 < 6 }), result.Undecided, tooShort)
	wantWord(t, thin(10, 1, 0, never), result.Stable, "stable: there was no fault and goodput stayed at 95 % of offered load or above")
	c := curve(3)
	c.set(0, 3, 0, 10)
	for i := range c.Offered {
		c.Offered[i] = 10
	}
	wantWord(t, c, result.Undecided, tooShort)
}

// No run without a fault, however short, thin or slow, is called stable with less
// goodput than the share of the requests that ended, nor with none at all, in the
// time that is judged.
func TestStableIsNeverSaidOfLostGoodput(t *testing.T) {
	for seconds := 1; seconds < 80; seconds += 3 {
		for _, everyS := range []int{1, 2, 7, 20} {
			for _, takesS := range []int{0, 1, 5, 40} {
				for _, failing := range []int{2, 6, 10} {
					c := thin(seconds, everyS, takesS, func(n int) bool { return n%10 < failing })
					good, ended := 0.0, 0.0
					for i := newJudgement(&c).judgedFrom(); i < seconds; i++ {
						good += c.Goodput[i]
						ended += c.Offered[i]
					}
					offered := ended
					ended -= c.InFlight[seconds-1]
					if v := Judge(c).Verdict; v.Word == result.Stable && offered > 0 && (good == 0 || good < 0.95*ended) {
						t.Errorf("%d s, every %d s, takes %d s, %d of 10 fail: %g of %g answered: %s", seconds, everyS, takesS, failing, good, ended, v.Sentence)
					}
				}
			}
		}
	}
}

// One request a minute and a harmless fault. The last request is in flight at the
// end: that is no outage, and the goodput share does not count it as answered.
func TestTheLastRequestInFlightIsNoOutage(t *testing.T) {
	c := thin(1201, 60, 1, never)
	c.Faults = []Span{span("blip", 100, 130)}
	out := wantWord(t, c, result.Stable, `stable: 30 s of "blip" did not take goodput below 95 % of offered load`)
	if v := out.Verdict; v.OutageS != 0 || v.TimeBelowS != 0 || out.GoodputShare != 0.95 || *v.RecoveryAtS != 130 {
		t.Errorf("%+v %v", v, out.GoodputShare)
	}
}

// A service that takes 60 s answers nothing in the first minute, and is healthy. A
// run that ends within that minute has shown nothing. With requests that fail after
// 60 s it is down from the start.
func TestRequestsServedAtTheStartAreNotLost(t *testing.T) {
	out := wantWord(t, thin(600, 1, 60, never), result.Stable, "stable: there was no fault and goodput stayed at 95 % of offered load or above")
	if out.Verdict.TimeBelowS != 0 {
		t.Errorf("%+v", out.Verdict)
	}
	c := thin(600, 1, 60, never)
	c.Faults = []Span{span("blip", 300, 330)}
	wantWord(t, c, result.Stable, `stable: 30 s of "blip" did not take goodput below 95 % of offered load`)
	for _, bad := range []Case{thin(50, 1, 60, never), thin(600, 1, 60, always)} {
		wantWord(t, bad, result.Undecided, tooShort)
	}
}

// 1/s, Poisson, served in 60 s: what is answered in 30 s is not what is offered in
// them, nothing is lost, and none of 40 hours is an outage. Where everything from
// 600 s to 900 s fails instead there is one.
func TestChanceAmongFewSlowRequestsIsNoOutage(t *testing.T) {
	for seed := range uint64(40) {
		c := curve(3600)
		c.noisy(seed, 1, func(int) float64 { return 1 })
		c.InFlight = make([]float64, 3600)
		live := 0.0
		for i := range c.Goodput {
			c.Goodput[i] = 0
			if i >= 60 {
				c.Goodput[i] = c.Offered[i-60]
			}
			live += c.Offered[i] - c.Goodput[i]
			c.InFlight[i] = live
		}
		if v := Judge(c).Verdict; v.Word != result.Stable || v.Outages != 0 {
			t.Errorf("seed %d: %s", seed, v.Sentence)
		}
		c.set(600, 900, 0, 1)
		if v := Judge(c).Verdict; v.Word != result.Recovered || v.OutageS < 250 {
			t.Errorf("seed %d: %s", seed, v.Sentence)
		}
	}
}

// A queue without bounds takes more than it serves: nothing is lost, all of it
// waits, and that is no excuse.
func TestWaitingWithoutEndIsNoExcuse(t *testing.T) {
	c := curve(600)
	c.Capacities = []Capacity{{"db", 600, 1, 0}}
	c.set(0, 600, 600, 800)
	for i := range 600 {
		c.InFlight = append(c.InFlight, float64(200*(i+1)))
	}
	wantWord(t, c, result.Overloaded, "overloaded: the load of 800/s exceeds the capacity of 600/s without any retry")
}

// What a fault did that had not begun, or was not over, when the run ended is not
// known, also where goodput is high: the whole run and one that was interrupted.
func TestWhatHasNotHappenedIsNotJudged(t *testing.T) {
	for _, story := range []struct {
		seconds int
		fromS   float64
		toS     float64
		want    string
	}{
		{10, 500, 510, `undecided: the run ended before "freeze" began`},
		{100, 60, 560, `undecided: the run ended before the end of "freeze"`},
		{100, 60, 100, `undecided: the run ended with the end of "freeze"`},
		{100, 60, 71, `undecided: the run ended less than 30 s after the end of "freeze"`},
	} {
		c := curve(story.seconds)
		c.Faults = []Span{span("freeze", story.fromS, story.toS)}
		out := wantWord(t, c, result.Undecided, story.want)
		if e := out.Events[len(out.Events)-1]; "undecided: "+e.Detail != story.want {
			t.Errorf("last line: %+v", e)
		}
	}
	c := curve(100)
	c.Faults = []Span{span("freeze", 60, 70)}
	wantWord(t, c, result.Stable, `stable: 10 s of "freeze" did not take goodput below 95 % of offered load`)
}

// Without a fault there is no trigger that could be over: an outage that was there
// from the start, or that does not live on its own attempts, as when an operator
// holds a breaker open, is not metastable.
func TestDownWithoutAFaultIsNotMetastable(t *testing.T) {
	c := curve(300)
	c.Capacities = []Capacity{{"db", 1000, 1, 0}}
	c.set(0, 300, 0, 2400)
	wantWord(t, c, result.Undecided, tooShort)
	c.set(0, 100, 800, 800)
	c.set(100, 300, 0, 0)
	c.Actions = []Span{span("open", 100, 300)}
	wantWord(t, c, result.Undecided, "undecided: goodput was below 95 % of offered load from 1:40 to the end, without a fault")
	// Who caused an outage does not rescue from it.
	c.set(160, 300, 800, 800)
	c.Actions[0] = span("open", 100.5, 160)
	wantWord(t, c, result.Recovered, "A collapse without a fault became a 60 s outage, which healed by itself at 2:40")
}

// A restart within a partition, and goodput back as the partition ends: that was
// the end of the fault. A restart after it, or of an outage that ended long before
// the fault or went on after an earlier one, is a rescue.
func TestWhoActsDuringTheFaultThatEndsRescuesNobody(t *testing.T) {
	c := curve(600)
	c.Faults = []Span{span("partition", 100, 160)}
	c.set(100, 160, 0, 800)
	c.Actions = []Span{span("restart", 130, 140)}
	wantWord(t, c, result.Recovered, `60 s of "partition" became a 60 s outage, which healed by itself at 2:40`)
	c.set(160, 300, 0, 800)
	wantWord(t, c, result.Recovered, `60 s of "partition" became a 3m20s outage, which healed by itself at 5:00`)
	c.Actions = append(c.Actions, span("shed", 290, 300))
	wantWord(t, c, result.Rescued, `60 s of "partition" became a 3m20s outage; shed at 4:50 ended it at 5:00`)
	c.Faults = append(c.Faults, span("blip", 400, 410))
	wantWord(t, c, result.Rescued, `2 faults within 5m10s became a 3m20s outage; shed at 4:50 ended it at 5:00`)
}

// With too few requests in every 10 s the peak of amplification is the mean of the
// run, and not 0.
func TestAmplificationOfAThinRunIsThatOfTheRun(t *testing.T) {
	c := thin(600, 5, 0, never)
	for i := range c.Attempts {
		c.Attempts[i] *= 3
	}
	if got := Judge(c).Verdict.AmplificationMax; got != 3 {
		t.Errorf("%v", got)
	}
}
