package world_test

import (
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/timeout"
	"github.com/resilsim/resilsim/sim/scenario"
)

// lucky is a fleet whose retries wait at random, before a service that fails at
// random.
func lucky() *scenario.Scenario {
	sc := simple(200, 100, exponential(20*time.Millisecond), scenario.Policy{Retry: &retry.Config{MaxAttempts: 3, WaitDuration: d(50 * time.Millisecond), Jitter: "full"}})
	sc.Services[0].ErrorShare = 0.3
	sc.Callers[0].Arrivals.Law = scenario.Poisson
	return sc
}

// fate is what became of the requests of a fleet, by its place in the list.
func fate(t *testing.T, sc *scenario.Scenario, fleet int) []uint64 {
	t.Helper()
	_, l := run(t, sc, 20*time.Second)
	return append([]uint64{l.sent[fleet], l.attempts[fleet]}, l.ended[fleet][:]...)
}

// A fleet keeps every draw when another fleet with a service of its own is put before
// it in the lists: draws are keyed by names. It keeps them too when a timeout that
// never acts is put before its retry, since stages are numbered among their kind.
func TestNothingShiftsAnothersLuck(t *testing.T) {
	alone := fate(t, lucky(), 0)

	sc := lucky()
	other := simple(100, 10, exponential(10*time.Millisecond))
	other.Callers[0].Name, other.Services[0].Name = "other", "others"
	other.Callers[0].Do[0].Call = 1
	other.Callers[0].Do[0].Through = -1
	sc.Callers = append(other.Callers, sc.Callers...)
	sc.Services = append(sc.Services, other.Services...)
	if got := fate(t, sc, 1); !slices.Equal(got, alone) {
		t.Errorf("behind another fleet: %v, alone %v", got, alone)
	}

	sc = lucky()
	p := &sc.Pipelines[0]
	p.Policies = append([]scenario.Policy{{Timeout: &timeout.Config{TimeoutDuration: d(time.Hour)}}}, p.Policies...)
	if got := fate(t, sc, 0); !slices.Equal(got, alone) {
		t.Errorf("inside a timeout that never acts: %v, without %v", got, alone)
	}
}
