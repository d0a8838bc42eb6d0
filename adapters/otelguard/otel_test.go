package otelguard_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/resilsim/resilsim/adapters/otelguard"
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/metrics"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/retry"
)

var errDown = errors.New("down")

// cut is a breaker that opens after two failures.
func cut() pipeline.Policy {
	b := breaker.Defaults()
	b.SlidingWindowSize, b.MinimumNumberOfCalls = 2, 2
	return pipeline.Policy{Name: "cut", CircuitBreaker: &b}
}

func again(n int) pipeline.Policy {
	return pipeline.Policy{Name: "again", Retry: &retry.Config{MaxAttempts: n}}
}

// traced is a tracer whose spans are recorded, and a pipeline that tells it of its events.
func traced(t *testing.T, ps ...pipeline.Policy) (*otelguard.Tracer, *tracetest.SpanRecorder, *pipeline.Pipeline) {
	t.Helper()
	spans := tracetest.NewSpanRecorder()
	tracer := otelguard.NewTracer(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)))
	p, err := pipeline.New(ps, pipeline.WithListener(func(e pipeline.Event) { tracer.Listen("prices", e) }))
	if err != nil {
		t.Fatal(err)
	}
	return tracer, spans, p
}

// told is a span as text: its events with their attributes, then its own attributes.
func told(s sdktrace.ReadOnlySpan) string {
	var lines []string
	add := func(name string, all []attribute.KeyValue) {
		for _, a := range all {
			name += " " + strings.TrimPrefix(string(a.Key), "resilience.") + "=" + a.Value.Emit()
		}
		lines = append(lines, name)
	}
	for _, e := range s.Events() {
		add(e.Name, e.Attributes)
	}
	add(s.Name(), s.Attributes())
	return strings.Join(lines, "\n")
}

// TestSpanTellsTheStory: three attempts are allowed, the second failure opens the breaker, and
// that ends the call.
func TestSpanTellsTheStory(t *testing.T) {
	tracer, spans, p := traced(t, again(3), cut())
	_, err := otelguard.Do(t.Context(), tracer, "prices", p, func(context.Context) (int, error) { return 0, errDown })
	if !errors.Is(err, pipeline.ErrBreakerOpen) || len(spans.Ended()) != 1 {
		t.Fatal(err, spans.Ended())
	}
	want := `resilience.retry attempt=2
resilience.breaker policy=cut from=closed to=open why=failure_rate
prices pipeline=prices attempts=2 degraded=false reason=breaker_open`
	s := spans.Ended()[0]
	if got := told(s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s.Status().Code != codes.Error || strings.Contains(s.Status().Description, "down") {
		t.Error(s.Status())
	}
}

// TestHedgeIsNoRetry: the second attempt is begun beside the first.
func TestHedgeIsNoRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tracer, spans, p := traced(t, pipeline.Policy{Name: "twice", Hedge: &hedge.Config{MaxHedges: 1, Delay: patterns.Duration(time.Second)}})
		var calls atomic.Int32
		v, err := otelguard.Do(t.Context(), tracer, "prices", p, func(ctx context.Context) (int, error) {
			if calls.Add(1) == 1 {
				<-ctx.Done()
				return 0, ctx.Err()
			}
			return 7, nil
		})
		synctest.Wait()
		if got := told(spans.Ended()[0]); v != 7 || err != nil || !strings.HasPrefix(got, "resilience.hedge attempt=2\nprices") {
			t.Error(v, err, got)
		}
	})
}

// TestFallbackMarksTheSpan as degraded; it is no error, and says what it stands in for nowhere else.
func TestFallbackMarksTheSpan(t *testing.T) {
	tracer, spans, p := traced(t, pipeline.Policy{Name: "last", Fallback: &fallback.Config{Steps: []string{"stale"}}})
	v, err := otelguard.Do(t.Context(), tracer, "prices", p, func(context.Context) (int, error) { return 0, errDown },
		func(context.Context, error) (int, error) { return 1, nil })
	s := spans.Ended()[0]
	if got := told(s); v != 1 || err != nil || s.Status().Code != codes.Unset || !strings.Contains(got, "degraded=true") {
		t.Error(v, err, got)
	}
}

