package scenario

import (
	"testing"
	"time"
)

// Rows of (text, meaning) over two fleets and two services: what is left out,
// units, anchors. The faults of the grammar are goldens (claims.yaml).
func TestClaimsMeanWhatTheySay(t *testing.T) {
	start, end := Anchor{Base: "start"}, Anchor{Base: "end"}
	expect := claimant{fleets: []string{"web", "batch"}, services: []string{"api", "db"}, breakers: []bool{true, true}, faults: true, run: time.Hour}
	steady, calm := expect, expect
	steady.steady, calm.steady, calm.faults = true, true, false
	for _, c := range []struct {
		who  claimant
		text string
		want Expectation
	}{
		{expect, "goodput >= 10/s", Expectation{Scope: "callers.web", Metric: "goodput", From: start, To: end, Op: ">=", Bound: 10}},
		{expect, "goodput>=600/m", Expectation{Scope: "callers.web", Metric: "goodput", From: start, To: end, Op: ">=", Bound: 10}},
		{expect, "batch.goodput_share mean > 0.99", Expectation{Scope: "callers.batch", Metric: "goodput_share", Aggregate: "mean", From: start, To: end, Op: ">", Bound: 0.99}},
		{expect, "callers.batch.latency_p99.9 p99 <= 1.5s", Expectation{Scope: "callers.batch", Metric: "latency_p99.9", Aggregate: "p99", From: start, To: end, Op: "<=", Bound: 1500}},
		{expect, "services.db.queue last == 0", Expectation{Scope: "services.db", Metric: "queue", Aggregate: "last", From: start, To: end, Op: "==", Bound: 0}},
		{expect, "db.wasted_share during [start + 1m, end-60s] < 5%", Expectation{Scope: "services.db", Metric: "wasted_share", From: Anchor{"start", time.Minute}, To: Anchor{"end", -time.Minute}, Op: "<", Bound: 0.05}},
		{expect, "api.wait_mean max during [ trigger.end+2m , recovery ] <= 250us", Expectation{Scope: "services.api", Metric: "wait_mean", Aggregate: "max", From: Anchor{"trigger.end", 2 * time.Minute}, To: Anchor{"recovery", 0}, Op: "<=", Bound: 0.25}},
		{expect, "recovery_time <= 40m", Expectation{Metric: "recovery_time", From: start, To: end, Op: "<=", Bound: 2400}},
		{expect, "crash_count == 0", Expectation{Metric: "crash_count", From: start, To: end, Op: "==", Bound: 0}},
		{expect, "verdict != metastable", Expectation{Metric: "verdict", From: start, To: end, Op: "!=", Word: "metastable"}},
		{steady, "goodput >= 10/s", Expectation{Scope: "callers.web", Metric: "goodput", From: start, To: Anchor{Base: "trigger"}, Op: ">=", Bound: 10}},
		{calm, "goodput >= 10/s", Expectation{Scope: "callers.web", Metric: "goodput", From: start, To: end, Op: ">=", Bound: 10}},
	} {
		got, bad := c.who.read(c.text)
		if bad != nil {
			t.Errorf("%s: %s", c.text, bad.message)
			continue
		}
		c.want.Text = c.text
		if got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.text, got, c.want)
		}
	}
}

// A suggestion is offered for a slip of the hand, not for another word: rows of
// (written, meant), where the meant word is one of the keys of a retry or none.
func TestSuggestionsAreForSlipsOfTheHand(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"maxAttemps", "maxAttempts"}, {"max-attempts", "maxAttempts"}, {"MAX_ATTEMPTS", "maxAttempts"}, {"maxAttmepts", "maxAttempts"},
		{"wait_duration", "waitDuration"}, {"waitDuraton", "waitDuration"}, {"jiter", "jitter"}, {"bugdet", "budget"},
		{"colour", ""}, {"x", ""}, {"", ""}, {"attempts", ""},
	} {
		if got := nearest(c.word, retryShape().keyNames()); got != c.want {
			t.Errorf("%q: %q, want %q", c.word, got, c.want)
		}
	}
}
