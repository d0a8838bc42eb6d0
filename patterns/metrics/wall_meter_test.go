package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/metrics"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/registry"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/throttle"
	"github.com/resilsim/resilsim/patterns/timeout"
)

var errDown = errors.New("down")

func seconds(n int) patterns.Duration { return patterns.Duration(time.Duration(n) * time.Second) }

// everything is a pipeline with each policy that has counters, and a meter that watches it.
func everything(t *testing.T) (*metrics.Meter, *pipeline.Pipeline) {
	t.Helper()
	m := &metrics.Meter{}
	b, purse := breaker.Defaults(), budget.Defaults()
	b.SlidingWindowSize, b.MinimumNumberOfCalls = 2, 2
	// A throttle that refused by chance would tell another story.
	th, rl, al := throttle.Defaults(), ratelimit.Defaults(), adaptive.Defaults(adaptive.AIMD)
	th.MinimumNumberOfCalls = 100
	p, err := pipeline.New([]pipeline.Policy{
		{Name: "last", Fallback: &fallback.Config{Steps: []string{"stale"}}},
		{Name: "again", Retry: &retry.Config{MaxAttempts: 2, WaitDuration: seconds(2), Budget: &purse}},
		{Name: "twice", Hedge: &hedge.Config{MaxHedges: 1, Delay: seconds(5), Budget: &purse}},
		{Name: "cut", CircuitBreaker: &b}, {Name: "few", Throttle: &th}, {Name: "rate", RateLimiter: &rl},
		{Name: "limit", AdaptiveLimit: &al}, {Name: "slots", Bulkhead: &bulkhead.Config{MaxConcurrentCalls: 1}},
		{Name: "time", Timeout: &timeout.Config{TimeoutDuration: seconds(1)}},
	}, pipeline.WithListener(m.Listener("prices")))
	if err == nil {
		err = m.Watch("prices", p)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m, p
}

// values are all samples as text.
func values(m *metrics.Meter) map[string]float64 {
	all := map[string]float64{}
	m.Read(func(s metrics.Sample) {
		key := s.Metric.Name + " " + strings.Join(s.Labels, " ")
		if _, twice := all[key]; twice || len(s.Labels) != len(s.Metric.Labels) {
			panic("twice, or not as labelled: " + key)
		}
		all[key] = s.Value
	})
	return all
}

// TestMeterTellsTheStoryOfACall: two attempts time out, which opens the breaker, and the
// fallback answers; the next call is refused by the breaker. Every metric of the list
// then has a value but those that are not known yet.
func TestMeterTellsTheStoryOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, p := everything(t)
		slow := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
		stale := func(context.Context, error) (int, error) { return 1, nil }
		for range 2 {
			if v, err := pipeline.Do(t.Context(), p, slow, stale); v != 1 || err != nil {
				t.Fatal(v, err)
			}
		}
		got := values(m)
		for key, want := range map[string]float64{
			"resilience.breaker.state prices cut open":                       1,
			"resilience.breaker.state prices cut closed":                     0,
			"resilience.breaker.changes prices cut closed open failure_rate": 1,
			"resilience.breaker.failure_rate prices cut":                     100,
			"resilience.retry.retries prices again timeout":                  1,
			"resilience.retry.wait prices again":                             2,
			"resilience.timeout.timeouts prices time":                        2,
			"resilience.refusals prices cut breaker_open":                    1,
			"resilience.fallback.answers prices last timeout":                1,
			"resilience.fallback.answers prices last breaker_open":           1,
			"resilience.bulkhead.slots prices slots":                         1,
			"resilience.bulkhead.granted_calls prices slots":                 2,
			"resilience.hedge.delay prices twice":                            5,
			"resilience.ratelimiter.granted_calls prices rate":               2,
			"resilience.adaptive.granted_calls prices limit":                 2,
			"resilience.throttle.granted_calls prices few":                   2,
		} {
			if v, ok := got[key]; !ok || v != want {
				t.Errorf("%s: %v, want %v", key, v, want)
			}
		}
		unseen := []string{"resilience.adaptive.base_rtt"}
		for _, mt := range metrics.All() {
			seen := false
			for key := range got {
				seen = seen || strings.HasPrefix(key, mt.Name+" ")
			}
			if !seen && !slices.Contains(unseen, mt.Name) {
				t.Errorf("nothing of %s", mt.Name)
			}
		}
	})
}

