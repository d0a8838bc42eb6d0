package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/registry"
)

// Meter reads pipelines and counts their events. It is safe for concurrent use; the
// zero Meter is ready.
type Meter struct {
	mu      sync.Mutex
	watched []watched // sorted by name
	counts  map[series]float64
}

type watched struct {
	name     string
	pipeline *pipeline.Pipeline
}

// series is what one event counts in.
type series struct {
	id             id
	pipeline, name string
	more           [3]string
}

// Sample is one value of one metric.
type Sample struct {
	Metric *Metric
	// Labels are the values of Metric.Labels, in their order. It is the Meter's: copy
	// what is kept.
	Labels []string
	Value  float64
}

// Watch has Read show a pipeline under a name. The error says that the name is taken, or
// that two policies that have counters have one name or none: their series could not
// be told apart.
func (m *Meter) Watch(name string, p *pipeline.Pipeline) error {
	if p == nil {
		return fmt.Errorf("metrics: watching %q: there is no pipeline", name)
	}
	if err := apart(p); err != nil {
		return fmt.Errorf("metrics: watching %q: %w", name, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	at, found := slices.BinarySearchFunc(m.watched, name, func(w watched, name string) int { return cmp.Compare(w.name, name) })
	if found {
		return fmt.Errorf("metrics: watching %q: the name is taken", name)
	}
	m.watched = slices.Insert(m.watched, at, watched{name, p})
	return nil
}

// WatchRegistry watches every pipeline of a registry, a shared one once.
func (m *Meter) WatchRegistry(r *registry.Registry) error {
	var errs []error
	for _, in := range r.Snapshot().Instances {
		if in.SharedWith != "" {
			continue
		}
		p, err := r.Pipeline(in.Name)
		if err == nil {
			err = m.Watch(in.Name, p)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// apart makes sure that the counters of a pipeline can be told apart.
func apart(p *pipeline.Pipeline) error {
	seen := map[string]bool{}
	var fault error
	policies(p, func(name string) {
		switch {
		case name == "":
			fault = errors.New("a policy with counters has no name")
		case seen[name]:
			fault = fmt.Errorf("two policies are named %q", name)
		}
		seen[name] = true
	})
	return fault
}

// Listen counts an event of the pipeline with that name: for registry.WithListener.
func (m *Meter) Listen(name string, e pipeline.Event) {
	s := series{pipeline: name, name: e.Name}
	switch e.Kind {
	case pipeline.BreakerChanged:
		s.id, s.more = breakerChanges, [3]string{e.From.String(), e.To.String(), e.Why.String()}
	case pipeline.RetryScheduled:
		m.add(series{id: retryWaits, pipeline: name, name: e.Name}, e.Wait.Seconds())
		s.id, s.more[0] = retries, e.Reason.String()
	case pipeline.TimedOut:
		s.id = timeouts
	case pipeline.Refused:
		s.id, s.more[0] = refusals, e.Reason.String()
	case pipeline.FallbackUsed:
		s.id, s.more[0] = fallbacks, e.Reason.String()
	default:
		return // hedges are read from their snapshot
	}
	m.add(s, 1)
}

// Listener is Listen for one pipeline: for pipeline.WithListener.
func (m *Meter) Listener(name string) func(pipeline.Event) {
	return func(e pipeline.Event) { m.Listen(name, e) }
}

func (m *Meter) add(s series, by float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts = map[series]float64{}
	}
	m.counts[s] += by
}

// Read hands over every sample there is: pipelines by name, then what was counted. No lock is
// held while emit runs.
func (m *Meter) Read(emit func(Sample)) {
	m.mu.Lock()
	all := slices.Clone(m.watched)
	counted := make([]series, 0, len(m.counts))
	for s := range m.counts { // order-free: sorted next
		counted = append(counted, s)
	}
	slices.SortFunc(counted, series.compare)
	values := make([]float64, len(counted))
	for i, s := range counted {
		values[i] = m.counts[s]
	}
	m.mu.Unlock()
	out := &reader{emit: emit}
	for _, w := range all {
		out.pipeline(w)
	}
	for i, s := range counted {
		more := s.more[:len(table[s.id].Labels)-2]
		out.labels = append(out.labels[:0], s.pipeline, s.name)
		out.put(s.id, values[i], more...)
	}
}

func (s series) compare(o series) int {
	return cmp.Or(cmp.Compare(s.id, o.id), cmp.Compare(s.pipeline, o.pipeline), cmp.Compare(s.name, o.name),
		slices.Compare(s.more[:], o.more[:]))
}
