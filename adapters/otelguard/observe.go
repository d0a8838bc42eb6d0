package otelguard

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/resilsim/resilsim/patterns/metrics"
)

// scope is the name under which the instruments and spans are known.
const scope = "github.com/resilsim/resilsim/adapters/otelguard"

// Observe has a provider's readers see all that the meter reads, from now on and until
// stop is called. The error is the provider's, about an instrument that it does not take.
func Observe(provider metric.MeterProvider, m *metrics.Meter) (stop func() error, err error) {
	meter := provider.Meter(scope)
	instruments := map[string]metric.Float64Observable{}
	var all []metric.Observable
	for _, d := range metrics.All() {
		i, err := instrument(meter, d)
		if err != nil {
			return nil, fmt.Errorf("otelguard: %s: %w", d.Name, err)
		}
		instruments[d.Name] = i
		all = append(all, i)
	}
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		m.Read(func(s metrics.Sample) {
			labels := make([]attribute.KeyValue, len(s.Labels))
			for i, value := range s.Labels {
				labels[i] = attribute.String(s.Metric.Labels[i], value)
			}
			o.ObserveFloat64(instruments[s.Metric.Name], s.Value, metric.WithAttributes(labels...))
		})
		return nil
	}, all...)
	if err != nil {
		return nil, fmt.Errorf("otelguard: %w", err)
	}
	return registration.Unregister, nil
}

func instrument(meter metric.Meter, d metrics.Metric) (metric.Float64Observable, error) {
	if d.Kind == metrics.Counter {
		return meter.Float64ObservableCounter(d.Name, metric.WithUnit(d.Unit), metric.WithDescription(d.Help))
	}
	return meter.Float64ObservableGauge(d.Name, metric.WithUnit(d.Unit), metric.WithDescription(d.Help))
}