// TestRatesThatAreNotKnownAreLeftOut: a new pipeline shows no rate and no -1.
func TestRatesThatAreNotKnownAreLeftOut(t *testing.T) {
	m, _ := everything(t)
	for key, v := range values(m) {
		if strings.Contains(key, "failure_rate") || strings.Contains(key, "slow_call_rate") || v < 0 {
			t.Errorf("%s: %v", key, v)
		}
	}
}

// TestSharedPipelineIsShownOnce, under the name that has it.
func TestSharedPipelineIsShownOnce(t *testing.T) {
	m := &metrics.Meter{}
	b := breaker.Defaults()
	r, err := registry.New([]string{"prices", "stock"}, registry.Config{
		Defaults:  registry.Policies{CircuitBreaker: &b},
		Instances: map[string]registry.Instance{"stock": {SharedWith: "prices"}},
	}, registry.WithListener(m.Listen))
	if err == nil {
		err = m.WatchRegistry(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	got := values(m)
	if got["resilience.breaker.state prices circuitBreaker closed"] != 1 {
		t.Error(got)
	}
	for key := range got {
		if strings.Contains(key, "stock") {
			t.Error(key)
		}
	}
	if err := m.WatchRegistry(r); err == nil || !strings.Contains(err.Error(), "the name is taken") {
		t.Error(err)
	}
}

// TestSeriesThatCouldNotBeToldApartAreRefused when watched, not when read.
func TestSeriesThatCouldNotBeToldApartAreRefused(t *testing.T) {
	slot := &bulkhead.Config{MaxConcurrentCalls: 1}
	for want, ps := range map[string][]pipeline.Policy{
		"no name":     {{Bulkhead: slot}},
		"no pipeline": nil,
	} {
		var p *pipeline.Pipeline
		if ps != nil {
			p, _ = pipeline.New(ps)
		}
		if err := new(metrics.Meter).Watch("prices", p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestCountingAnEventAllocatesNothing once its labels were seen.
func TestCountingAnEventAllocatesNothing(t *testing.T) {
	m := &metrics.Meter{}
	events := []pipeline.Event{
		{Kind: pipeline.BreakerChanged, Name: "cut", Event: breaker.Event{To: breaker.Open, Why: breaker.FailureRate}},
		{Kind: pipeline.RetryScheduled, Name: "again", Reason: patterns.Failed, Wait: time.Second},
		{Kind: pipeline.Refused, Name: "cut", Reason: patterns.BreakerOpen}, {Kind: pipeline.HedgeStarted},
	}
	if n := testing.AllocsPerRun(100, func() {
		for _, e := range events {
			m.Listen("prices", e)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// ExampleMeter reads what a pipeline did, without any monitoring system.
func ExampleMeter() {
	var m metrics.Meter
	p, err := pipeline.New([]pipeline.Policy{{Name: "again", Retry: &retry.Config{MaxAttempts: 3}}},
		pipeline.WithListener(m.Listener("prices")))
	if err != nil {
		panic(err)
	}
	if err := m.Watch("prices", p); err != nil {
		panic(err)
	}
	pipeline.Do(context.Background(), p, func(context.Context) (int, error) { return 0, errDown })
	m.Read(func(s metrics.Sample) { fmt.Println(s.Metric.Name, s.Labels, s.Value) })
	// Output:
	// resilience.retry.retries [prices again failed] 2
	// resilience.retry.wait [prices again] 0
}
