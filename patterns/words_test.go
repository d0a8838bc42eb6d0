package patterns_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// TestEveryReasonHasAWordOfItsOwn: in snake_case, and what comes after the last one has none.
func TestEveryReasonHasAWordOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for r := range patterns.Reasons {
		word := patterns.Reason(r).String()
		if seen[word] || word == "unknown" || strings.ToLower(word) != word || strings.Contains(word, " ") {
			t.Errorf("reason %d: %q", r, word)
		}
		seen[word] = true
	}
	if got := patterns.Reason(patterns.Reasons).String(); got != "unknown" {
		t.Errorf("beyond the last: %q", got)
	}
	if got := patterns.Outcome(0).String() + patterns.Outcome(99).String(); got != "unsetunknown" {
		t.Errorf("outcomes: %q", got)
	}
}

// TestRefusalsAreOfThisSide: seven reasons say that the dependency was never asked.
func TestRefusalsAreOfThisSide(t *testing.T) {
	var all []string
	for r := range patterns.Reasons {
		if patterns.Reason(r).Refusal() {
			all = append(all, patterns.Reason(r).String())
		}
	}
	const want = "breaker_open bulkhead_full bulkhead_timeout throttled shed rate_limited limit_reached"
	if got := strings.Join(all, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestInstantsEndAtNever: no sum goes beyond it or round to the other side, and nothing
// leads back from it.
func TestInstantsEndAtNever(t *testing.T) {
	for _, row := range []struct {
		t    patterns.Instant
		d    time.Duration
		want patterns.Instant
	}{
		{5, 7, 12}, {5, -7, -2}, {0, math.MaxInt64, patterns.Never}, {1, math.MaxInt64, patterns.Never},
		{patterns.Never - 1, 1, patterns.Never}, {patterns.Never - 1, 2, patterns.Never}, {patterns.Never, -1, patterns.Never},
		{patterns.Never, math.MinInt64, patterns.Never},
	} {
		if got := row.t.Add(row.d); got != row.want {
			t.Errorf("%d + %d: %d, want %d", row.t, row.d, got, row.want)
		}
	}
}

// TestAllFaultsAreTold, each with its key; none is no error.
func TestAllFaultsAreTold(t *testing.T) {
	var fs patterns.Faults
	if fs.Err() != nil {
		t.Error("none is one")
	}
	fs.Add("k", "%d is not from 1 to 3", 7)
	fs.Add("window", "absent")
	err := fs.Err()
	var one patterns.Fault
	if err == nil || err.Error() != "k: 7 is not from 1 to 3\nwindow: absent" || !errors.As(err, &one) || one.Key != "k" {
		t.Errorf("%v", err)
	}
}

// TestPercentagesAreComparedInIntegers: a third of three is reached at exactly one, and
// nothing is reached of nothing.
func TestPercentagesAreComparedInIntegers(t *testing.T) {
	for _, row := range []struct {
		percent     float64
		part, total int64
		want        bool
	}{
		{50, 1, 2, true}, {50, 49, 99, false}, {50, 50, 99, true}, {33.333, 1, 3, true}, {33.334, 1, 3, false},
		{100, 9, 10, false}, {100, 10, 10, true}, {0, 0, 1, true}, {0, 0, 0, false}, {50, 1 << 40, 1 << 41, true},
	} {
		if got := patterns.PercentOf(row.percent).Reached(row.part, row.total); got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
}
