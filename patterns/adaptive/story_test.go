package adaptive

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// server is a toy dependency: calls are served in the order in which they come,
// so many at once, each for the same time. A call that meets idle slots takes
// just that; with more calls than slots they wait.
type server struct {
	slots   int
	service time.Duration
	free    patterns.Instant // when the next slot becomes free
}

// ends returns when a call that comes now will be answered.
func (s *server) ends(now patterns.Instant) patterns.Instant {
	start := max(now, s.free)
	s.free = start.Add(s.service / time.Duration(s.slots))
	return start.Add(s.service)
}

// loop drives a limiter in front of a server with more calls than it can serve.
type loop struct {
	l      *Limiter
	server server
	every  time.Duration // between calls
	now    patterns.Instant
	inside []struct {
		ends   patterns.Instant
		permit Permit
	}
	draws *rand.Rand
}

func newLoop(l *Limiter, slots int) *loop {
	return &loop{
		l: l, server: server{slots: slots, service: 10 * time.Millisecond}, every: 100 * time.Microsecond,
		draws: rand.New(rand.NewPCG(7, 7)),
	}
}

// run plays on for so long and returns the mean limit and the mean throughput,
// in calls a second, of the last half.
func (p *loop) run(d time.Duration) (limit, throughput float64) {
	begun, served, n := p.now, 0, 0
	for end := p.now.Add(d); p.now < end; p.now = p.now.Add(p.every) {
		for len(p.inside) > 0 && p.inside[0].ends <= p.now {
			p.l.Report(p.inside[0].ends, p.inside[0].permit, Answered, p.draws.Float64())
			p.inside = p.inside[1:]
			served++
		}
		if permit, v := p.l.Acquire(p.now); v.OK {
			p.inside = append(p.inside, struct {
				ends   patterns.Instant
				permit Permit
			}{p.server.ends(p.now), permit})
		}
		if p.now.Sub(begun) < d/2 {
			served = 0
			continue
		}
		limit += float64(p.l.Limit())
		n++
	}
	return limit / float64(n), float64(served) / (d / 2).Seconds()
}

// windowed returns the defaults with bounds that leave the algorithm room and
// with sample windows of a tenth of a second, where it is fed with samples.
func windowed(a Algorithm) Config {
	c := Defaults(a)
	c.InitialLimit, c.MinLimit, c.MaxLimit = 5, 3, 400
	switch a {
	case AIMD:
		c.Timeout = patterns.Duration(15 * time.Millisecond)
	case Envoy:
		c.MinRTTInterval = patterns.Duration(10 * time.Second)
		return c
	}
	w := DefaultWindow()
	w.MinWindowTime = patterns.Duration(100 * time.Millisecond)
	w.MaxWindowTime = w.MinWindowTime
	c.Window = &w
	return c
}

// TestLimitsFollowTheKnee: a server of 40 slots loses 30 of them and gets them
// back, under more load than it can serve. In each phase the limit settles where
// the rule is at rest, at or somewhat above the number of slots C, and the server
// is busy. With more than C inside, a round trip takes 10 ms x L / C, from which
// follows where that is:
//
//	aimd: drops from L = 1.5 C on, the mean of the sawtooth is 0.95 of it
//	vegas: C + 3 to C + 6, as much again if a probe met that queue
//	gradient: L = 2 C + sqrt L
//	envoy: L = 1.25 C + sqrt(1.25 C), less while it measures
func TestLimitsFollowTheKnee(t *testing.T) {
	rest := map[Algorithm][2][2]float64{ // least and largest limit with 40 slots, and with 10
		AIMD:     {{55, 60}, {13.5, 15.5}},
		Vegas:    {{43, 46}, {13, 22}},
		Gradient: {{88.4, 90.4}, {24, 26}},
		Envoy:    {{54, 57.1}, {15, 16.1}},
	}
	for a, ranges := range rest {
		l := New(compile(t, windowed(a)))
		p := newLoop(&l, 40)
		for phase, few := range []int{0, 1, 0} {
			p.server.slots = []int{40, 10}[few]
			limit, throughput := p.run(20 * time.Second)
			if r := ranges[few]; limit < r[0] || limit > r[1] {
				t.Errorf("%s, phase %d: mean limit %.2f, want %v to %v", a, phase, limit, r[0], r[1])
			}
			if all := float64(p.server.slots) * 100; throughput < 0.95*all || throughput > 1.001*all {
				t.Errorf("%s, phase %d: %.0f calls a second of %.0f", a, phase, throughput, all)
			}
		}
	}
}

// TestOneQueueIsOneDrop: without windows each of the calls that one queue delayed
// lowers aimd's limit again, and almost half of the server lies idle; with windows
// the server is busy.
func TestOneQueueIsOneDrop(t *testing.T) {
	c := windowed(AIMD)
	with := New(compile(t, c))
	c.Window = nil
	without := New(compile(t, c))
	_, busy := newLoop(&with, 40).run(20 * time.Second)
	_, idle := newLoop(&without, 40).run(20 * time.Second)
	if busy < 3990 || idle < 2100 || idle > 2300 {
		t.Errorf("%.0f calls a second with windows and %.0f without, want 4000 and 55 %% of it", busy, idle)
	}
}

