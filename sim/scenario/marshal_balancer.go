package scenario

import (
	"reflect"
	"strconv"
	"time"

	"github.com/resilsim/resilsim/patterns/health"
)

// balancing is left out where there is none.
func (w *yamlWriter) balancing(s *Service) {
	if l := s.LoadBalancer; l != nil {
		w.line(2, "loadBalancer:")
		w.line(3, "policy: %s", l.Policy)
		if l.Policy == RandomChoices {
			w.line(3, "choices: %d", l.Choices)
		}
		if l.Outlier == nil && l.HealthCheck != nil {
			w.line(3, "panicThreshold: %s%%", l.PanicThreshold)
		}
		if c := l.HealthCheck; c != nil {
			p := checkPairs(c.Kind, c.Interval, c.Timeout, c.Readiness)
			p.add("unhealthyThreshold", strconv.Itoa(c.Unhealthy))
			p.add("healthyThreshold", strconv.Itoa(c.Healthy))
			w.line(3, "healthCheck: %s", p)
		}
		if l.Outlier != nil {
			w.line(3, "outlierDetection: %s", allPairs(*l.Outlier, nil))
		}
	}
	if c := s.Broker; c != nil {
		w.line(2, "broker: {deliveries: %d, redeliverAfter: %s}", c.Deliveries, c.RedeliverAfter)
	}
	if c := s.Autoscale; c != nil {
		var p pairs
		p.add("min", strconv.Itoa(c.Min))
		p.add("max", strconv.Itoa(c.Max))
		p.float("targetUtilisation", c.Target)
		p.float("tolerance", c.Tolerance)
		p.span("interval", c.Interval)
		p.span("startupDelay", c.StartupDelay)
		p.span("scaleDownStabilisation", c.ScaleDownStabilisation)
		w.line(2, "autoscale: %s", p)
	}
	if c := s.Liveness; c != nil {
		p := checkPairs(c.Kind, c.Interval, c.Timeout, c.Readiness)
		p.add("failureThreshold", strconv.Itoa(c.Failures))
		p.span("restart", c.Restart)
		w.line(2, "liveness: %s", p)
	}
}

func checkPairs(kind CheckKind, interval, timeout time.Duration, ready health.Config) pairs {
	var p pairs
	p.add("kind", string(kind))
	p.span("interval", interval)
	if kind == Deep {
		p.span("timeout", timeout)
	}
	if kind == Pool {
		p.add("readiness", allPairs(ready, readinessShape()).String())
	}
	return p
}

// allPairs writes every field that the shape knows, or all.
func allPairs(config any, of *shape) pairs {
	var p pairs
	v := reflect.ValueOf(config)
	for i := range v.NumField() {
		if key := v.Type().Field(i).Tag.Get("yaml"); of == nil || of.key(key) != nil {
			p.add(key, settingText(v.Field(i)))
		}
	}
	return p
}
