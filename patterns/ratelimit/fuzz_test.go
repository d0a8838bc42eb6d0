package ratelimit

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

func compile(t testing.TB, c Config) *Settings {
	t.Helper()
	s, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// configOf makes settings of three bytes: every type, rates whose interval is no
// whole number of ns among them.
func configOf(a, b, c byte) Config {
	cfg := Config{
		Type: []Type{Cycle, TokenBucket, Smooth}[a%3], LimitForPeriod: 1 + int(b%7),
		LimitRefreshPeriod: patterns.Duration(10 + int64(c%50)),
	}
	switch cfg.Type {
	case TokenBucket:
		cfg.Burst = int(a/3) % 10
	case Smooth:
		cfg.Slack = int(a/3) % 4
	}
	return cfg
}

// game plays a tape on a limiter and its twin.
type game struct {
	t     *testing.T
	l     Limiter
	w     twin
	now   patterns.Instant
	taken []Reservation
	place []int // of each in the twin's history
}

func newGame(t *testing.T, c Config) *game {
	return &game{t: t, l: New(compile(t, c)), w: twin{c: c}}
}

func (g *game) reserve(n int64, most time.Duration) bool {
	g.t.Helper()
	now := g.w.clock(g.now)
	before := g.l
	r, v := g.l.Reserve(g.now, int(n), most)
	at, ok := g.w.reserve(now, n, most)
	if v.OK != ok || r.At != at {
		g.t.Fatalf("%+v at %d: %d permits within %d: %v at %d, want %v at %d", g.w.c, now, n, most, v, r.At, ok, at)
	}
	if !ok {
		if before.counts = g.l.counts; before.account != g.l.account {
			g.t.Fatalf("a refusal left a trace: %+v, was %+v", g.l.account, before.account)
		}
		g.retry(n, most, v)
		return false
	}
	g.taken, g.place = append(g.taken, r), append(g.place, len(g.w.history)-1)
	return true
}

// retry asks the same again, of copies, at the instant that the refusal named and
// just before it.
func (g *game) retry(n int64, most time.Duration, v Verdict) {
	g.t.Helper()
	now := g.w.seen
	if v.Reason == patterns.None || v.RetryAfter == 0 {
		g.t.Fatalf("refused with %+v", v)
	}
	if v.RetryAfter < 0 {
		for _, after := range []time.Duration{0, 1, 7, 60, 1000, 12345} {
			if c := g.l; mayAdd(now, after) && g.again(c, now.Add(after), n, most) {
				g.t.Fatalf("%+v at %d: %d permits within %d: told never, but granted after %d", g.w.c, now, n, most, after)
			}
		}
		return
	}
	exact := n == 1 || g.w.c.Type != Smooth
	if then := now.Add(v.RetryAfter); then < patterns.Never-1 && exact && !g.again(g.l, then, n, most) {
		g.t.Fatalf("%+v at %d: %d permits within %d: refused again after %d", g.w.c, now, n, most, v.RetryAfter)
	}
	if g.again(g.l, now.Add(v.RetryAfter-1), n, most) {
		g.t.Fatalf("%+v at %d: %d permits within %d: granted before %d have passed", g.w.c, now, n, most, v.RetryAfter)
	}
}

func mayAdd(now patterns.Instant, d time.Duration) bool { return now.Add(d) < patterns.Never }

func (g *game) again(copied Limiter, now patterns.Instant, n int64, most time.Duration) bool {
	_, v := copied.Reserve(now, int(n), most)
	return v.OK
}

func (g *game) cancel(k int) {
	g.t.Helper()
	r := g.taken[k]
	got, want := g.l.Cancel(g.now, &g.taken[k]), int64(0)
	now := g.w.clock(g.now)
	if r.permits > 0 {
		want = g.w.cancel(now, g.place[k])
	}
	if got != want {
		g.t.Fatalf("%+v at %d: cancel of %+v brings %d, want %d", g.w.c, now, r, got, want)
	}
}

func (g *game) drain() {
	g.t.Helper()
	now := g.w.clock(g.now)
	if got, want := g.l.Drain(g.now), g.w.drain(now); got != want {
		g.t.Fatalf("%+v at %d: %d drained, want %d", g.w.c, now, got, want)
	}
}

func (g *game) compare() {
	g.t.Helper()
	now := g.w.clock(g.now)
	for n := range 4 { // Try is Reserve without a wait
		a, b := g.l, g.l
		if _, want := b.Reserve(g.now, n, -1); a.Try(g.now, n) != want || a != b {
			g.t.Fatalf("%+v at %d: Try(%d) left %+v, Reserve %+v, %+v", g.w.c, now, n, a, b, want)
		}
	}
	s := g.l.Snapshot(g.now)
	if want := g.w.permits(now); want.Num().IsInt64() && s.Permits != want.Num().Int64() {
		g.t.Fatalf("%+v at %d: %d permits, want %v", g.w.c, now, s.Permits, want)
	}
	want := patterns.Never
	if at := g.w.when(now, 1); at != nil {
		want = patterns.Instant(at.Num().Int64())
	}
	if s.Free != want {
		g.t.Fatalf("%+v at %d: free at %d, want %d", g.w.c, now, s.Free, want)
	}
}

// play reads one operation of two bytes.
func (g *game) play(op, arg byte) {
	switch op & 7 {
	case 0, 1, 2:
		g.reserve(1+int64(arg&3), time.Duration(arg>>2))
	case 3:
		g.reserve(1+int64(arg%15), time.Duration(op>>3)*16)
	case 4:
		if len(g.taken) > 0 {
			g.cancel(len(g.taken) - 1 - int(arg)%len(g.taken))
		}
	case 5:
		if arg%8 == 0 {
			g.drain()
		}
	default: // the clock goes on, jumps and goes back
		g.now += patterns.Instant(arg%64) - 5
		if arg > 250 {
			g.now += 1000
		}
	}
	g.compare()
}

// seeds are random tapes, a third of them in short runs.
func seeds(f *testing.F, n byte, length int) {
	if testing.Short() {
		n /= 3
	}
	for seed := range n {
		tape := make([]byte, length)
		rand.NewChaCha8([32]byte{seed}).Read(tape)
		f.Add(tape)
	}
}

// FuzzLimiterAgreesWithItsTwin plays reservations, cancels, drains and clocks that go
// back. Then it takes all there is for a while, and looks at every window of what
// was let through: never more than the law of the type allows.
func FuzzLimiterAgreesWithItsTwin(f *testing.F) {
	seeds(f, 50, 160)
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 3 {
			return
		}
		g := newGame(t, configOf(tape[0], tape[1], tape[2]))
		for tape = tape[3:min(len(tape), 250)]; len(tape) >= 2; tape = tape[2:] {
			g.play(tape[0], tape[1])
		}
		for range 40 {
			g.reserve(1, 200)
		}
		checkWindows(t, g.w)
	})
}