// TestPanicEndsTheSpan and goes on; a call that is not recorded leaves nothing behind.
func TestPanicEndsTheSpan(t *testing.T) {
	tracer, spans, p := traced(t, again(1))
	func() {
		defer func() {
			if recover() == nil {
				t.Error("swallowed")
			}
		}()
		otelguard.Do(t.Context(), tracer, "prices", p, func(context.Context) (int, error) { panic("broken") })
	}()
	if all := spans.Ended(); len(all) != 1 || all[0].Status().Description != "panicked" {
		t.Error(all)
	}
	quiet := otelguard.NewTracer(noop.NewTracerProvider())
	if v, err := otelguard.Do(t.Context(), quiet, "prices", p, func(context.Context) (int, error) { return 2, nil }); v != 2 || err != nil {
		t.Error(v, err)
	}
}

// TestInstrumentsAreTheMetrics: a reader in memory finds each sample of the meter with its
// name, unit and labels, and nothing after stop.
func TestInstrumentsAreTheMetrics(t *testing.T) {
	m := &metrics.Meter{}
	p, err := pipeline.New([]pipeline.Policy{again(3), cut()}, pipeline.WithListener(m.Listener("prices")))
	if err == nil {
		err = m.Watch("prices", p)
	}
	reader := sdk.NewManualReader()
	stop, failed := otelguard.Observe(sdk.NewMeterProvider(sdk.WithReader(reader)), m)
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	pipeline.Do(t.Context(), p, func(context.Context) (int, error) { return 0, errDown })
	got := collect(t, reader)
	samples := 0
	m.Read(func(s metrics.Sample) {
		samples++
		var labels []attribute.KeyValue
		for i, l := range s.Labels {
			labels = append(labels, attribute.String(s.Metric.Labels[i], l))
		}
		set := attribute.NewSet(labels...)
		key := fmt.Sprint(s.Metric.Name, s.Metric.Unit, set.Encoded(attribute.DefaultEncoder()))
		if v, ok := got[key]; !ok || v != s.Value {
			t.Errorf("%s: %v %v, want %v", key, v, ok, s.Value)
		}
	})
	if samples == 0 || len(got) != samples {
		t.Errorf("%d observed of %d", len(got), samples)
	}
	if err := stop(); err != nil || len(collect(t, reader)) != 0 {
		t.Error(err, collect(t, reader))
	}
}

func collect(t *testing.T, r sdk.Reader) map[string]float64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := r.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			var points []metricdata.DataPoint[float64]
			switch d := m.Data.(type) {
			case metricdata.Gauge[float64]:
				points = d.DataPoints
			case metricdata.Sum[float64]:
				if points = d.DataPoints; !d.IsMonotonic {
					t.Errorf("%s goes down", m.Name)
				}
			}
			for _, p := range points {
				got[fmt.Sprint(m.Name, m.Unit, p.Attributes.Encoded(attribute.DefaultEncoder()))] = p.Value
			}
		}
	}
	return got
}

// TestGuideQuotesTheExample: the page's code for OpenTelemetry stands in the example below.
func TestGuideQuotesTheExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/guides/watch-in-production.md")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("otel_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "```go\nmeter :=")
	code, _, found := strings.Cut("meter :="+code, "```")
	text := strings.ReplaceAll(string(here), "\n\t", "\n")
	if !found || !strings.Contains(text, code) {
		t.Errorf("no example holds\n%s", code)
	}
}

// Example reads the metrics of a pipeline with a reader in memory.
func Example() {
	provider := sdk.NewMeterProvider(sdk.WithReader(sdk.NewManualReader()))
	meter := &metrics.Meter{}
	stop, err := otelguard.Observe(provider, meter)
	if err != nil {
		panic(err)
	}
	defer stop()
	p, err := pipeline.New([]pipeline.Policy{{Name: "again", Retry: &retry.Config{MaxAttempts: 2}}},
		pipeline.WithListener(meter.Listener("prices")))
	if err != nil {
		panic(err)
	}
	v, err := pipeline.Do(context.Background(), p, func(context.Context) (int, error) { return 42, nil })
	fmt.Println(v, err, meter.Watch("prices", p))
	// Output: 42 <nil> <nil>
}
