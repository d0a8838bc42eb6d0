package metrics_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/metrics"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// TestBaseOfALimitIsShownOnceItIsKnown: not before the first round trip, and then in seconds.
func TestBaseOfALimitIsShownOnceItIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := adaptive.Defaults(adaptive.Vegas)
		p, err := pipeline.New([]pipeline.Policy{{Name: "limit", AdaptiveLimit: &c}})
		if err != nil {
			t.Fatal(err)
		}
		m := &metrics.Meter{}
		if err := m.Watch("prices", p); err != nil {
			t.Fatal(err)
		}
		base := func() float64 {
			for key, v := range values(m) {
				if key == "resilience.adaptive.base_rtt prices limit" {
					return v
				}
			}
			return -1
		}
		before := base()
		_, err = pipeline.Do(t.Context(), p, func(context.Context) (int, error) { time.Sleep(20 * time.Millisecond); return 1, nil })
		if after := base(); err != nil || before != -1 || after != 0.02 {
			t.Errorf("%v, then %v, %v", before, after, err)
		}
	})
}

// TestKindsHaveWords, as exporters write them.
func TestKindsHaveWords(t *testing.T) {
	if got := metrics.Gauge.String() + " " + metrics.Counter.String(); got != "gauge counter" {
		t.Error(got)
	}
}