// FuzzNothingOverflows plays the largest numbers there are against the twin, which
// has no largest number.
func FuzzNothingOverflows(f *testing.F) {
	seeds(f, 60, 200)
	f.Fuzz(func(t *testing.T, tape []byte) {
		var seed [32]byte
		copy(seed[:], tape)
		r := rand.New(rand.NewChaCha8(seed))
		c := Config{Type: []Type{Cycle, TokenBucket, Smooth}[r.IntN(3)]}
		c.LimitForPeriod = int(max(large(r)>>32, 1))
		c.LimitRefreshPeriod = patterns.Duration(min(max(large(r), 1), int64(periodMax)))
		switch c.Type {
		case TokenBucket:
			c.Burst = int(large(r) >> 32)
		case Smooth:
			c.Slack = int(large(r) >> 32)
		}
		if c.Validate() != nil {
			return
		}
		g := newGame(t, c)
		for range min(len(tape), 40) {
			switch r.IntN(6) {
			case 0, 1, 2:
				g.reserve(max(large(r), 1), time.Duration(large(r)))
			case 3:
				if len(g.taken) > 0 {
					g.cancel(r.IntN(len(g.taken)))
				}
			case 4:
				g.now = patterns.Instant(large(r)) * patterns.Instant(1-2*(r.IntN(8)/7))
			default:
				g.drain()
			}
			g.compare()
		}
	})
}

// large is a number of any length, the largest ones more often than by chance.
func large(r *rand.Rand) int64 {
	switch n := r.Int64() >> r.IntN(63); r.IntN(6) {
	case 0:
		return math.MaxInt64 - n&3
	default:
		return n
	}
}
