package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
)

// track drives one hedging call in virtual time: any number of functions at once.
// script says when attempt k answers after it began, and how.
type track struct {
	t      *testing.T
	e      Env
	c      Call
	f      *Fleet
	do     script
	log    []string
	answer map[uint32]patterns.Instant
	result map[uint32]patterns.Result
}

func newTrack(t *testing.T, ps []Policy, do script) *track {
	return &track{t: t, f: NewFleet(mustCompile(t, ps), 1), do: do, e: Env{Dice: fixedDice(0.5)}}
}

func (x *track) note(format string, args ...any) {
	x.log = append(x.log, fmt.Sprintf("%dms ", x.e.Now/ms(1))+fmt.Sprintf(format, args...))
}

// run follows a call to its end; functions that were given up return at once.
func (x *track) run(deadline patterns.Instant) patterns.Result {
	x.answer, x.result = map[uint32]patterns.Instant{}, map[uint32]patterns.Result{}
	a := x.c.Begin(&x.e, x.f, 0, 1, deadline)
	for {
		if a = x.act(a); a.Kind == Done {
			x.note("%v", a.Result.Reason)
			return a.Result
		}
		a = x.next()
	}
}

// act does what an action asks for; what is given up returns at once.
func (x *track) act(a Action) Action {
	for {
		gone := slices.Clone(x.e.GivenUp)
		if a.Abandoned != 0 {
			gone = append(gone, a.Abandoned)
		}
		x.e.GivenUp = x.e.GivenUp[:0]
		if a.Kind == Attempt {
			x.note("attempt %d", a.Attempt)
			takes, r := x.do(a.Attempt)
			x.answer[a.Attempt], x.result[a.Attempt] = never, r
			if takes >= 0 {
				x.answer[a.Attempt] = x.e.Now + takes
			}
		}
		next := Action{}
		for _, k := range gone {
			x.note("attempt %d given up", k)
			delete(x.answer, k)
			if n := x.c.Returned(&x.e, k); n != (Action{}) {
				next = n
			}
		}
		if next == (Action{}) {
			return a
		}
		a = next
	}
}

func (x *track) next() Action {
	first, at := uint32(0), x.c.Timer()
	for k := range uint32(64) {
		if t, ok := x.answer[k]; ok && t != never && t <= at {
			first, at = k, t
		}
	}
	if at == never {
		x.t.Fatalf("the call waits for nothing: %v", x.log)
	}
	x.e.Now = at
	if first != 0 {
		delete(x.answer, first)
		x.note("attempt %d ends", first)
		return x.c.Ended(&x.e, first, x.result[first])
	}
	return x.c.Fire(&x.e)
}

// takes is a script of fixed times in ms; negative: it fails after that time.
func takes(times ...int64) script {
	return func(k uint32) (patterns.Instant, patterns.Result) {
		n := times[(int(k)-1)%len(times)]
		if n < 0 {
			return ms(-n), failure
		}
		return ms(n), success
	}
}

func eager(p Policy) Policy {
	p.Hedge.HedgeOnFailure = true
	return p
}

