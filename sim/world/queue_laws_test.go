package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/dist"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// area integrates the number of tasks at a service over time, and adds up how
// long each was there.
type area struct {
	models.Silent
	last         time.Duration
	inside       int
	area, stayed time.Duration
	served       int
}

func (a *area) Level(now time.Duration, _ int, l models.Level) {
	a.area += time.Duration(a.inside) * (now - a.last)
	a.last, a.inside = now, l.Queue+l.Busy
}
func (a *area) Started(_ time.Duration, _ int, waited time.Duration) { a.stayed += waited }
func (a *area) Served(_ time.Duration, _ int, held time.Duration, _, _ bool) {
	a.stayed += held
	a.served++
}

// Little's law on a sample path that begins and ends empty is an identity: the
// time integral of the number inside is the sum of the stays, to the nanosecond.
func TestLittlesLaw(t *testing.T) {
	sc := closing(simple(90, 1, exponential(10*time.Millisecond)), 10*time.Minute)
	sc.Callers[0].Arrivals.Law = scenario.Poisson
	a := &area{}
	w := build(t, sc, 1, a)
	w.Run(time.Hour)
	if a.inside != 0 || a.served < 50_000 {
		t.Fatalf("%d inside at the end, %d served", a.inside, a.served)
	}
	if a.area != a.stayed {
		t.Errorf("integral of the number inside %v, sum of the stays %v", a.area, a.stayed)
	}
}

// waits hears how long tasks wait after a warm-up.
type waits struct {
	models.Silent
	after time.Duration
	sum   float64
	n     int
}

func (w *waits) Started(now time.Duration, _ int, waited time.Duration) {
	if now >= w.after {
		w.sum += waited.Seconds()
		w.n++
	}
}

// Mean waits of M/M/1, M/M/4 and M/D/1 agree with theory (Erlang C; Pollaczek and
// Khinchine) within 4 standard errors over 20 replications, and the errors are
// small enough to tell.
func TestMeanWaitsOfTheory(t *testing.T) {
	for _, c := range []struct {
		name    string
		rate    float64
		workers int
		law     dist.Dist
		want    float64
	}{
		{"M/M/1", 80, 1, exponential(10 * time.Millisecond), 0.8 / 20},
		{"M/M/4", 320, 4, exponential(10 * time.Millisecond), erlangC(4, 3.2) / 80},
		{"M/D/1", 80, 1, constant(10 * time.Millisecond), 0.8 / 20 / 2},
	} {
		const n = 20
		var sum, squares float64
		for seed := range uint64(n) {
			sc := simple(c.rate, c.workers, c.law)
			sc.Callers[0].Arrivals.Law = scenario.Poisson
			p := &waits{after: 20 * second}
			build(t, sc, seed, p).Run(220 * second)
			mean := p.sum / float64(p.n)
			sum += mean
			squares += mean * mean
		}
		mean := sum / n
		se := math.Sqrt((squares/n - mean*mean) / (n - 1))
		t.Logf("%s: %.3f ms, theory %.3f ms, standard error %.3f ms", c.name, mean*1e3, c.want*1e3, se*1e3)
		if math.Abs(mean-c.want) > 4*se || se > 0.05*c.want {
			t.Errorf("%s: mean wait %.3f ms ± %.3f, theory %.3f ms", c.name, mean*1e3, se*1e3, c.want*1e3)
		}
	}
}

// erlangC is the probability that a customer waits, with offered load a at c
// servers: B by its recursion, then C = cB/(c - a(1-B)).
func erlangC(c int, a float64) float64 {
	b := 1.0
	for k := 1; k <= c; k++ {
		b = a * b / (float64(k) + a*b)
	}
	return float64(c) * b / (float64(c) - a*(1-b))
}

// A LIFO queue serves the youngest: of three that wait, the last one first.
func TestLIFOServesTheYoungest(t *testing.T) {
	for _, c := range []struct {
		order scenario.Discipline
		want  [4]time.Duration
	}{
		{scenario.FIFO, [4]time.Duration{0, 900 * time.Millisecond, 1800 * time.Millisecond, 2700 * time.Millisecond}},
		{scenario.LIFO, [4]time.Duration{0, 700 * time.Millisecond, 1800 * time.Millisecond, 2900 * time.Millisecond}},
	} {
		sc := closing(simple(10, 1, constant(second)), 450*time.Millisecond)
		sc.Services[0].Queue.Discipline = c.order
		p := timed(t, sc, 1, 10*second)
		if len(p.waits) != 4 || [4]time.Duration(p.waits) != c.want {
			t.Errorf("%s: waits %v, want %v", c.order, p.waits, c.want)
		}
	}
}

// A queue that is full refuses at once, and the refusals are in both accounts.
func TestFullQueueRefuses(t *testing.T) {
	sc := closing(simple(10, 1, constant(10*second)), 1050*time.Millisecond)
	sc.Services[0].Queue.Limit = 3
	_, l := run(t, sc, 100*second)
	wantCount(t, "sent", l.sent[0], 10)
	wantCount(t, "answered", l.ended[0][models.Answered], 4)
	wantCount(t, "turned away", l.turned[0], 6)
	wantCount(t, "calls refused", l.callsEnded[0][models.Refused], 6)
	wantCount(t, "requests refused for a full queue", l.why[0][models.WhyQueueFull], 6)
}
