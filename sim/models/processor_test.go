package models

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/engine"
)

// sharingTwin recomputes the share of every job from one event to the next, in exact
// fractions.
type sharingTwin struct {
	speeds speeds
	now    time.Duration
	jobs   []twinJob
}

type twinJob struct {
	task uint32
	left *big.Rat // ns
}

// part is the speed of each job as an exact fraction; in two to the 64th parts where
// the processor has it so.
func (w *sharingTwin) part() *big.Rat {
	r := w.speeds.reckon(len(w.jobs))
	if r == 0 {
		return big.NewRat(1, 1)
	}
	if w.speeds.contention == 0 && w.speeds.coherence == 0 {
		return big.NewRat(int64(w.speeds.cores), int64(len(w.jobs)))
	}
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(uint64(r)), new(big.Int).Lsh(big.NewInt(1), 64))
}

func (w *sharingTwin) advance(now time.Duration) {
	done := new(big.Rat).Mul(w.part(), big.NewRat(int64(now-w.now), 1))
	for i := range w.jobs {
		w.jobs[i].left.Sub(w.jobs[i].left, done)
	}
	w.now = now
}

// first is the job that ends next, the earliest begun of several, and when.
func (w *sharingTwin) first() (i int, at time.Duration) {
	for k := range w.jobs {
		if w.jobs[k].left.Cmp(w.jobs[i].left) < 0 {
			i = k
		}
	}
	x := new(big.Rat).Quo(w.jobs[i].left, w.part())
	ns := new(big.Int).Add(x.Num(), new(big.Int).Sub(x.Denom(), big.NewInt(1)))
	ns.Div(ns, x.Denom()) // rounded up
	return i, w.now + max(time.Duration(ns.Int64()), 0)
}

// bench is a graph with as much as a processor needs.
func bench(tasks int) *Graph {
	g := &Graph{eng: engine.New(), probe: Silent{}}
	for range tasks {
		_, t := g.newTask()
		slot, s := g.seats.take()
		*s = seat{place: nobody}
		t.seat = slot + 1
	}
	return g
}

// TestSharesAgreeWithATwin lets jobs come, end and be taken away at random, hundreds of
// them within one busy time, and compares the order of the ends and their instants
// with a twin in exact fractions that recomputes every share: to the nanosecond.
func TestSharesAgreeWithATwin(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := bench(20)
		w := sharingTwin{speeds: speeds{cores: 1 + r.IntN(4)}}
		if seed >= 5 {
			w.speeds.contention, w.speeds.coherence = 0.1*r.Float64(), 0.01*r.Float64()
		}
		s := w.speeds
		p, free, ends := &processor{}, make([]uint32, 20), 0
		for i := range free {
			free[i] = uint32(i)
		}
		now := time.Duration(0)
		for range 1500 {
			next := now + time.Duration(r.IntN(3_000_000))
			if len(w.jobs) > 0 {
				i, at := w.first()
				if due := p.due(s.of(len(p.heap))); math.Abs(float64(due-at)) > 1 {
					t.Fatalf("seed %d: the next end is at %d, want %d", seed, due, at)
				}
				if at <= next {
					at = p.due(s.of(len(p.heap)))
					now = at
					w.advance(now)
					p.advance(now, s.of(len(p.heap)))
					task, ok := g.endedChore(p)
					if !ok || task != w.jobs[i].task {
						t.Fatalf("seed %d: task %d ended (%v), want %d", seed, task, ok, w.jobs[i].task)
					}
					free = append(free, task)
					w.jobs = append(w.jobs[:i], w.jobs[i+1:]...)
					ends++
					continue
				}
			}
			now = next
			w.advance(now)
			p.advance(now, s.of(len(p.heap)))
			if n := len(w.jobs); n > 0 && r.IntN(10) == 0 {
				k := r.IntN(n)
				left := g.takeChore(p, int(g.seatOf(g.tasks.at(w.jobs[k].task)).place))
				exact, _ := w.jobs[k].left.Float64()
				if got := float64(left.ns) + float64(left.part)*0x1p-64; math.Abs(got-max(exact, 0)) > 1e-3 {
					t.Fatalf("seed %d: %v ns are left, want %v", seed, got, exact)
				}
				free = append(free, w.jobs[k].task)
				w.jobs = append(w.jobs[:k], w.jobs[k+1:]...)
				continue
			}
			if len(free) == 0 {
				continue
			}
			task := free[len(free)-1]
			free = free[:len(free)-1]
			ns := int64(r.IntN(4_000_000))
			g.putChore(p, task, progress{ns: uint64(ns)})
			w.jobs = append(w.jobs, twinJob{task, big.NewRat(ns, 1)})
		}
		if ends < 150 {
			t.Errorf("seed %d: only %d jobs ended", seed, ends)
		}
	}
}

// TestScalabilityPeaksWhereTheLawSays: with contention s and coherence k throughput is
// greatest at sqrt((1-s)/k) in service, by the formula; capacity without a limit of
// workers is that peak, with workers what all of them do.
func TestScalabilityPeaksWhereTheLawSays(t *testing.T) {
	t.Parallel()
	s := speeds{contention: 0.02, coherence: 0.0005}
	peak, at := 0.0, 0
	for n := 1; n < 500; n++ {
		want := float64(n) / (1 + 0.02*float64(n-1) + 0.0005*float64(n)*float64(n-1))
		if got := s.parallel(n); math.Abs(got-want) > 1e-12*want {
			t.Fatalf("%d workers do %v, want %v", n, got, want)
		}
		if want > peak {
			peak, at = want, n
		}
	}
	best := math.Sqrt(0.98 / 0.0005)
	if math.Abs(float64(at)-best) > 1 || math.Abs(s.parallel(Unlimited)-peak) > 1e-3*peak {
		t.Errorf("the peak is %v at %d, want near %v; without a limit %v", peak, at, best, s.parallel(Unlimited))
	}
	for _, row := range []struct {
		s    speeds
		n    int
		want float64
	}{
		{speeds{cores: 4}, 100, 4}, {speeds{cores: 4}, 3, 3}, {speeds{cores: 4}, Unlimited, 4}, {speeds{}, 7, 7},
		{speeds{}, Unlimited, 0}, {speeds{contention: 0.1}, Unlimited, 10},
	} {
		if got := row.s.parallel(row.n); math.Abs(got-row.want) > 1e-9 {
			t.Errorf("%+v with %d: %v, want %v", row.s, row.n, got, row.want)
		}
	}
}

// TestRatesAreRoundedDown: progress at a rate never reaches its end before the time that
// it takes is over, and always reaches it then.
func TestRatesAreRoundedDown(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 7))
	for range 100_000 {
		x := rate(r.Uint64() >> r.IntN(40))
		p := progress{uint64(r.Int64N(1 << 40)), r.Uint64()}
		d := x.until(p)
		if d >= time.Duration(longest) {
			continue
		}
		if x.over(d).before(p) {
			t.Fatalf("rate %d: %v is not done in %d ns", x, p, d)
		}
		if d > 0 && !x.over(d-1).before(p) {
			t.Fatalf("rate %d: %v is done in %d ns already", x, p, d-1)
		}
	}
}
