package scenario

import (
	"bytes"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/budget"
)

// Marshal writes a scenario with every default spelt out, in one canonical
// form: the same scenario gives the same bytes, and loading them gives the same
// scenario (but for the places of its claims in the file).
func Marshal(sc *Scenario) []byte {
	w := &yamlWriter{sc: sc}
	w.line(0, "version: 1")
	w.line(0, "scenario: %s", sc.Name)
	if sc.About != "" {
		w.line(0, "about: %s", strconv.Quote(sc.About))
	}
	w.origin()
	w.line(0, "duration: %s", sc.Duration)
	w.line(0, "seed: %d", sc.Seed)
	w.line(0, "interval: %s", sc.Interval)
	w.line(0, "recovery: {share: %s, for: %s}", exactly(sc.Recovery.Share), sc.Recovery.For)
	w.callers()
	w.pipelines()
	w.services()
	w.caches()
	w.links()
	w.faults()
	w.operators()
	w.claims("steadyState", sc.SteadyState)
	w.claims("expect", sc.Expect)
	return w.out.Bytes()
}

type yamlWriter struct {
	sc  *Scenario
	out bytes.Buffer
}

func (w *yamlWriter) line(indent int, format string, args ...any) {
	w.out.WriteString(strings.Repeat("  ", indent))
	fmt.Fprintf(&w.out, format, args...)
	w.out.WriteByte('\n')
}

