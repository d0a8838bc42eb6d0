package breaker

import (
	"math"
	"testing"

	"github.com/resilsim/resilsim/patterns"
)

// TestWordsOfStatesAndReasons: what is none has the word for that.
func TestWordsOfStatesAndReasons(t *testing.T) {
	if got := Closed.String() + State(99).String() + TrialsExpired.String() + Why(200).String(); got != "closedunknowntrials_expiredunknown" {
		t.Error(got)
	}
}

// TestGenerationsGoRound: after four billion changes of state the number of the stay begins
// again at 1, because 0 is no permit's. A permit of the last stay before is an earlier one.
func TestGenerationsGoRound(t *testing.T) {
	b := New(compile(t, func(*Config) {}))
	b.generation = math.MaxUint32
	before := admitted(&b, 0, 1)[0]
	b.Force(0, Open, 0, nil)
	if got := b.Snapshot(0).Generation; got != 1 || before.Generation != math.MaxUint32 {
		t.Fatalf("generation %d after %d", got, before.Generation)
	}
	if !b.Report(0, before, patterns.Failure, 0, nil) || b.Snapshot(0).Late != 1 {
		t.Errorf("a permit of the stay before was not late: %+v", b.Snapshot(0))
	}
	if b.Report(0, Permit{Generation: 2}, patterns.Failure, 0, nil) || b.Report(0, Permit{}, patterns.Failure, 0, nil) {
		t.Error("a permit that was never given was accepted")
	}
}
