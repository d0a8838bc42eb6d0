package scenario

import (
	"time"

	"github.com/resilsim/resilsim/sim/dist"
)

// builder makes a Scenario of a checked tree. It resolves names, fills
// defaults, and notes what the table alone cannot see. It goes on after a
// fault, so that all faults are told at once.
type builder struct {
	fs   *findings
	root *value
	sc   *Scenario
	data func(path string) ([]byte, error) // nil: there are no files
	seenLaws
}

func (b *builder) build() *Scenario {
	r := b.root
	sc := &Scenario{
		Name: r.text("scenario", ""), About: r.text("about", ""),
		Duration: r.duration("duration", 0), Seed: 1,
		Recovery: Recovery{Share: 0.95, For: 30 * time.Second},
	}
	b.sc = sc
	if v := r.get("scenario"); v != nil && !nameRule.MatchString(v.word) {
		b.fs.fault(v.node.pos, v.path, "a name begins with a letter and has letters, digits, '-' and '_' only, at most 64", "'%s' is not a name", clip(v.word))
	}
	if v := r.get("seed"); v != nil {
		sc.Seed = v.whole
	}
	if o := r.get("origin"); o != nil {
		sc.Extends = o.text("extends", "")
		for _, d := range o.list("differs") {
			sc.Differs = append(sc.Differs, d.word)
		}
		for _, d := range o.list("changed") {
			sc.Changed = append(sc.Changed, d.word)
		}
	}
	sc.Interval = r.duration("interval", defaultInterval(sc.Duration))
	if v := r.get("recovery"); v != nil {
		sc.Recovery.Share, sc.Recovery.For = v.number("share", sc.Recovery.Share), v.duration("for", sc.Recovery.For)
	}
	b.parts()
	return sc
}

func (b *builder) parts() {
	each(b.root.get("services"), func(name string, v *value) { b.sc.Services = append(b.sc.Services, b.service(name, v)) })
	each(b.root.get("pipelines"), func(name string, v *value) { b.sc.Pipelines = append(b.sc.Pipelines, b.pipeline(name, v)) })
	each(b.root.get("callers"), func(name string, v *value) { b.sc.Callers = append(b.sc.Callers, b.fleet(name, v)) })
	each(b.root.get("caches"), func(name string, v *value) { b.sc.Caches = append(b.sc.Caches, b.cache(name, v)) })
	for _, v := range b.root.list("links") {
		b.sc.Links = append(b.sc.Links, b.link(v))
	}
	for _, v := range b.root.list("faults") {
		b.sc.Faults = append(b.sc.Faults, b.fault(v))
	}
	for _, v := range b.root.list("operators") {
		b.sc.Operators = append(b.sc.Operators, b.operator(v))
	}
	b.verify()
	b.sc.SteadyState = b.claims("steadyState")
	b.sc.Expect = b.claims("expect")
	if b.fs.faults() == 0 {
		b.lint()
	}
}

func each(v *value, f func(name string, v *value)) {
	if v == nil {
		return
	}
	for i, name := range v.names {
		f(name, v.fields[i])
	}
}

// defaultInterval is the smallest round step that gives at most 3600 intervals.
func defaultInterval(run time.Duration) time.Duration {
	const most = 3600
	steps := []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute}
	if run >= 2*time.Minute {
		steps = steps[3:]
	}
	for _, s := range steps {
		if run/s <= most {
			return s
		}
	}
	return time.Hour
}

// names that a reference to a section may use, in the order of the file.
func (b *builder) names(section string) []string {
	if v := b.root.get(section); v != nil {
		return v.names
	}
	return nil
}

// index resolves the name under a key, -1 when the key is not there.
func (b *builder) index(v *value, key, section string) int {
	f := v.get(key)
	if f == nil {
		return -1
	}
	names := b.names(section)
	for i, name := range names {
		if name == f.word {
			return i
		}
	}
	what := map[string]string{"services": "service", "pipelines": "pipeline", "callers": "fleet of callers", "caches": "cache"}[section]
	b.fs.fault(f.node.pos, f.path, meant(f.word, "there are", names), "there is no %s '%s'", what, clip(f.word))
	return -1
}

