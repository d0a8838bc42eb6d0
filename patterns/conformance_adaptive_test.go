package patterns_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
)

// limitConfig is the union of the settings of cases about adaptive limits.
type limitConfig struct {
	Kind, Decrease    string
	Initial, Min, Max int
	Backoff           float64
	Smoothing         float64
	Timeout           float64
	Alpha, Beta       int
	Window, Warmup    int // of the average
	Total             int
	Parts             struct{ Batch, Live float64 }
}

// limitStep is one step of such a case.
type limitStep struct {
	Op       string
	RTT      float64
	InFlight int
	Limit    *int
	Exact    *float64
	X, Value float64
	Part     string
	N        int
	Granted  int
}

// limitSteps reads a case's steps anew: they assert things that no other kind of
// case does.
func limitSteps(t *testing.T, c peerCase) []limitStep {
	t.Helper()
	text, err := os.ReadFile("testdata/peer-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			ID    string
			Steps json.RawMessage
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, other := range file.Cases {
		if other.ID == c.ID {
			return decode[[]limitStep](t, other.Steps)
		}
	}
	t.Fatalf("%s is not in the file", c.ID)
	return nil
}

// limiterOf starts from the defaults of the algorithm and sets what the case says.
func limiterOf(t *testing.T, p limitConfig) adaptive.Limiter {
	t.Helper()
	c := adaptive.Defaults(adaptive.Algorithm(p.Kind))
	c.InitialLimit, c.MaxLimit = p.Initial, p.Max
	c.MinLimit = max(p.Min, 1)
	c.Alpha, c.Beta = p.Alpha, p.Beta
	if p.Decrease != "" {
		c.Decrease = adaptive.Decrease(p.Decrease)
	}
	if p.Smoothing > 0 {
		c.Smoothing = p.Smoothing
	}
	if p.Backoff > 0 {
		c.BackoffRatio, c.Timeout = p.Backoff, millis(p.Timeout)
	}
	s, err := adaptive.Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return adaptive.New(s)
}

// runLimitCase makes a call that begins with so many inside, itself counted, and
// takes so long; the others end without a sample. Where a case has more inside
// than the limit allows, because its suite feeds the bare algorithm, the limit is
// full: no rule tells the two apart.
func runLimitCase(t *testing.T, c peerCase) {
	l := limiterOf(t, decode[limitConfig](t, c.Config))
	var now patterns.Instant
	for i, step := range limitSteps(t, c) {
		var permits []adaptive.Permit
		for range min(step.InFlight, l.Limit()) {
			p, _ := l.Acquire(now)
			permits = append(permits, p)
		}
		now = now.Add(millis(step.RTT).Std())
		for k := len(permits) - 1; k >= 0; k-- {
			signal := adaptive.NoSample
			if k == len(permits)-1 {
				signal = adaptive.Answered
			}
			if !l.Report(now, permits[k], signal, 0.999) {
				t.Fatalf("step %d: permit %d was not accepted", i, k)
			}
		}
		same(t, i, "limit", l.Limit(), step.Limit)
		near(t, i, "estimate", l.Snapshot(now).Estimate, step.Exact)
	}
}

// runAverageCase reads the long average of gradient2, which is its base.
func runAverageCase(t *testing.T, c peerCase) {
	p := decode[limitConfig](t, c.Config)
	cfg := adaptive.Defaults(adaptive.Gradient2)
	cfg.LongWindow, cfg.WarmupWindow = p.Window, p.Warmup
	s, err := adaptive.Compile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l := adaptive.New(s)
	var now patterns.Instant
	for i, step := range limitSteps(t, c) {
		permit, _ := l.Acquire(now)
		now = now.Add(millis(step.X).Std())
		l.Report(now, permit, adaptive.Answered, 0)
		got := float64(l.Snapshot(now).Base) / float64(time.Millisecond)
		near(t, i, "average", got, &step.Value)
	}
}

func runPartitionCase(t *testing.T, c peerCase) {
	p := decode[limitConfig](t, c.Config)
	cfg := adaptive.Defaults(adaptive.AIMD)
	cfg.InitialLimit, cfg.MinLimit, cfg.MaxLimit = p.Total, p.Total, p.Total
	cfg.Partitions = []adaptive.Partition{
		{Name: "batch", Share: patterns.PercentOf(100 * p.Parts.Batch)},
		{Name: "live", Share: patterns.PercentOf(100 * p.Parts.Live)},
	}
	s, err := adaptive.Compile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l := adaptive.New(s)
	for i, step := range limitSteps(t, c) {
		granted := 0
		for range step.N {
			if _, v := l.AcquireIn(0, s.Partition(step.Part)); v.OK {
				granted++
			}
		}
		same(t, i, "granted", granted, &step.Granted)
	}
}