// TestHedgeStories tells what happens when, of every kind of race, line by line.
func TestHedgeStories(t *testing.T) {
	poor := hedgeOf(1, 10)
	poor.Hedge.Budget = &budget.Config{Capacity: 1, Initial: new(float64), Deposit: budget.PerCall}
	stories := []struct {
		name     string
		ps       []Policy
		do       script
		deadline patterns.Instant
		want     string
	}{
		{"an answer before the delay is not hedged", []Policy{hedgeOf(1, 10)}, takes(5), never,
			"0ms attempt 1; 5ms attempt 1 ends; 5ms none"},
		{"the hedge overtakes", []Policy{hedgeOf(1, 10)}, takes(100, 5), never,
			"0ms attempt 1; 10ms attempt 2; 15ms attempt 2 ends; 15ms attempt 1 given up; 15ms none"},
		{"the first one wins after all", []Policy{hedgeOf(1, 10)}, takes(12, 5), never,
			"0ms attempt 1; 10ms attempt 2; 12ms attempt 1 ends; 12ms attempt 2 given up; 12ms none"},
		{"no delay: all at once", []Policy{hedgeOf(2, 0)}, takes(9, 8, 7), never,
			"0ms attempt 1; 0ms attempt 2; 0ms attempt 3; 7ms attempt 3 ends; 7ms attempt 1 given up; 7ms attempt 2 given up; 7ms none"},
		{"a failure is borne while another is under way", []Policy{hedgeOf(1, 10)}, takes(-12, 5), never,
			"0ms attempt 1; 10ms attempt 2; 12ms attempt 1 ends; 15ms attempt 2 ends; 15ms none"},
		{"a failure alone is the call's", []Policy{hedgeOf(1, 10)}, takes(-5), never,
			"0ms attempt 1; 5ms attempt 1 ends; 5ms failed"},
		{"a failure starts the next at once", []Policy{eager(hedgeOf(1, 10))}, takes(-5, 7), never,
			"0ms attempt 1; 5ms attempt 1 ends; 5ms attempt 2; 12ms attempt 2 ends; 12ms none"},
		{"all fail", []Policy{eager(hedgeOf(2, 10))}, takes(-5, -5, -5), never,
			"0ms attempt 1; 5ms attempt 1 ends; 5ms attempt 2; 10ms attempt 2 ends; 10ms attempt 3; 15ms attempt 3 ends; 15ms failed"},
		{"no budget, no hedge", []Policy{poor}, takes(30), never,
			"0ms attempt 1; 30ms attempt 1 ends; 30ms none"},
		{"each attempt has its timeout", []Policy{hedgeOf(1, 10), timeoutOf(15)}, takes(100, 100), never,
			"0ms attempt 1; 10ms attempt 2; 15ms attempt 1 given up; 25ms attempt 2 given up; 25ms timeout"},
		{"one timeout around the race", []Policy{timeoutOf(15), hedgeOf(1, 10)}, takes(100, 100), never,
			"0ms attempt 1; 10ms attempt 2; 15ms attempt 1 given up; 15ms attempt 2 given up; 15ms timeout"},
		{"the caller's deadline", []Policy{hedgeOf(1, 10)}, takes(100, 100), ms(12),
			"0ms attempt 1; 10ms attempt 2; 12ms attempt 1 given up; 12ms attempt 2 given up; 12ms deadline"},
		{"a retry begins another race", []Policy{retryOf(2, 5), hedgeOf(1, 10)}, takes(-12, -20, 30, 1), never,
			"0ms attempt 1; 10ms attempt 2; 12ms attempt 1 ends; 30ms attempt 2 ends; 35ms attempt 3; 45ms attempt 4; 46ms attempt 4 ends; 46ms attempt 3 given up; 46ms none"},
		{"a retry in each leg", []Policy{hedgeOf(1, 10), retryOf(2, 5)}, takes(-8, -5, 30, 40), never,
			"0ms attempt 1; 8ms attempt 1 ends; 10ms attempt 2; 13ms attempt 3; 15ms attempt 2 ends; 20ms attempt 4; 43ms attempt 3 ends; 43ms attempt 4 given up; 43ms none"},
		{"a hedge without a slot ends alone", []Policy{hedgeOf(1, 10), bulkheadOf(1, 0)}, takes(20), never,
			"0ms attempt 1; 20ms attempt 1 ends; 20ms none"},
	}
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			x := newTrack(t, s.ps, s.do)
			x.run(s.deadline)
			x.act(Action{})
			if got := strings.Join(x.log, "; "); got != s.want {
				t.Errorf("\n got %s\nwant %s", got, s.want)
			}
			if n := x.c.Outstanding(); n != 0 {
				t.Errorf("%d functions outstanding", n)
			}
		})
	}
}

