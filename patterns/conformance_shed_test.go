package patterns_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/codel"
	"github.com/resilsim/resilsim/patterns/throttle"
)

// shedCase is a case about shedding with the words that only those use.
type shedCase struct {
	ID     string
	Config struct {
		Target, Interval int64
		Kind             string
		K                float64
		Threshold, Max   float64
		MinCalls         int `json:"min_calls"`
		Total            int
		Parts            map[string]float64
	}
	Steps []struct {
		T, Waited         int64
		Op, Part          string
		Drop              bool
		Requests, Accepts int64
		P                 float64
		N, Granted        int
	}
}

// shedding reads a case again, with the words of its kind.
func shedding(t *testing.T, c peerCase) shedCase {
	t.Helper()
	text, err := os.ReadFile("testdata/peer-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var raw struct{ Cases []json.RawMessage }
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	for _, r := range raw.Cases {
		if decode[struct{ ID string }](t, r).ID == c.ID {
			return decode[shedCase](t, r)
		}
	}
	t.Fatalf("%s is not in the file", c.ID)
	return shedCase{}
}

func runCodelCase(t *testing.T, c peerCase) {
	s := shedding(t, c)
	compiled, err := codel.Compile(codel.Config{
		Target: millis(float64(s.Config.Target)), Interval: millis(float64(s.Config.Interval)),
	})
	if err != nil {
		t.Fatal(err)
	}
	q := codel.New(compiled)
	for i, step := range s.Steps {
		if step.Op != "dequeue" {
			t.Fatalf("step %d: unknown op %s", i, step.Op)
		}
		same(t, i, "drop", q.Dequeue(at(step.T), millis(float64(step.Waited)).Std()), &step.Drop)
	}
}

func runProbabilityCase(t *testing.T, c peerCase) {
	s := shedding(t, c)
	kinds := map[string]throttle.Config{"sre": throttle.Defaults(), "failsafe": throttle.Failsafe()}
	cfg, ok := kinds[s.Config.Kind]
	if !ok {
		t.Fatalf("unknown kind %s", s.Config.Kind)
	}
	cfg.K, cfg.SuccessRateThreshold = s.Config.K, patterns.PercentOf(100*s.Config.Threshold)
	cfg.MinimumNumberOfCalls = s.Config.MinCalls
	if s.Config.Max > 0 {
		cfg.MaxRejectionProbability = patterns.PercentOf(100 * s.Config.Max)
	}
	compiled, err := throttle.Compile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for i, step := range s.Steps {
		if got := compiled.Probability(step.Requests, step.Accepts); math.Abs(got-step.P) > 5e-7 {
			t.Errorf("step %d: p = %v, want %v", i, got, step.P)
		}
	}
}