func (b *builder) fleet(name string, v *value) Fleet {
	f := Fleet{Name: name, Instances: v.count("instances", 1), Do: b.steps(v.list("do"))}
	f.Sources.Batch = 1
	if a := v.get("arrivals"); a != nil {
		b.arrivals(&f, a)
	}
	b.caller(&f, v)
	return f
}

func (b *builder) curve(v *value) []RatePoint {
	if v == nil || v.node.kind == scalarNode {
		p := RatePoint{}
		if v != nil {
			p.Rate = v.num
		}
		return []RatePoint{p}
	}
	var curve []RatePoint
	for i, p := range v.items {
		point := RatePoint{At: p.duration("at", 0), Rate: p.number("rate", 0), Ramp: p.duration("ramp", 0)}
		curve = append(curve, point)
		if p.broken {
			continue
		}
		if i == 0 && (point.At != 0 || point.Ramp != 0) {
			b.fs.fault(p.at("at"), p.path, "add {at: 0s, rate: ...} before it", "the first point of a rate curve must be at 0s, without a ramp")
			continue
		}
		if i > 0 && !v.items[i-1].broken {
			before := curve[i-1]
			if free := before.At + before.Ramp; point.At <= before.At || point.At < free {
				b.fs.fault(p.at("at"), p.path, "", "this point is at %s, but the one before begins at %s and is reached at %s", span2text(point.At), span2text(before.At), span2text(free))
			}
		}
	}
	return curve
}

func (b *builder) service(name string, v *value) Service {
	s := Service{Name: name, Instances: v.count("instances", 1), Workers: workers(v), Do: b.steps(v.list("do")),
		Queue: Queue{Limit: -1, Discipline: FIFO}, Abandoned: Abandoned(v.text("abandoned", string(Keep))), ErrorShare: v.number("errors", 0)}
	if q := v.get("queue"); q != nil {
		s.Queue.Discipline = Discipline(q.text("discipline", string(FIFO)))
		if l := q.get("limit"); l != nil && l.word == "" {
			s.Queue.Limit = int(l.whole)
		}
		b.waiting(&s, q)
	}
	b.abilities(&s, v)
	s.Balancing = b.balancing(v)
	b.brokerSense(&s, v)
	if c := v.get("crash"); c != nil {
		s.Crash = &Crash{QueueAbove: c.count("whenQueueAbove", 0), Restart: c.duration("restart", 0)}
	}
	if c := v.get("coldStart"); c != nil {
		s.ColdStart = &ColdStart{From: c.number("from", 1), For: c.duration("for", 0)}
	}
	return s
}

func (b *builder) link(v *value) Link {
	l := Link{From: v.text("from", ""), To: b.index(v, "to", "services")}
	if f := v.get("from"); f != nil {
		all := append(append([]string{}, b.names("callers")...), b.names("services")...)
		if !contains(all, f.word) {
			b.fs.fault(f.node.pos, f.path, meant(f.word, "there are", all), "there is no fleet or service '%s'", clip(f.word))
		}
	}
	l.Loss = v.number("loss", 0)
	if d := v.get("latency"); d != nil {
		l.Latency = b.dist(d)
	} else if v.get("loss") == nil && !v.broken {
		b.fs.fault(v.node.pos, v.path, "latency: 2ms, or loss: 1%", "a link needs 'latency' or 'loss'")
	}
	return l
}

func contains(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}

// dist makes a time law. What its package refuses is a fault at the law's key.
func (b *builder) dist(v *value) dist.Dist {
	if v == nil || v.broken {
		return nil
	}
	d, err := b.law(v)
	if err != nil {
		if err != errTold {
			b.fs.fault(v.node.pos, v.path, "", "%s", lawMessage(err))
		}
		return nil
	}
	b.doubt(v, d)
	b.fs.law(v.path, d)
	return d
}
