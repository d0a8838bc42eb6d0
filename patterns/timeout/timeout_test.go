package timeout

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// TestDeadlineCountsFromTheStart, and stops at Never instead of overflowing.
func TestDeadlineCountsFromTheStart(t *testing.T) {
	s, err := Compile(Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Deadline(5), patterns.Instant(5+time.Second); got != want {
		t.Errorf("%d, want %d", got, want)
	}
	if got := s.Deadline(patterns.Never - 5); got != patterns.Never {
		t.Errorf("%d, want never", got)
	}
	if s.Detached() {
		t.Error("detached without being told")
	}
}

// TestTimeoutMustBeAboveZero: zero is zero, not a default, and is refused.
func TestTimeoutMustBeAboveZero(t *testing.T) {
	for _, d := range []patterns.Duration{0, -1} {
		c := Config{TimeoutDuration: d}
		if fs := c.Validate(); len(fs) != 1 || fs[0].Key != "timeoutDuration" {
			t.Errorf("%s: faults %v, want one of timeoutDuration", d, fs)
		}
		if _, err := Compile(c); err == nil {
			t.Errorf("%s compiles", d)
		}
	}
	s, err := Compile(Config{TimeoutDuration: 1, Detached: true})
	if err != nil || !s.Detached() {
		t.Errorf("1ns, detached: %v, %v", s, err)
	}
}
