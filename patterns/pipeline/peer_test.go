package pipeline

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/retry"
)

type peerCase struct {
	ID, Pattern, Title string
	Config             struct {
		MaxAttempts int `json:"max_attempts"`
		Backoff     struct {
			Kind         string
			Base, Factor float64
			Max          int64
		}
	}
	Steps []struct {
		Outcomes  []json.RawMessage
		Takes     int64
		CancelAt  *int64 `json:"cancel_at"`
		Deadline  *int64
		Attempts  *int
		Waits     *[]int64
		EndsAt    *int64 `json:"ends_at"`
		Result    string
		EndsAsked bool
	}
}

func (c peerCase) policy() Policy {
	r := retry.Config{
		MaxAttempts: c.Config.MaxAttempts, WaitDuration: msd(int64(c.Config.Backoff.Base)),
		ExponentialMaxWaitDuration: msd(c.Config.Backoff.Max),
	}
	if c.Config.Backoff.Kind == "exponential" {
		r.EnableExponentialBackoff, r.ExponentialBackoffMultiplier = true, c.Config.Backoff.Factor
	}
	return Policy{Retry: &r}
}

// outcome reads "ok", "fail" or {fail, after}.
func outcome(t *testing.T, raw json.RawMessage) patterns.Result {
	switch string(raw) {
	case `"ok"`:
		return success
	case `"fail"`:
		return failure
	}
	var hint struct {
		Fail  bool
		After int64
	}
	if err := json.Unmarshal(raw, &hint); err != nil || !hint.Fail {
		t.Fatalf("unknown outcome %s", raw)
	}
	r := failure
	r.RetryAfter = msd(hint.After).Std()
	return r
}

// TestRetryBehavesAsPeersAssert runs every retry case of the peers through the
// whole call machine: attempts, waits, end and result as their suites assert.
func TestRetryBehavesAsPeersAssert(t *testing.T) {
	raw, err := os.ReadFile("../testdata/peer-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []json.RawMessage }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, text := range file.Cases {
		var kind struct{ Pattern string }
		if err := json.Unmarshal(text, &kind); err != nil || kind.Pattern != "retry" {
			continue
		}
		var c peerCase
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatal(err)
		}
		ran++
		t.Run(c.ID, func(t *testing.T) { runPeerCase(t, c) })
	}
	if ran < 6 {
		t.Errorf("%d retry cases ran, the file has at least 6", ran)
	}
}

func runPeerCase(t *testing.T, c peerCase) {
	s := c.Steps[0]
	b := newBench(t, []Policy{c.policy()}, func(k uint32) (patterns.Instant, patterns.Result) {
		return ms(s.Takes), outcome(t, s.Outcomes[k-1])
	})
	deadline := never
	if s.CancelAt != nil {
		b.cancelAt = ms(*s.CancelAt)
	}
	if s.Deadline != nil {
		deadline = ms(*s.Deadline)
	}
	r := b.run(deadline)
	word := map[patterns.Outcome]string{patterns.Success: "ok", patterns.Failure: "fail", patterns.Ignored: "cancelled"}[r.Outcome]
	if word != s.Result {
		t.Errorf("%s: ended %s, want %s", c.Title, word, s.Result)
	}
	if s.Attempts != nil && len(b.starts) != *s.Attempts {
		t.Errorf("%d attempts, want %d", len(b.starts), *s.Attempts)
	}
	if s.EndsAt != nil && b.e.Now != ms(*s.EndsAt) {
		t.Errorf("ended at %d ms, want %d", b.e.Now/ms(1), *s.EndsAt)
	}
	if s.Waits == nil {
		return
	}
	waits := []int64{}
	for i := 1; i < len(b.starts); i++ {
		waits = append(waits, int64((b.starts[i]-b.starts[i-1])/ms(1))-s.Takes)
	}
	if !slices.Equal(waits, *s.Waits) {
		t.Errorf("waits %v, want %v", waits, *s.Waits)
	}
}
