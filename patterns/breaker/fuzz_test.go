package breaker

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// tape hands out the bytes of a fuzz input, then zeroes.
type tape struct{ bytes []byte }

func (t *tape) below(n int) int {
	if len(t.bytes) == 0 {
		return 0
	}
	b := t.bytes[0]
	t.bytes = t.bytes[1:]
	return int(b) % n
}

// config draws settings of which every rule and mode has its turn. Waits are
// powers of two of a second, so that growth is exact in the twin's arithmetic; the
// slow threshold is a multiple of the clock's steps, so that it is met exactly.
func (t *tape) config() Config {
	c := Defaults()
	c.FailureRateThreshold = patterns.PercentOf([]float64{50, 33.3, 100, 1}[t.below(4)])
	c.SlowCallRateThreshold = patterns.PercentOf([]float64{100, 50, 66.7}[t.below(3)])
	c.SlowCallDurationThreshold = patterns.Duration(375 * time.Millisecond)
	c.SlidingWindowSize = 1 + t.below(9)
	if t.below(2) == 1 {
		c.SlidingWindowType = TimeBased
	}
	c.MinimumNumberOfCalls = 1 + t.below(8)
	c.ConsecutiveFailures = max(0, t.below(7)-3)
	c.WaitDurationInOpenState = patterns.Duration(time.Second)
	if t.below(2) == 1 {
		c.EnableExponentialBackoff = true
		c.ExponentialBackoffMultiplier = 2
		c.ExponentialMaxWaitDurationInOpenState = patterns.Duration(8 * time.Second)
	}
	more := t.below(16)
	c.CountRunningSlowCalls = more&1 == 1
	c.AutomaticTransitionFromOpenToHalfOpenEnabled = more&2 == 2
	c.TransitionToStateAfterWaitDuration = []Expiry{"", "", ToOpen, ToClosed}[more>>2]
	c.EnableRandomizedWait = t.below(2) == 1
	c.PermittedNumberOfCallsInHalfOpenState = 1 + t.below(5)
	c.HalfOpenDecision = []Decision{"", Complete, Early, FirstFailure}[t.below(4)]
	c.HalfOpenSuccesses = t.below(c.PermittedNumberOfCallsInHalfOpenState + 1)
	limits := []patterns.Duration{0, patterns.Duration(3 * time.Second)}
	if i := t.below(3); i < 2 {
		c.MaxWaitDurationInHalfOpenState = &limits[i]
	}
	return c
}

// bench drives three breakers with the same inputs: the real one, its twin, and
// a second real one that is looked at and ticked all the time.
type bench struct {
	t       *testing.T
	real    Breaker
	poked   Breaker
	naive   *twin
	now     patterns.Instant
	out     []permits
	log     []Event
	pokeLog []Event
}

type permits struct {
	real, poked Permit
	naive       twinPermit
}

func (b *bench) acquire(draw float64) {
	p, v := b.real.Acquire(b.now, draw, &b.log)
	q, _ := b.poked.Acquire(b.now, draw, &b.pokeLog)
	n, ok := b.naive.acquire(b.now, draw)
	if v.OK != ok {
		b.t.Fatalf("admitted %v, want %v", v.OK, ok)
	}
	if v.RetryAfter < 0 || (v.RetryAfter > 0) != (!ok && b.naive.state == Open) {
		b.t.Fatalf("retry after %s in state %s", v.RetryAfter, b.naive.state)
	}
	if ok {
		b.out = append(b.out, permits{p, q, n})
	}
}

// report gives the i-th permit back; a trial's sometimes twice.
func (b *bench) report(i int, o patterns.Outcome, draw float64, twice bool) {
	if len(b.out) == 0 {
		return
	}
	i %= len(b.out)
	p := b.out[i]
	b.out = slices.Delete(b.out, i, i+1)
	times := 1
	if twice && p.real.Trial > 0 {
		times = 2
	}
	for range times {
		want := b.naive.report(b.now, p.naive, o, draw)
		if got := b.real.Report(b.now, p.real, o, draw, &b.log); got != want {
			b.t.Fatalf("report accepted: %v, want %v", got, want)
		}
		b.poked.Report(b.now, p.poked, o, draw, &b.pokeLog)
	}
}

// poke looks at the second breaker on the way to a later instant.
func (b *bench) poke(step time.Duration, draw float64) {
	for i := range time.Duration(3) {
		b.poked.Tick(b.now.Add(step*i/3), draw, &b.pokeLog)
		b.poked.State(b.now.Add(step * i / 3))
	}
	b.poked.Snapshot(max(b.poked.seen, b.now))
}

// tick shows the present instant to all three.
func (b *bench) tick(draw float64) {
	b.naive.begin(b.now, draw)
	b.real.Tick(b.now, draw, &b.log)
	b.poked.Tick(b.now, draw, &b.pokeLog)
}