// TestCallThatMustHappenOnceIsNotHedged: the same slow call is asked once when it is
// marked, and twice when it is not.
func TestCallThatMustHappenOnceIsNotHedged(t *testing.T) {
	for _, once := range []bool{false, true} {
		x := newTrack(t, []Policy{eager(hedgeOf(1, 10))}, takes(100, 5))
		x.c.NonIdempotent = once
		x.run(never)
		if got := x.c.Attempts(); (got == 1) != once {
			t.Errorf("non-idempotent %v: %d attempts", once, got)
		}
	}
}

// TestLoserSaysNothingAboutTheDependency: a race of which the first attempt is
// overtaken leaves one success, and no failure, in the breaker inside it.
func TestLoserSaysNothingAboutTheDependency(t *testing.T) {
	x := newTrack(t, []Policy{hedgeOf(1, 10), breakerOf(10, 100)}, takes(100, 5))
	x.run(never)
	if s := x.f.Breakers(0)[0].Snapshot(x.e.Now); s.Buffered != 1 || s.Failed != 0 || s.InFlight != 0 {
		t.Errorf("%+v", s)
	}
}

// TestHedgedTailIsTheProduct holds the times of 20,000 hedged calls with exponential
// attempts of mean 1 s and a hedge after ln 20 s against P(T > t) = S(t) for t < d and
// S(t) S(t-d) beyond: at ten instants the share that takes longer is within 4
// standard errors, and so is the share that is asked twice, S(d) = 5 %.
func TestHedgedTailIsTheProduct(t *testing.T) {
	const n = 20_000
	d := math.Log(20)
	r := rand.New(rand.NewPCG(3, 4))
	x := newTrack(t, []Policy{{Hedge: hedgeOf(1, int64(d*1000)).Hedge}}, func(uint32) (patterns.Instant, patterns.Result) {
		return patterns.Instant(r.ExpFloat64() * 1e9), success
	})
	var times []float64
	twice := 0
	for range n {
		start := x.e.Now
		x.run(never)
		x.act(Action{})
		times = append(times, float64(x.e.Now-start)/1e9)
		twice += int(x.c.Attempts()) - 1
		x.log = x.log[:0]
	}
	near := func(what string, got int, p float64) {
		if se := math.Sqrt(p * (1 - p) / n); math.Abs(float64(got)/n-p) > 4*se {
			t.Errorf("%s: %.5f, theory %.5f, standard error %.5f", what, float64(got)/n, p, se)
		}
	}
	near("asked twice", twice, 0.05)
	for _, at := range []float64{0.1, 0.5, 1, 2, 2.9, 3.1, 3.5, 4, 4.5, 5} {
		p, over := math.Exp(-at), 0
		if at > d {
			p *= math.Exp(-(at - d))
		}
		for _, took := range times {
			if took > at {
				over++
			}
		}
		near(fmt.Sprintf("longer than %v s", at), over, p)
	}
}

// TestHedgesHaveTheirPlace: what a plan may not hold is told with the remedy.
func TestHedgesHaveTheirPlace(t *testing.T) {
	_, err := Compile([]Policy{hedgeOf(1, 10), hedgeOf(1, 10)})
	if err == nil || !strings.Contains(err.Error(), "maxHedges") {
		t.Error(err)
	}
	if _, err = Compile([]Policy{hedgeOf(1, 10), ladderOf("a")}); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Error(err)
	}
	if _, err = Compile([]Policy{hedgeOf(0, 10)}); err == nil || !strings.Contains(err.Error(), "maxHedges") {
		t.Error(err)
	}
}

// TestSecondRaceReusesTheMemoryOfTheFirst counts allocations of hedged calls.
func TestSecondRaceReusesTheMemoryOfTheFirst(t *testing.T) {
	f := NewFleet(mustCompile(t, []Policy{hedgeOf(1, 10), breakerOf(10, 100), bulkheadOf(5, 0)}), 1)
	e := Env{Dice: fixedDice(0)}
	var c Call
	race := func() {
		c.Begin(&e, f, 0, 1, never)
		e.Now += ms(10)
		c.Fire(&e)
		c.Ended(&e, 2, success)
		c.Returned(&e, 1)
		e.GivenUp = e.GivenUp[:0]
	}
	race()
	if n := testing.AllocsPerRun(1000, race); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
