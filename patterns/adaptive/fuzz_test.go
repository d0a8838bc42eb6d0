package adaptive

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

// tapeConfig turns three bytes into settings that reach every rule within few
// calls.
func tapeConfig(kind, a, b byte) Config {
	c := Defaults([]Algorithm{AIMD, Vegas, Gradient2, Gradient, Envoy}[kind&7%5])
	c.MinLimit = 1 + int(a%4)
	c.InitialLimit = c.MinLimit + int(a>>2)%16
	c.MaxLimit = c.InitialLimit + []int{0, 4, 30, 400}[b&3]
	ms := func(n byte) patterns.Duration { return patterns.Duration(n) * patterns.Duration(time.Millisecond) }
	switch c.Algorithm {
	case AIMD:
		c.BackoffRatio, c.Timeout = []float64{0.5, 0.6, 0.75, 0.9}[b>>2&3], ms(b>>4*3)
	case Vegas:
		c.Smoothing, c.ProbeMultiplier = []float64{1, 0.5, 0.3, 0.9}[b>>2&3], 1+int(b>>4&3)
		if b>>6&1 == 1 {
			c.Decrease = Halve
		}
		if b>>7 == 1 {
			c.Alpha, c.Beta = 2, 4
		}
	case Gradient2:
		c.Smoothing, c.LongWindow, c.WarmupWindow = []float64{1, 0.5, 0.2, 0.9}[b>>2&3], 3+int(b>>4&3)*5, 1+int(a>>6)*2
		c.BackoffRatio = []float64{0, 0, 0.5, 0.9}[b>>6]
	case Gradient:
		c.Smoothing, c.ProbeInterval = []float64{1, 0.5, 0.2, 0.9}[b>>2&3], int(b>>4&3)*7
		c.QueueSize = int(b>>6) % 3
	case Envoy:
		c.MinRTTConcurrency = c.MinLimit + int(a>>2)%2
		c.MaxLimit++
		c.MinRTTRequestCount, c.ConcurrencyUpdateInterval = 1+int(b>>2&3), ms(5+b>>4*7)
		c.MinRTTInterval = ms(100 + b>>5*30)
		if b>>7 == 1 {
			c.MinRTTJitter, c.SampleAggregatePercentile = 0, patterns.PercentOf(90)
		}
		return c
	}
	if kind>>4&1 == 1 {
		c.MedianSamples = 1 + int(kind>>5&1)*2
	}
	if kind>>6&1 == 1 {
		c.Window = &Window{MinWindowTime: ms(3), MaxWindowTime: ms(20), WindowSize: 1 + int(kind>>5&1)*3}
		c.Window.MinRTTThreshold = patterns.Duration(b&1) * ms(2)
		c.Window.Percentile = patterns.PercentOf(float64(kind>>7) * 75)
	}
	return c
}

// FuzzLimiterAgreesWithItsTwin plays askers, answers, drops and steps of the
// clock, backwards ones and long gaps among them, and permits that were given
// back before. After each step it also holds the laws: the limit is between its
// bounds, and nobody passes beyond it, unless by a share.
func FuzzLimiterAgreesWithItsTwin(f *testing.F) {
	f.Add([]byte{4, 0, 0, 0, 10, 1, 0, 10, 1, 0, 10, 1, 0, 10, 1})
	for seed := range byte(200) {
		tape := make([]byte, 500)
		rand.NewChaCha8([32]byte{seed}).Read(tape)
		tape[0] = tape[0]&0xf8 | seed%5
		f.Add(tape)
	}
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 4 || len(tape) > 2000 {
			return
		}
		c := tapeConfig(tape[0], tape[1], tape[2])
		if tape[0]&8 == 8 && c.MaxLimit > 3 {
			c.Partitions = []Partition{{"a", patterns.PercentOf(30)}, {"b", patterns.PercentOf(12.5)}}
		}
		l, w := New(compile(t, c)), twin{c: c, limit: float64(c.InitialLimit)}
		if c.Algorithm == Envoy {
			w.begin(0)
		}
		p := player{t: t, l: &l, w: &w, shared: len(c.Partitions) > 0}
		for i, op := range tape[3:] {
			p.play(op)
			p.compare(i)
		}
	})
}

// player drives both through one tape.
type player struct {
	t       *testing.T
	l       *Limiter
	w       *twin
	shared  bool
	permits []Permit
	now     patterns.Instant // as handed in
	seen    patterns.Instant // as the twin is told
	step    uint64
}

func (p *player) play(op byte) {
	p.step++
	arg := int(op >> 2)
	p.seen = max(p.seen, p.now)
	switch op & 3 {
	case 0:
		part := arg%4 - 1
		permit, v := p.l.AcquireIn(p.now, part)
		if want := p.w.acquire(p.seen, part); v.OK != want {
			p.t.Fatalf("step %d: admitted %v, want %v", p.step, v.OK, want)
		}
		if v.OK {
			p.permits = append(p.permits, permit)
		}
		if v.OK && !p.shared && v.InFlight >= v.Limit {
			p.t.Fatalf("step %d: admitted as the one after %d of %d", p.step, v.InFlight, v.Limit)
		}
	case 1, 2:
		i := len(p.permits) - 1 - arg/8
		if i < 0 {
			return
		}
		signal := []Signal{Answered, Answered, Answered, Answered, Answered, Dropped, Dropped, NoSample}[arg%8]
		draw := float64(p.step%7) / 7
		ok := p.l.Report(p.now, p.permits[i], signal, draw)
		if want := p.w.report(p.seen, i, signal, draw); ok != want {
			p.t.Fatalf("step %d: permit %d accepted %v, want %v", p.step, i, ok, want)
		}
	case 3:
		switch {
		case arg == 0:
			p.now = max(0, p.now.Add(-30*time.Millisecond))
		case arg == 1:
			p.now = p.now.Add(2 * time.Second)
		default:
			p.now = p.now.Add(time.Duration(arg*arg) * 7 * time.Microsecond)
		}
	}
}

func (p *player) compare(i int) {
	p.t.Helper()
	p.seen = max(p.seen, p.now)
	p.w.pass(p.seen)
	s := p.l.Snapshot(p.now)
	if s.Limit < p.w.c.MinLimit || s.Limit > p.w.c.MaxLimit || s.Limit != p.l.Limit() {
		p.t.Fatalf("op %d: limit %d is not from %d to %d", i, s.Limit, p.w.c.MinLimit, p.w.c.MaxLimit)
	}
	if math.Abs(s.Estimate-p.w.limit) > 1e-9*p.w.limit {
		p.t.Fatalf("op %d: %s: limit %v, want %v", i, p.w.c.Algorithm, s.Estimate, p.w.limit)
	}
	if all, _ := p.w.inside(); s.InFlight != all || p.l.InFlight() != all {
		p.t.Fatalf("op %d: %d in flight, want %d", i, s.InFlight, all)
	}
	if want := len(p.w.chances) + p.w.envoy.asks; int(p.l.Draws()) != want {
		p.t.Fatalf("op %d: %d draws used, want %d", i, p.l.Draws(), want)
	}
	if want := len(p.w.probed) + p.w.envoy.measurements; int(s.Probes) != want {
		p.t.Fatalf("op %d: %d probes, want %d", i, s.Probes, want)
	}
	if p.w.c.Algorithm == Envoy && (s.Measuring != p.w.envoy.measuring || s.Base != time.Duration(p.w.envoy.least)) {
		p.t.Fatalf("op %d: measuring %v with base %s, want %v", i, s.Measuring, s.Base, p.w.envoy)
	}
}
