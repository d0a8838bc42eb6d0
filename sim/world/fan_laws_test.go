package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// fanned is a root that asks n leaves at one time, of which need have to answer; a leaf
// takes an exponential time of mean 1 s and never lets anybody wait.
func fanned(t *testing.T, n, need int) *scenario.Scenario {
	law, err := dist.NewExponential(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	sc := simple(20, 100_000, law)
	sc.Services[0].Do = []scenario.Step{{Call: 1, Through: -1, Probability: 1, Group: 1, Times: n, Need: need}}
	leaf := service("leaf", 1_000_000, work(law))
	sc.Services = append(sc.Services, leaf)
	return sc
}

// The time of the k-th of n exponential answers has the mean 1/n + 1/(n-1) + ... +
// 1/(n-k+1) and the variance of the squares of these. 4,000 requests, within 4 standard
// errors: the whole of 100, 95 of 100, and the first of 5. Who is not needed is given up.
func TestFanOutTakesAsLongAsTheLastThatIsNeeded(t *testing.T) {
	for _, c := range []struct{ n, need int }{{100, 0}, {100, 95}, {5, 1}} {
		k := c.need
		if k == 0 {
			k = c.n
		}
		mean, variance := 0.0, 0.0
		for i := range k {
			mean += 1 / float64(c.n-i)
			variance += 1 / float64((c.n-i)*(c.n-i))
		}
		p := timed(t, closing(fanned(t, c.n, c.need), 200*second), 1, 300*second)
		sum := 0.0
		for _, took := range p.requests {
			sum += took.Seconds()
		}
		m := float64(len(p.requests))
		if se := math.Sqrt(variance / m); math.Abs(sum/m-mean) > 4*se {
			t.Errorf("%d of %d: %.4f s, theory %.4f s, standard error %.4f", k, c.n, sum/m, mean, se)
		}
		wantCount(t, "given up", p.callsEnded[1][models.Abandoned], uint64(len(p.requests)*(c.n-k)))
	}
}

// A leaf fails a tenth of its requests. All of five succeed with probability 0.9^5, four
// of five with that and 5 x 0.1 x 0.9^4: within 4 standard errors of 4,000 requests.
func TestOneFailureTooManyFailsTheWhole(t *testing.T) {
	for need, want := range map[int]float64{0: math.Pow(0.9, 5), 4: math.Pow(0.9, 5) + 5*0.1*math.Pow(0.9, 4)} {
		sc := closing(fanned(t, 5, need), 200*second)
		sc.Services[1].ErrorShare = 0.1
		_, l := run(t, sc, 300*second)
		n := float64(l.sent[0])
		got := float64(l.ended[0][models.Answered]) / n
		if se := math.Sqrt(want * (1 - want) / n); math.Abs(got-want) > 4*se {
			t.Errorf("need %d: %.4f answered, theory %.4f, standard error %.4f", need, got, want, se)
		}
	}
}

// Users of limited patience, cancelled handlers and a crash in the middle of fans: the
// accounts are whole (run checks them) and nothing is left at the leaves in the end.
func TestFansAreFoldedOnEveryWayOut(t *testing.T) {
	sc := closing(fanned(t, 10, 0), 60*second)
	sc.Services[0].Instances = 4
	sc.Services[0].Abandoned, sc.Services[1].Abandoned = scenario.Cancel, scenario.Cancel
	sc.Pipelines = []scenario.Pipeline{{Name: "client", Policies: []scenario.Policy{timeoutOf(2 * second)}}}
	sc.Callers[0].Do[0].Through = 0
	f := fault(scenario.CrashDown, 20*second, 5*second)
	f.Restart, f.Instances = 5*second, 0.5
	sc.Faults = []scenario.Fault{f}
	_, l := run(t, sc, 200*second)
	if l.level[0].Busy != 0 || l.level[1].Busy != 0 {
		t.Errorf("%d handlers and %d leaves are at work in the end", l.level[0].Busy, l.level[1].Busy)
	}
	if l.callsEnded[1][models.Abandoned] == 0 {
		t.Error("nothing was given up: the test shows nothing")
	}
}
