package patterns_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
)

// The cases in testdata/peer-cases.json restate what the test suites and
// specifications of other libraries assert. Times are milliseconds unless a case
// says otherwise; an absent key is not asserted.

type peerCase struct {
	ID, Pattern, Source, Title string
	Config                     json.RawMessage // see settings
	Steps                      []peerStep
}

// peerConfig is the union of the settings of the kinds that are run.
type peerConfig struct {
	Window, Kind, Mode, Order, Jitter string
	Size, Bucket                      int64
	MinimumCalls                      *int     `json:"minimum_calls"`
	FailureRate                       *float64 `json:"failure_rate"`
	SlowCall                          *int64   `json:"slow_call"`
	SlowRate                          *float64 `json:"slow_rate"`
	WaitOpen                          int64    `json:"wait_open"`
	WaitMultiplier                    float64  `json:"wait_multiplier"`
	MaxWaitHalfOpen                   *int64   `json:"max_wait_half_open"`
	HalfOpen                          string   `json:"half_open"`
	SuccessNeeded                     int      `json:"success_needed"`
	Permitted, Failures, Queue        int
	Base, Factor                      float64
	JitterFactor                      float64 `json:"jitter_factor"`
	Max                               float64
	MaxWait                           int64           `json:"max_wait"`
	MaxAttempts                       int             `json:"max_attempts"`
	Backoff                           json.RawMessage // of a retry: its settings
	TTL                               int64
	MinPerSec                         float64 `json:"min_per_sec"`
	Ratio                             float64
}

// peerStep is the union of operations and of what is asserted after them.
type peerStep struct {
	T                  int64
	Op, ID, Result, To string
	Took               int64
	N                  *int64
	Permit             *bool
	State              *string
	FailureRate        *float64 `json:"failure_rate"`
	SlowRate           *float64 `json:"slow_rate"`
	Buffered, Failed   *int64
	Succeeded, Slow    *int64
	SlowFailed         *int64 `json:"slow_failed"`
	NotPermitted       *int64 `json:"not_permitted"`
	Transitions        *int
	OK, Fail           int
	Attempt            int
	Rnd                []float64
	MS                 json.RawMessage
	Granted            json.RawMessage
	Outcome            *string
	InUse              *int `json:"in_use"`
	Outcomes           []json.RawMessage
	Takes              int64
	Attempts           *int
	Waits              *[]int64
	EndsAt             *int64 `json:"ends_at"`
	After, Kind        string // of a retry budget
	Tokens             *float64
}

// runners by the kind of a case; see kind.
var runners = map[string]func(*testing.T, peerCase){
	"breaker":            runBreakerCase,
	"window":             runWindowCase,
	"backoff":            runBackoffCase,
	"retry":              runRetryCase,
	"budget/window":      runBudgetCase,
	"budget/concurrency": runStakesCase(budget.Concurrency),
	"quota":              runStakesCase(budget.Quota),
	"bulkhead":           runBulkheadCase,
	"limiter":            runLimiterCase,
	"limit":              runLimitCase,
	"ewma":               runAverageCase,
	"partition":          runPartitionCase,
	"codel":              runCodelCase,
	"probability":        runProbabilityCase,
}

// notRun lists every kind of case whose pattern does not exist yet, and the cases
// of existing kinds that need a whole call. The list may only shrink.
var notRun = []string{
	"R-12", // cancelled while waiting: the call's business, run by package pipeline
	"R-13", // the deadline comes first: likewise
}

func kind(t *testing.T, c peerCase) string {
	t.Helper()
	if c.Pattern == "budget" {
		return c.Pattern + "/" + settings(t, c).Kind
	}
	return c.Pattern
}

func settings(t *testing.T, c peerCase) peerConfig {
	t.Helper()
	return decode[peerConfig](t, c.Config)
}

// TestPeersAgree runs each case on the core that it is about.
func TestPeersAgree(t *testing.T) {
	for _, c := range readPeerCases(t) {
		if slices.Contains(notRun, c.ID) {
			continue
		}
		if run := runners[kind(t, c)]; run != nil {
			t.Run(c.ID, func(t *testing.T) {
				t.Logf("%s (%s)", c.Title, c.Source)
				run(t, c)
			})
		}
	}
}

// TestEveryPeerCaseIsRunOrListed compares the cases with the runners and the list
// of what is not run: no case is dropped in silence, and no name stays on the
// list when it is run or is no more.
func TestEveryPeerCaseIsRunOrListed(t *testing.T) {
	used := map[string]bool{}
	cases := readPeerCases(t)
	if len(cases) != 67 {
		t.Errorf("%d cases, want 67: the file is a restatement and grows by hand", len(cases))
	}
	for _, c := range cases {
		byID, byKind := slices.Contains(notRun, c.ID), slices.Contains(notRun, kind(t, c))
		used[c.ID], used[kind(t, c)] = true, true
		if run := runners[kind(t, c)] != nil; run == byKind {
			t.Errorf("%s: kind %s is run: %v, listed as not run: %v", c.ID, kind(t, c), run, byKind)
		}
		if byID && byKind {
			t.Errorf("%s is listed twice", c.ID)
		}
		if c.Source == "" || c.Title == "" || len(c.Steps) == 0 {
			t.Errorf("%s: no source, title or steps", c.ID)
		}
	}
	for _, name := range notRun {
		if !used[name] {
			t.Errorf("notRun lists %s, which is no case and no kind", name)
		}
	}
}

func readPeerCases(t *testing.T) []peerCase {
	t.Helper()
	text, err := os.ReadFile("testdata/peer-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []peerCase }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file.Cases
}

// at turns milliseconds from a case's start into an instant. Cases start at the
// driver's origin.
func at(ms int64) patterns.Instant { return patterns.Instant(ms * int64(time.Millisecond)) }

func millis(ms float64) patterns.Duration { return patterns.Duration(ms * float64(time.Millisecond)) }

// same compares a value with what a step asserts, if it asserts it.
func same[T comparable](t *testing.T, step int, what string, got T, want *T) {
	t.Helper()
	if want != nil && got != *want {
		t.Errorf("step %d: %s = %v, want %v", step, what, got, *want)
	}
}

// near compares a rate within the 0.01 percent that the cases allow.
func near(t *testing.T, step int, what string, got float64, want *float64) {
	t.Helper()
	if want != nil && (got-*want > 0.01 || *want-got > 0.01) {
		t.Errorf("step %d: %s = %v, want %v", step, what, got, *want)
	}
}

func decode[T any](t *testing.T, text json.RawMessage) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