func (b *bench) force(to State, draw float64) {
	b.naive.begin(b.now, draw)
	from := b.naive.state
	legal := !(from == Closed && to == HalfOpen) && !(from == MetricsOnly && (to == Open || to == HalfOpen))
	if got := b.real.Force(b.now, to, draw, &b.log); got != legal {
		b.t.Fatalf("force %s to %s: %v, want %v", from, to, got, legal)
	}
	b.poked.Force(b.now, to, draw, &b.pokeLog)
	switch {
	case !legal || from == to:
	case to == Open:
		b.naive.open(b.naive.seen, Forced, draw)
	default:
		if to == ForcedOpen {
			b.naive.attempts++
		}
		b.naive.enter(to, b.naive.seen, Forced)
	}
}

// overdue tells all three that the i-th call is still running.
func (b *bench) overdue(i int, draw float64) {
	if len(b.out) == 0 {
		return
	}
	p := &b.out[i%len(b.out)]
	want := b.naive.overdue(b.now, p.naive, draw)
	if got := b.real.Overdue(b.now, &p.real, draw, &b.log); got != want {
		b.t.Fatalf("overdue: %v, want %v", got, want)
	}
	b.poked.Overdue(b.now, &p.poked, draw, &b.pokeLog)
}

// reset closes all three. The end of an automatic wait needs its draw first.
func (b *bench) reset(draw float64) {
	b.tick(draw)
	b.naive.enter(Closed, b.naive.seen, ResetAsked)
	b.real.Reset(b.now, &b.log)
	b.poked.Reset(b.now, &b.pokeLog)
}

func (b *bench) compare() {
	b.t.Helper()
	w := b.naive
	if got := b.real.State(w.seen); got != w.state && w.seen < w.due {
		b.t.Fatalf("state %s, want %s", got, w.state)
	}
	// What State foretells is what a step makes true, unless a draw is needed.
	if draw := float64(w.openings%8) / 8; w.seen >= w.due && (!w.c.EnableRandomizedWait || w.state == Open) {
		foretold := b.real.State(w.seen)
		b.tick(draw)
		if foretold != w.state {
			b.t.Fatalf("state %s foretold, is %s", foretold, w.state)
		}
	}
	rs := w.window()
	if w.fromTrials {
		rs = w.trials
	}
	failed, slow, slowFailed := tally(rs)
	s := b.real.Snapshot(w.seen)
	got := []int64{s.Buffered, s.Failed, s.Succeeded, s.Slow, s.SlowFailed, s.NotPermitted, s.Late,
		int64(s.Openings), int64(s.Attempts), s.InFlight, int64(s.Generation), s.Overdue}
	want := []int64{int64(len(rs)), int64(failed), int64(len(rs) - failed), int64(slow), int64(slowFailed),
		int64(w.refused), int64(w.late), int64(w.openings), int64(w.attempts), int64(len(w.out)), int64(w.generation),
		int64(len(w.running()))}
	if !slices.Equal(got, want) {
		b.t.Fatalf("snapshot %v, want %v", got, want)
	}
	if !slices.Equal(b.log, w.log) {
		b.t.Fatalf("events %v, want %v", b.log, w.log)
	}
}

// FuzzBreakerAgreesWithItsTwin plays acquires, reports of any permit in any order,
// forced changes and steps of the clock, backwards ones too. The breaker must do
// what the naive twin does, and being looked at must change nothing.
func FuzzBreakerAgreesWithItsTwin(f *testing.F) {
	for seed := range byte(250) {
		seedTape := make([]byte, 400)
		rand.NewChaCha8([32]byte{seed}).Read(seedTape)
		f.Add(seedTape)
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		in := tape{bytes}
		c := in.config()
		settings, err := Compile(c)
		if err != nil {
			t.Fatal(err)
		}
		b := bench{t: t, real: New(settings), poked: New(settings), naive: newTwin(c)}
		for len(in.bytes) > 0 {
			draw := float64(b.naive.openings%8) / 8
			switch in.below(9) {
			case 0, 1, 2:
				b.acquire(draw)
			case 3, 4:
				o := []patterns.Outcome{patterns.Failure, patterns.Success, patterns.Failure, patterns.Success, patterns.Ignored, patterns.NotMade}
				b.report(in.below(256), o[in.below(len(o))], draw, in.below(4) == 0)
			case 5, 6:
				step := time.Duration(in.below(16)) * 125 * time.Millisecond
				b.poke(step, draw)
				b.now = b.now.Add(step)
			case 8:
				b.overdue(in.below(256), draw)
			case 7:
				switch to := State(in.below(24)); {
				case to <= MetricsOnly:
					b.force(to, draw)
				case to == 7:
					b.reset(draw)
				case to == 8:
					b.tick(draw) // going back is clamped to what was seen: all three have seen now
					b.now = max(0, b.now.Add(-time.Second))
				case to == 9:
					b.now = b.now.Add(time.Hour)
				}
			}
			b.compare()
		}
		b.tick(float64(b.naive.openings%8) / 8)
		b.compare()
		if !slices.Equal(b.log, b.pokeLog) {
			t.Fatalf("polled: events %v, unpolled: %v", b.pokeLog, b.log)
		}
	})
}
