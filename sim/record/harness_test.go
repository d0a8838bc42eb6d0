package record

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/models"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

// counted is the independent count of what is live, as a test says it.
type counted struct{ requests, calls int }

func (c counted) InFlight(int) int      { return c.requests }
func (c counted) CallsInFlight(int) int { return c.calls }

// one fleet "web" with as many breakers, one service "db".
func recorder(duration, interval time.Duration, breakers int) *Recorder {
	return New(Config{
		Fleets:   []Fleet{{Name: "web", Breakers: breakers}},
		Services: []string{"db"},
		Duration: duration, Interval: interval,
	})
}

// answer sends a request at an instant and answers it later.
func answer(r *Recorder, at, took time.Duration) {
	r.RequestSent(at, 0)
	r.RequestEnded(at+took, 0, models.Answered, models.WhyNone, took)
}

func closed(t *testing.T, r *Recorder, end time.Duration, live InFlight) {
	t.Helper()
	if err := r.Close(end, live); err != nil {
		t.Fatal(err)
	}
}

// same compares a curve with the wanted one, absent with absent, to 1e-9.
func same(t *testing.T, r *Recorder, scope, metric string, want ...float64) {
	t.Helper()
	series := r.Series()
	got := series.Column(scope, metric)
	if len(got) != len(want) {
		t.Fatalf("%s.%s: %v, want %v", scope, metric, got, want)
	}
	for i := range want {
		if math.IsNaN(got[i]) != math.IsNaN(want[i]) || math.Abs(got[i]-want[i]) > 1e-9 {
			t.Fatalf("%s.%s: %v, want %v", scope, metric, got, want)
		}
	}
}
