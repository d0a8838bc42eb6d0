package otelguard

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// Tracer writes spans of calls. It is safe for concurrent use.
type Tracer struct {
	tracer trace.Tracer

	mu    sync.Mutex
	calls map[string]map[*call]struct{} // under way, by pipeline
}

// NewTracer makes a tracer whose spans go to the provider.
func NewTracer(provider trace.TracerProvider) *Tracer {
	return &Tracer{tracer: provider.Tracer(scope), calls: map[string]map[*call]struct{}{}}
}

// Listen writes a breaker's change into the spans of the calls through its pipeline that are
// under way: for registry.WithListener, beside the Listen of a metrics.Meter.
func (t *Tracer) Listen(name string, e pipeline.Event) {
	if e.Kind != pipeline.BreakerChanged {
		return
	}
	t.mu.Lock()
	under := make([]*call, 0, len(t.calls[name]))
	for c := range t.calls[name] { // order-free: each is told once
		under = append(under, c)
	}
	t.mu.Unlock()
	for _, c := range under {
		c.span.AddEvent("resilience.breaker", trace.WithAttributes(
			attribute.String("resilience.policy", e.Name), attribute.String("resilience.from", e.From.String()),
			attribute.String("resilience.to", e.To.String()), attribute.String("resilience.why", e.Why.String())))
	}
}

// Do is pipeline.Do inside a span that is named after the pipeline. The name is that of the registry,
// or the one with which Listen is told of the pipeline's events.
func Do[T any](ctx context.Context, t *Tracer, name string, p *pipeline.Pipeline, fn func(context.Context) (T, error), ladder ...func(context.Context, error) (T, error)) (T, error) {
	ctx, c := t.begin(ctx, name)
	defer t.end(name, c) // a panic of fn goes on, and its span ends
	v, info, err := pipeline.DoInfo(ctx, p, func(ctx context.Context) (T, error) {
		defer c.attempt(ctx)()
		return fn(ctx)
	}, ladder...)
	c.returned = true
	c.span.SetAttributes(attribute.Int("resilience.attempts", info.Attempts), attribute.Bool("resilience.degraded", info.Degraded))
	if info.Reason != patterns.None {
		c.span.SetAttributes(attribute.String("resilience.reason", info.Reason.String()))
	}
	if err != nil {
		c.span.SetStatus(codes.Error, info.Reason.String())
	}
	return v, err
}

func (t *Tracer) begin(ctx context.Context, name string) (context.Context, *call) {
	ctx, span := t.tracer.Start(ctx, name, trace.WithAttributes(attribute.String("resilience.pipeline", name)))
	c := &call{span: span}
	if !span.IsRecording() {
		return ctx, c
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls[name] == nil {
		t.calls[name] = map[*call]struct{}{}
	}
	t.calls[name][c] = struct{}{}
	return ctx, c
}

func (t *Tracer) end(name string, c *call) {
	t.mu.Lock()
	delete(t.calls[name], c)
	if len(t.calls[name]) == 0 {
		delete(t.calls, name)
	}
	t.mu.Unlock()
	if !c.returned {
		c.span.SetStatus(codes.Error, patterns.Panicked.String())
	}
	c.span.End()
}

// call is one call with its attempts. A hedge begins while the one before is wanted.
type call struct {
	span     trace.Span
	returned bool // neither panicked nor left by Goexit

	mu     sync.Mutex
	begun  int
	latest context.Context // of the attempt begun last; nil: it has ended
}

// attempt notes one after the first, and returns what is to be done when it ends.
func (c *call) attempt(ctx context.Context) (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun++
	number := c.begun
	if number > 1 {
		kind := "resilience.retry"
		if c.latest != nil && c.latest.Err() == nil {
			kind = "resilience.hedge"
		}
		c.span.AddEvent(kind, trace.WithAttributes(attribute.Int("resilience.attempt", number)))
	}
	c.latest = ctx
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.begun == number {
			c.latest = nil
		}
	}
}
