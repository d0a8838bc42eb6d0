package retry

import (
	"strings"
	"testing"
)

// TestScheduleOfItsOwnHasFaultsOfItsOwn: those of the waits are told, and one that has
// nothing to do with them is not.
func TestScheduleOfItsOwnHasFaultsOfItsOwn(t *testing.T) {
	_, err := NewBackoff(Config{WaitDuration: -1, Jitter: "some"})
	if err == nil || !strings.Contains(err.Error(), "waitDuration: -1ns") || !strings.Contains(err.Error(), "jitter: ") || strings.Contains(err.Error(), "maxAttempts") {
		t.Errorf("%v", err)
	}
	if b, err := NewBackoff(Config{}); err != nil || b.Wait(1, 0, 0) != 0 {
		t.Errorf("%v", err)
	}
}