// exactly writes a number so that reading gives the same one.
func exactly(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// pairs makes the inside of a flow mapping; keys without a value are left out.
type pairs []string

func (p *pairs) add(key, val string) {
	if val != "" {
		*p = append(*p, key+": "+val)
	}
}

func (p *pairs) span(key string, d time.Duration) { p.add(key, d.String()) }

func (p *pairs) float(key string, x float64) { p.add(key, exactly(x)) }

func (p pairs) String() string { return "{" + strings.Join(p, ", ") + "}" }

func (w *yamlWriter) service(i int) string {
	if i < 0 {
		return ""
	}
	return w.sc.Services[i].Name
}

func (w *yamlWriter) pipeline(i int) string {
	if i < 0 {
		return ""
	}
	return w.sc.Pipelines[i].Name
}

func (w *yamlWriter) fleet(i int) string {
	if i < 0 {
		return ""
	}
	return w.sc.Callers[i].Name
}

func (w *yamlWriter) origin() {
	if w.sc.Extends == "" && len(w.sc.Differs) == 0 && len(w.sc.Changed) == 0 {
		return
	}
	w.line(0, "origin:")
	if w.sc.Extends != "" {
		w.line(1, "extends: %s", strconv.Quote(w.sc.Extends))
	}
	w.texts("differs", w.sc.Differs)
	w.texts("changed", w.sc.Changed)
}

func (w *yamlWriter) texts(key string, texts []string) {
	if len(texts) > 0 {
		w.line(1, "%s:", key)
	}
	for _, t := range texts {
		w.line(2, "- %s", strconv.Quote(t))
	}
}

func (w *yamlWriter) callers() {
	w.line(0, "callers:")
	for i := range w.sc.Callers {
		f := &w.sc.Callers[i]
		w.line(1, "%s:", f.Name)
		w.line(2, "instances: %d", f.Instances)
		w.arrivals(f)
		w.caller(f)
		w.steps(f.Do)
	}
}

func (w *yamlWriter) steps(do []Step) {
	w.line(2, "do:")
	for i, s := range do {
		if s.Group > 0 {
			w.parallel(do, i)
			continue
		}
		var p pairs
		if s.Work != nil {
			p.add("work", lawText(s.Work))
		}
		p.add("call", w.service(s.Call))
		p.add("through", w.pipeline(s.Through))
		if s.Cache > 0 {
			p.add("cache", w.sc.Caches[s.Cache-1].Name)
		}
		p.float("probability", s.Probability)
		w.line(3, "- %s", p)
	}
}

func (w *yamlWriter) pipelines() {
	if len(w.sc.Pipelines) == 0 {
		return
	}
	w.line(0, "pipelines:")
	for _, p := range w.sc.Pipelines {
		w.line(1, "%s:", p.Name)
		w.line(2, "shared: %t", p.Shared)
		if len(p.Policies) == 0 {
			w.line(2, "policies: []")
			continue
		}
		w.line(2, "policies:")
		for _, policy := range p.Policies {
			w.policy(policy)
		}
	}
}

func (w *yamlWriter) policy(p Policy) {
	switch {
	case p.Fallback != nil:
		w.line(3, "- fallback:")
		w.line(5, "steps:")
		for _, s := range p.Fallback.Steps {
			w.line(6, "- %s", w.rung(s))
		}
	case p.Retry != nil:
		w.settings("retry", *p.Retry, "budget")
		if p.Retry.Budget != nil {
			w.line(5, "budget: %s", budgetPairs(*p.Retry.Budget))
		}
	case p.CircuitBreaker != nil:
		w.settings("circuitBreaker", *p.CircuitBreaker, "")
	case p.Bulkhead != nil:
		w.settings("bulkhead", *p.Bulkhead, "")
	case p.QueuedBulkhead != nil, p.ThreadPoolBulkhead != nil, p.Hedge != nil:
		w.queued(p)
	case p.Timeout != nil:
		w.settings("timeout", *p.Timeout, "")
		w.line(5, "cooperative: %t", !p.Uncooperative)
	case p.RateLimiter != nil:
		w.settings("rateLimiter", *p.RateLimiter, "")
	case p.AdaptiveLimit != nil:
		w.used("adaptiveLimit", *p.AdaptiveLimit, adaptive.Defaults(p.AdaptiveLimit.Algorithm))
	case p.Throttle != nil:
		w.used("throttle", *p.Throttle, throttleDefaults(p.Throttle.SuccessRateThreshold != 0))
	}
}

// used writes settings of which those that have no part in the rule are zero, and
// zero by default: these are left out.
func (w *yamlWriter) used(kind string, config, defaults any) {
	w.line(3, "- %s:", kind)
	c, d := reflect.ValueOf(config), reflect.ValueOf(defaults)
	for i := range c.NumField() {
		if c.Field(i).IsZero() && d.Field(i).IsZero() {
			continue
		}
		w.line(5, "%s: %s", c.Type().Field(i).Tag.Get("yaml"), settingText(c.Field(i)))
	}
}

func (w *yamlWriter) rung(s FallbackStep) string {
	var p pairs
	if s.Call >= 0 {
		p.add("call", w.service(s.Call))
		p.add("through", w.pipeline(s.Through))
		return p.String()
	}
	p.add("value", strconv.Quote(s.Name))
	p.span("takes", s.Takes)
	return p.String()
}

// settings writes a pattern's configuration under its own key names.
func (w *yamlWriter) settings(kind string, config any, skip string) {
	w.line(3, "- %s:", kind)
	c := reflect.ValueOf(config)
	for i := range c.NumField() {
		key := c.Type().Field(i).Tag.Get("yaml")
		if text := settingText(c.Field(i)); text != "" && key != skip {
			w.line(5, "%s: %s", key, text)
		}
	}
}

// settingText is empty for what is not set: absent, or a word that is empty.
func settingText(f reflect.Value) string {
	if f.Kind() == reflect.Pointer {
		if f.IsNil() {
			return ""
		}
		f = f.Elem()
	}
	switch x := f.Interface().(type) {
	case patterns.Duration:
		return x.String()
	case patterns.Percent:
		return x.String() + "%"
	case []string:
		if len(x) == 0 {
			return ""
		}
		return "[" + strings.Join(x, ", ") + "]"
	}
	switch f.Kind() {
	case reflect.Float64:
		return exactly(f.Float())
	case reflect.Int:
		return strconv.FormatInt(f.Int(), 10)
	case reflect.Bool:
		return strconv.FormatBool(f.Bool())
	}
	return f.String()
}

// budgetPairs writes the kind, if it was given, and all that belongs to it.
func budgetPairs(c budget.Config) string {
	var p pairs
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		if key := v.Type().Field(i).Tag.Get("yaml"); key == "kind" || c.Uses(key) {
			p.add(key, settingText(v.Field(i)))
		}
	}
	return p.String()
}
