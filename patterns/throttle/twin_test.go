package throttle

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// counted is one request: the number of the bucket it counts in, and what it was.
type counted struct {
	bucket   int64
	accepted bool
}

// twin keeps every request for ever and counts them all when asked.
type twin struct {
	c       Config
	bucket  int64 // ns
	seen    int64
	history []counted
}

func (w *twin) now(now patterns.Instant) int64 {
	w.seen = max(w.seen, int64(now)/w.bucket)
	return w.seen
}

func (w *twin) probability(now patterns.Instant) float64 {
	running := w.now(now)
	n, ok := 0.0, 0.0
	for _, r := range w.history {
		if r.bucket > running-int64(w.c.Buckets) {
			n++
			if r.accepted {
				ok++
			}
		}
	}
	k := w.c.K
	if k == 0 {
		k = 100 / w.c.SuccessRateThreshold.Float()
	}
	rate := n / w.c.SamplingWindow.Std().Seconds()
	if n < float64(w.c.MinimumNumberOfCalls) || rate < w.c.RPSThreshold {
		return 0
	}
	p := math.Pow(max(0, (n-k*ok)/(n+1)), 1/w.c.Aggression)
	return min(p, w.c.MaxRejectionProbability.Float()/100)
}

func (w *twin) add(now patterns.Instant, accepted bool) {
	w.history = append(w.history, counted{w.now(now), accepted})
}

// configOf makes settings of three bytes, each rule and both ways to give K among
// them.
func configOf(a, b, c byte) Config {
	all := []Config{Defaults(), Envoy(), Failsafe(), Kratos()}
	cfg := all[a&3]
	cfg.MinimumNumberOfCalls = int(b & 15)
	cfg.RPSThreshold = float64(b>>4) / 4
	cfg.Aggression = 1 + float64(c&3)/2
	cfg.SamplingWindow, cfg.Buckets = patterns.Duration(2*time.Second), 1+int(c>>2&7)*5
	if cfg.SamplingWindow.Std()%time.Duration(cfg.Buckets) != 0 {
		cfg.Buckets = 10
	}
	return cfg
}

// FuzzThrottleAgreesWithItsTwin plays calls, results of all kinds, and clocks that
// go back and jump. A draw within rounding of the twin's probability may go
// either way; no other may.
func FuzzThrottleAgreesWithItsTwin(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1})
	for seed := range byte(60) {
		tape := make([]byte, 400)
		rand.NewChaCha8([32]byte{seed}).Read(tape)
		f.Add(tape)
	}
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 3 {
			return
		}
		c := configOf(tape[0], tape[1], tape[2])
		th, w := New(compile(t, c)), twin{c: c, bucket: int64(c.SamplingWindow) / int64(c.Buckets)}
		var now patterns.Instant
		flying, admitted, rejected := int64(0), int64(0), int64(0)
		for i, op := range tape[3:min(len(tape), 1500)] {
			switch op & 3 {
			case 0, 1:
				draw, p := float64(op>>2)/64, w.probability(now)
				ok := th.Acquire(now, draw).OK
				if want := draw >= p; ok != want && math.Abs(draw-p) > 1e-12 {
					t.Fatalf("op %d of %v: admitted %v at draw %v, probability %v", i, tape, ok, draw, p)
				}
				if ok {
					flying++
					admitted++
				} else if rejected++; c.Counting == All {
					w.add(now, false)
				}
			case 2:
				o := patterns.Outcome(1 + op>>2&3)
				if o == patterns.Success && i%3 != 0 {
					o = patterns.Failure
				}
				if got := th.Report(now, o); got != (flying > 0) {
					t.Fatalf("op %d of %v: heard %v with %d under way", i, tape, got, flying)
				} else if got {
					flying--
					if o == patterns.Success || o == patterns.Failure {
						w.add(now, o == patterns.Success)
					}
				}
			case 3: // -100 ms to 1.2 s
				now = max(0, now.Add(time.Duration(op>>2)*20*time.Millisecond-100*time.Millisecond))
			}
			s := th.Snapshot(now)
			if math.Abs(s.Probability-w.probability(now)) > 1e-12 {
				t.Fatalf("after op %d of %v: probability %v, want %v", i, tape, s.Probability, w.probability(now))
			}
			if s.InFlight != flying || s.Admitted != admitted || s.Rejected != rejected {
				t.Fatalf("after op %d of %v: %+v, want %d under way, %d, %d", i, tape, s, flying, admitted, rejected)
			}
		}
	})
}
