package scenario

import (
	"strconv"
	"strings"
)

// arrivals writes a fleet's load.
func (w *yamlWriter) arrivals(f *Fleet) {
	w.line(2, "arrivals:")
	s := &f.Sources
	switch {
	case s.Closed != nil:
		w.line(3, "closed: {users: %d, think: %s}", s.Closed.Users, lawText(s.Closed.Think))
	case len(s.Bursts) > 0:
		w.line(3, "bursts:")
		for _, b := range s.Bursts {
			p := pairs{}
			p.span("at", b.At)
			p.add("size", strconv.Itoa(b.Size))
			if b.Every > 0 {
				p.span("every", b.Every)
			}
			w.line(4, "- %s", p)
		}
	case s.Trace != nil:
		w.trace(s.Trace)
	case s.Daily != nil:
		d := s.Daily
		w.line(3, "%s: {daily: {low: %s/s, high: %s/s, peak: %s, period: %s}}", f.Arrivals.Law, exactly(d.Low), exactly(d.High), d.Peak, d.Period)
	default:
		w.curve(f)
	}
	if s.Batch > 1 {
		w.line(3, "batch: %d", s.Batch)
	}
}

func (w *yamlWriter) curve(f *Fleet) {
	w.line(3, "%s:", f.Arrivals.Law)
	indent, every := 4, f.Sources.Every
	if every > 0 {
		w.line(4, "every: %s", every)
		w.line(4, "points:")
		indent = 5
	}
	for _, p := range f.Arrivals.Curve {
		if every == 0 || p.At < every {
			w.line(indent, "- {at: %s, rate: %s/s, ramp: %s}", p.At, exactly(p.Rate), p.Ramp)
		}
	}
}

func (w *yamlWriter) trace(t *Trace) {
	w.line(3, "trace:")
	kind := "times"
	var texts []string
	for _, at := range t.Times {
		texts = append(texts, at.String())
	}
	if t.Every > 0 {
		kind = "counts"
		w.line(4, "every: %s", t.Every)
		w.line(4, "spread: %s", map[bool]string{true: "even", false: "poisson"}[t.Even])
		for _, n := range t.Counts {
			texts = append(texts, strconv.FormatUint(n, 10))
		}
	}
	if t.File != "" {
		w.line(4, "%s: %s", kind, strconv.Quote(t.File))
		w.line(4, "column: %s", strconv.Quote(t.Column))
		return
	}
	w.line(4, "%s: [%s]", kind, strings.Join(texts, ", "))
}

// caller writes the settings of a fleet that only some have.
func (w *yamlWriter) caller(f *Fleet) {
	if len(f.Classes) > 0 {
		w.line(2, "classes:")
	}
	for _, c := range f.Classes {
		var p pairs
		p.float("weight", c.Weight)
		p.add("priority", strconv.Itoa(c.Priority))
		p.add("idempotent", strconv.FormatBool(c.Idempotent))
		w.line(3, "%s: %s", c.Name, p)
	}
	if k := f.Keys; k != nil {
		w.line(2, "keys: %s", k)
	}
	if p := f.Patience; p != nil {
		until := "answered"
		if p.UntilStarted {
			until = "started"
		}
		w.line(2, "patience: {time: %s, until: %s}", lawText(p.Time), until)
	}
	if r := f.Retrial; r != nil {
		var p pairs
		p.add("after", lawText(r.After))
		p.float("probability", r.Probability)
		if r.Limit > 0 {
			p.add("limit", strconv.Itoa(r.Limit))
		}
		w.line(2, "retrial: %s", p)
	}
}

// String writes the keys as the scenario language spells them.
func (k *Keys) String() string {
	p := pairs{"count: " + strconv.Itoa(k.Count)}
	switch {
	case k.Exponent > 0:
		p.float("exponent", k.Exponent)
		return "{zipf: " + p.String() + "}"
	case k.Hot > 0:
		p.add("keys", strconv.Itoa(k.Hot))
		p.float("share", k.HotShare)
		return "{hot: " + p.String() + "}"
	}
	return "{uniform: " + p.String() + "}"
}
