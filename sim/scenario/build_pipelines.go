package scenario

import (
	"reflect"
	"strings"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/throttle"
	"github.com/resilsim/resilsim/patterns/timeout"
)

func (b *builder) pipeline(name string, v *value) Pipeline {
	p := Pipeline{Name: name}
	policies := v.items
	if v.node.kind == mappingNode {
		p.Shared = v.bool("shared")
		policies = v.list("policies")
	}
	for _, item := range policies {
		p.Policies = append(p.Policies, b.policy(item))
	}
	b.hedges(policies, p.Policies)
	return p
}

func (b *builder) policy(v *value) Policy {
	var p Policy
	kind, s := v.chosen(policyTable)
	if s == nil {
		return p
	}
	switch kind {
	case "fallback":
		p.Fallback = b.fallback(s)
	case "retry":
		c := retry.Defaults()
		fill(&c, s)
		c.Budget = b.budget(s.get("budget"))
		p.Retry = &c
		b.judge(s, c.Validate())
	case "circuitBreaker":
		c := breaker.Defaults()
		fill(&c, s)
		p.CircuitBreaker = &c
		b.window(s, c)
		b.judge(s, c.Validate())
	case "bulkhead":
		b.bulkhead(s, &p)
	case "threadPoolBulkhead":
		p.ThreadPoolBulkhead = b.pool(s)
	case "hedge":
		p.Hedge = b.hedge(s)
	case "timeout":
		p.Timeout, p.Uncooperative = b.timeout(s)
	default:
		b.limiter(kind, s, &p)
	}
	return p
}

func (b *builder) limiter(kind string, s *value, p *Policy) {
	switch kind {
	case "rateLimiter":
		c := ratelimit.Defaults()
		fill(&c, s)
		p.RateLimiter = &c
		b.judge(s, c.Validate())
	case "adaptiveLimit":
		c := adaptive.Defaults(adaptive.Algorithm(s.text("algorithm", "")))
		fill(&c, s)
		p.AdaptiveLimit = &c
		b.judge(s, c.Validate())
	case "throttle":
		c := throttleDefaults(s.get("successRateThreshold") != nil)
		fill(&c, s)
		p.Throttle = &c
		b.judge(s, c.Validate())
	}
}

// throttleDefaults are Envoy's where its way of saying it is used, else the book's.
func throttleDefaults(envoy bool) throttle.Config {
	if envoy {
		return throttle.Envoy()
	}
	return throttle.Defaults()
}

var policyTable = policyShape()

func (b *builder) timeout(v *value) (*timeout.Config, bool) {
	c := timeout.Defaults()
	if v.node.kind == scalarNode {
		c.TimeoutDuration = patterns.Duration(v.dur)
		return &c, false
	}
	fill(&c, v)
	b.judge(v, c.Validate())
	cooperative := v.get("cooperative")
	return &c, cooperative != nil && !cooperative.flag
}

// budget starts from the defaults of the kind that is meant; a capacity alone
// means a bucket, of which only the ratio has a default.
func (b *builder) budget(v *value) *budget.Config {
	if v == nil {
		return nil
	}
	c := budget.Defaults()
	switch k := v.get("kind"); {
	case k != nil:
		c = budget.DefaultsOf(budget.Kind(k.word))
	case v.get("capacity") != nil:
		c.Window, c.MinPerSecond = 0, 0
	}
	fill(&c, v)
	return &c
}

func (b *builder) window(v *value, c breaker.Config) {
	if w := v.get("slidingWindowSize"); w != nil && w.timed && c.SlidingWindowType != breaker.TimeBased {
		b.fs.fault(w.node.pos, w.path, "add slidingWindowType: TIME_BASED", "a window of %s needs slidingWindowType TIME_BASED", w.node.text)
	}
}

// judge notes what the pattern itself says about its settings, at their keys.
func (b *builder) judge(v *value, faults patterns.Faults) {
	if v.broken {
		return
	}
	for _, f := range faults {
		at, path, where := v.node.pos, v.path, v
		for _, part := range strings.Split(f.Key, ".") {
			at, path = where.at(part), join(path, part)
			if where = where.get(part); where == nil {
				break
			}
		}
		b.fs.fault(at, path, "", "'%s': %s", lastPart(path), f.Message)
	}
}

func (b *builder) fallback(v *value) *Fallback {
	f := &Fallback{}
	steps := v.list("steps")
	for i, s := range steps {
		r := FallbackStep{Name: s.text("value", s.text("call", "")), Takes: s.duration("takes", 0),
			Call: b.index(s, "call", "services"), Through: b.index(s, "through", "pipelines")}
		f.Steps = append(f.Steps, r)
		isValue := s.get("value") != nil
		if isValue && s.get("through") != nil {
			b.fs.fault(s.at("through"), join(s.path, "through"), "", "'through' belongs to a call; this step is a value")
		}
		if !isValue && s.get("takes") != nil {
			b.fs.fault(s.at("takes"), join(s.path, "takes"), "", "'takes' belongs to a value; a call takes as long as it takes")
		}
		if isValue && i < len(steps)-1 {
			b.fs.warn(s.node.pos, s.path, "put the value last", "a value always answers; the steps after it are never reached")
		}
	}
	return f
}

// fill copies the settings that were given into a configuration, whose fields
// carry the same names as the keys of the table. The others stay as they are.
func fill(config any, v *value) {
	c := reflect.ValueOf(config).Elem()
	for i := range c.NumField() {
		f := v.get(c.Type().Field(i).Tag.Get("yaml"))
		field := c.Field(i)
		if field.Kind() == reflect.Pointer && f != nil && field.Type().Elem().Kind() != reflect.Struct {
			field.Set(reflect.New(field.Type().Elem()))
			field = field.Elem()
		}
		if f != nil {
			fillField(field, f)
		}
	}
}

func fillField(field reflect.Value, v *value) {
	switch field.Interface().(type) {
	case patterns.Duration:
		field.SetInt(int64(v.dur))
		return
	case patterns.Percent:
		field.SetInt(int64(patterns.PercentOf(v.num)))
		return
	}
	switch field.Kind() {
	case reflect.Int:
		n := v.whole
		if v.timed {
			n = uint64(v.dur / time.Second)
		}
		field.SetInt(int64(n))
	case reflect.Float64:
		field.SetFloat(v.num)
	case reflect.Bool:
		field.SetBool(v.flag)
	case reflect.String:
		field.SetString(v.word)
	case reflect.Slice:
		words := []string{}
		for _, item := range v.items {
			words = append(words, item.word)
		}
		field.Set(reflect.ValueOf(words))
	}
}