// TestGradient2LearnsLastingOverload: its base is an average of what it sees, so
// under more load than the server can bear for minutes the limit creeps up; half
// a minute at half the load brings the base back.
func TestGradient2LearnsLastingOverload(t *testing.T) {
	l := New(compile(t, windowed(Gradient2)))
	p := newLoop(&l, 40)
	early, throughput := p.run(20 * time.Second)
	if early < 40 || early > 85 || throughput < 3800 {
		t.Errorf("mean limit %.1f and %.0f calls a second, want 40 to 85 and at least 3800", early, throughput)
	}
	if late, _ := p.run(60 * time.Second); late < 1.5*early {
		t.Errorf("limit %.1f after a minute, was %.1f: no creeping, say so in the package comment", late, early)
	}
	p.every = 500 * time.Microsecond
	p.run(30 * time.Second)
	if base := l.Snapshot(p.now).Base; base > 15*time.Millisecond {
		t.Errorf("base %s after half a minute of half the load, want near 10ms", base)
	}
}

// TestOneOddFirstSampleAndGradient2: a cold start's round trip of 5 s is the
// first sample. Without the median the limit goes to its ceiling and stays
// there; with the median of five nothing is to be seen of it.
func TestOneOddFirstSampleAndGradient2(t *testing.T) {
	play := func(median int, odd bool) float64 {
		c := Defaults(Gradient2)
		c.MinLimit, c.MaxLimit, c.MedianSamples = 3, 1000, median
		l := New(compile(t, c))
		if odd {
			l.feed(0, sample{rtt: 5e9, inFlight: 20, measured: true}, 0)
		}
		limit, _ := newLoop(&l, 40).run(60 * time.Second)
		return limit
	}
	if plain, odd := play(0, false), play(0, true); plain > 150 || odd < 999 {
		t.Errorf("without the median: limit %.1f, and %.1f after an odd sample, want below 150 and 1000", plain, odd)
	}
	if plain, odd := play(5, false), play(5, true); odd > 1.1*plain || odd < 0.9*plain {
		t.Errorf("with the median: limit %.1f, and %.1f after an odd sample, want the same", plain, odd)
	}
}

// TestH20_OneLuckySampleIsForgotten: 1,000 samples of 300 ms, one of 150 ms,
// 1,000 more of 300 ms, with the limit full. The limit is within a tenth of what
// it was again after at most so many samples, for good: vegas after the probe
// that comes within 30 samples for each unit of the lowered limit, gradient2 at once, and
// whatever is fed with medians does not move at all. gradient's tolerance of 2
// bears it; its dips are the probes.
func TestH20_OneLuckySampleIsForgotten(t *testing.T) {
	for _, k := range []struct {
		algorithm Algorithm
		median    int
		least     int // the limit goes down to
		within    int // samples
	}{{Vegas, 0, 30, 100}, {Vegas, 3, 100, 0}, {Gradient2, 0, 100, 0}, {Gradient2, 3, 100, 0}, {Gradient, 0, 100, 0}} {
		c := Defaults(k.algorithm)
		c.MaxLimit, c.InitialLimit, c.MedianSamples, c.ProbeInterval = 100, 20, k.median, 0
		l := New(compile(t, c))
		feed := func(ms float64) {
			l.feed(0, sample{rtt: ms * 1e6, inFlight: l.Limit(), measured: true}, 0.999)
		}
		for range 1000 {
			feed(300)
		}
		before, least, back := l.Limit(), l.Limit(), 0
		feed(150)
		for i := range 1000 {
			feed(300)
			least = min(least, l.Limit())
			if 10*l.Limit() < 9*before {
				back = i + 1
			}
		}
		if before != 100 || least < k.least || back > k.within {
			t.Errorf("%s, median of %d: limit %d, then down to %d and back after %d samples, want 100, %d, %d",
				k.algorithm, k.median, before, least, back, k.least, k.within)
		}
	}
}

// TestAIMDSawtooth: a dependency that drops whenever more than C are inside. The
// limit swings between backoff x C and C: the mean is C (1 + backoff) / 2 within
// one. When C halves, the limit is back below it after log(2)/log(1/backoff)
// drops, rounded up, and climbs back in as many rounds as C grew.
func TestAIMDSawtooth(t *testing.T) {
	for _, backoff := range []float64{0.5, 0.9} {
		c := Defaults(AIMD)
		c.MinLimit, c.BackoffRatio = 1, backoff
		l := New(compile(t, c))
		round := func(capacity int) int {
			l.feed(0, sample{rtt: 1, inFlight: l.Limit(), measured: l.Limit() <= capacity, dropped: l.Limit() > capacity}, 0)
			return l.Limit()
		}
		sum := 0
		for i := range 2200 {
			if limit := round(100); i >= 200 {
				sum += limit
			}
		}
		if mean, want := float64(sum)/2000, 50*(1+backoff); mean < want-1 || mean > want+1 {
			t.Errorf("backoff %v: mean limit %v, want %v", backoff, mean, want)
		}
		for l.Limit() != 101 {
			round(100)
		}
		drops, rounds := 0, 0
		for l.Limit() > 50 {
			round(50)
			drops++
		}
		if most := map[float64]int{0.5: 1, 0.9: 7}[backoff]; drops != most {
			t.Errorf("backoff %v: %d drops, want %d", backoff, drops, most)
		}
		for from := l.Limit(); l.Limit() < 100; rounds++ {
			if round(100) != from+rounds+1 {
				t.Fatalf("backoff %v: limit %d after %d rounds from %d", backoff, l.Limit(), rounds+1, from)
			}
		}
	}
}
