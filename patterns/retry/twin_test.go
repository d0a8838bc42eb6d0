package retry

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// twin decides one call's retries by the words of its settings and remembers every
// result it has heard.
type twin struct {
	c     Config
	call  bool // this call is not idempotent
	heard []patterns.Result
	waits []time.Duration // since the schedule began
	sum   time.Duration   // polly's memory
}

func (w *twin) next(t *testing.T, r patterns.Result, draw float64) (time.Duration, bool) {
	w.heard = append(w.heard, r)
	if len(w.heard) >= w.c.MaxAttempts || r.RetryAfter < 0 || !w.mayRetry(r) {
		return 0, false
	}
	c := w.c
	if r.Reason == patterns.Rejected && c.RejectedWaitDuration > 0 {
		c.WaitDuration = c.RejectedWaitDuration
	}
	b, err := NewBackoff(c)
	if err != nil {
		t.Fatal(err)
	}
	prev := time.Duration(0)
	if n := len(w.waits); n > 0 {
		prev = w.waits[n-1]
	}
	if c.Jitter == Polly {
		prev = w.sum
	}
	wait, memory := b.Step(len(w.waits)+1, prev, draw)
	w.waits, w.sum = append(w.waits, wait), memory
	if r.RetryAfter == 0 {
		return wait, true
	}
	w.waits, w.sum = nil, 0
	hint, ceiling := r.RetryAfter, c.ExponentialMaxWaitDuration.Std()
	if r.Reason.Refusal() {
		return max(wait, hint), true
	}
	if ceiling > 0 && hint > ceiling {
		switch {
		case c.ServerHints == Stop:
			return 0, false
		case c.ServerHints == Clamp || (c.ServerHints == "" && c.Jitter != A6):
			hint = ceiling
		}
	}
	if c.Jitter == A6 {
		return hint, true
	}
	return max(wait, hint), true
}

func (w *twin) mayRetry(r patterns.Result) bool {
	word := r.Reason.String()
	switch {
	case word == "breaker_open" || word == "cancelled" || word == "deadline":
		return false
	case slices.Contains([]string{"bulkhead_full", "bulkhead_timeout", "throttled", "shed", "rate_limited", "limit_reached"}, word):
		return slices.Contains(w.c.RetryRefusals, word)
	case r.Outcome != patterns.Failure:
		return false
	case (r.Ambiguous || word == "timeout") && (w.call || w.c.NonIdempotent) && !w.c.RetryAmbiguous:
		return false
	case word == "none":
		word = "failed"
	}
	if word == "failed" && r.Ambiguous {
		word = "connection_lost"
	}
	return len(w.c.RetryOn) == 0 || slices.Contains(w.c.RetryOn, word)
}

// some picks words of a list by the bits of a byte.
func some(bits byte, words ...string) []string {
	var picked []string
	for i, w := range words {
		if bits>>i&1 == 1 {
			picked = append(picked, w)
		}
	}
	return picked
}

// FuzzPolicyAgreesWithItsTwin plays calls that end in every way on policies of every
// setting. The first bytes of a tape are the settings, then three for each attempt.
func FuzzPolicyAgreesWithItsTwin(f *testing.F) {
	for seed := range byte(120) {
		tape := make([]byte, 120)
		rand.NewChaCha8([32]byte{seed, 3}).Read(tape)
		f.Add(tape)
	}
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 8 {
			return
		}
		jitters := []Jitter{"", None, Full, Equal, Factor, Decorrelated, A6, Resilience4j, Polly, AWSLegacy}
		c := Config{
			MaxAttempts: 1 + int(tape[0]%20), Jitter: jitters[int(tape[1])%len(jitters)], RandomizedWaitFactor: 0.25,
			WaitDuration: patterns.Duration(time.Second), EnableExponentialBackoff: true, ExponentialBackoffMultiplier: 2,
			RejectedWaitDuration:       patterns.Duration(tape[2]%3) * patterns.Duration(700*time.Millisecond),
			ExponentialMaxWaitDuration: patterns.Duration(tape[3]%3) * patterns.Duration(5*time.Second),
			ServerHints:                []Hints{"", Clamp, Stop, Obey}[tape[4]%4],
			RetryOn:                    some(tape[5]&tape[0], "failed", "timeout", "rejected", "unreachable", "connection_lost", "panicked"),
			RetryRefusals:              some(tape[6], "bulkhead_full", "bulkhead_timeout", "throttled", "shed", "rate_limited", "limit_reached"),
			NonIdempotent:              tape[7]&1 == 1, RetryAmbiguous: tape[7]&2 == 2,
		}
		p, err := Compile(c)
		if err != nil {
			t.Fatal(err)
		}
		naive, state := twin{c: c, call: tape[7]&4 == 4}, State{NonIdempotent: tape[7]&4 == 4}
		for in := tape[8:]; len(in) >= 3; in = in[3:] {
			r := patterns.Result{
				Outcome: []patterns.Outcome{patterns.Failure, patterns.Failure, patterns.Failure, patterns.Success, patterns.Ignored, patterns.NotMade}[in[0]%6], Reason: patterns.Reason(int(in[1]) % patterns.Reasons),
				Ambiguous: in[0] > 127, RetryAfter: []time.Duration{0, 0, 0, 800 * time.Millisecond, 7 * time.Second, time.Hour, -1}[in[2]%7],
			}
			draw := float64(in[2]) / 256
			want, again := naive.next(t, r, draw)
			if got, ok := p.Next(&state, r, draw); got != want || ok != again {
				t.Fatalf("%+v: attempt %d, %+v: %s, %v, want %s, %v", c, state.Tries, r, got, ok, want, again)
			}
		}
	})
}
