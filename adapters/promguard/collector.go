package promguard

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/resilsim/resilsim/patterns/metrics"
)

// Collector is a prometheus.Collector. It is safe for concurrent use. Tell it of pipelines by
// the methods of its Meter: Watch, WatchRegistry, Listen.
type Collector struct {
	*metrics.Meter
	all   []metrics.Metric
	descs map[string]*prometheus.Desc
}

// New makes a collector that watches nothing yet. The labels, if any, are constant and go
// with every series, as service="shop" would.
func New(constant prometheus.Labels) *Collector {
	c := &Collector{Meter: &metrics.Meter{}, all: metrics.All(), descs: map[string]*prometheus.Desc{}}
	for _, m := range c.all {
		c.descs[m.Name] = prometheus.NewDesc(m.Prometheus(), m.Help, m.Labels, constant)
	}
	return c
}

// Describe sends every metric of the fixed list.
func (c *Collector) Describe(out chan<- *prometheus.Desc) {
	for _, m := range c.all {
		out <- c.descs[m.Name]
	}
}

// Collect sends what there is now.
func (c *Collector) Collect(out chan<- prometheus.Metric) {
	c.Read(func(s metrics.Sample) {
		kind := prometheus.GaugeValue
		if s.Metric.Kind == metrics.Counter {
			kind = prometheus.CounterValue
		}
		m, err := prometheus.NewConstMetric(c.descs[s.Metric.Name], kind, s.Value, s.Labels...)
		if err != nil { // a name that is no UTF-8: told to who gathers, the rest is sent
			m = prometheus.NewInvalidMetric(c.descs[s.Metric.Name], err)
		}
		out <- m
	})
}
