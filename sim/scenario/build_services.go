package scenario

import (
	"time"

	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/codel"
	"github.com/resilsim/resilsim/patterns/priority"
	"github.com/resilsim/resilsim/patterns/ratelimit"
)

// workers is a number of them, or Unlimited.
func workers(v *value) int {
	if w := v.get("workers"); w != nil && w.word != "" {
		return Unlimited
	}
	return v.count("workers", 1)
}

// waiting reads what a queue does besides its order and length.
func (b *builder) waiting(s *Service, q *value) {
	w := &s.Queue.Waiting
	w.MaxWait, w.MinRemaining = q.duration("maxWaitDuration", 0), q.duration("minRemainingDuration", 0)
	w.Deadlines = q.bool("deadlines") || w.MinRemaining > 0
	d := bulkhead.QueueDefaults()
	if s.Queue.Discipline == AdaptiveLIFO {
		w.MaxWait = q.duration("maxWaitDuration", d.MaxWaitDuration.Std())
		w.Interval, w.Target = q.duration("interval", d.Interval.Std()), q.duration("target", d.Target.Std())
	}
	if c := q.get("codel"); c != nil {
		set := codel.Defaults()
		fill(&set, c)
		w.CoDel = &set
		b.judge(c, set.Validate())
	}
	b.queueSense(s, q)
}

// queueSense faults settings of a queue that do not go together.
func (b *builder) queueSense(s *Service, q *value) {
	q0 := &s.Queue
	for _, key := range []string{"interval", "target"} {
		if q.get(key) != nil && q0.Discipline != AdaptiveLIFO {
			b.fs.fault(q.at(key), join(q.path, key), "", "'%s' belongs to discipline: adaptive_lifo", key)
		}
	}
	if q0.Discipline == AdaptiveLIFO && q0.Target > q0.MaxWait && !q.broken {
		b.fs.fault(q.at("target"), join(q.path, "target"), "", "'target' is %s, above maxWaitDuration, %s", span2text(q0.Target), span2text(q0.MaxWait))
	}
	if !q0.Looks() {
		return
	}
	if q0.Discipline == Random || q0.Discipline == PreemptivePriority {
		b.fs.fault(q.at("discipline"), join(q.path, "discipline"), "take fifo, lifo, adaptive_lifo or priority", "a queue with 'maxWaitDuration' or 'deadlines' cannot be %s", q0.Discipline)
	}
	if q0.Limit == 0 {
		b.fs.fault(q.at("limit"), join(q.path, "limit"), "", "'limit: 0' lets nobody wait, but this queue looks at those who wait")
	}
}

// abilities reads how a service works on several requests at one time.
func (b *builder) abilities(s *Service, v *value) {
	s.Asynchronous, s.Cores = v.bool("asynchronous"), v.count("cores", 0)
	if s.Asynchronous && s.Queue.Looks() {
		b.fs.fault(v.at("asynchronous"), join(v.path, "asynchronous"), "bound the wait by admission instead",
			"an asynchronous service's queue is fifo, lifo or random, without 'maxWaitDuration' and 'deadlines'")
	}
	if c := v.get("scalability"); c != nil {
		s.Scalability = Scalability{Contention: c.number("contention", 0), Coherence: c.number("coherence", 0)}
	}
	if m := v.get("memory"); m != nil {
		s.Memory = &Memory{Limit: m.number("limitMiB", 0), Base: m.number("baseMiB", 0), PerRequest: m.number("perRequestMiB", 0), Restart: m.duration("restart", time.Second), Collector: m.number("gcOverhead", 0)}
		if left := s.Memory.Limit - s.Memory.Base; !m.broken && left < s.Memory.PerRequest {
			b.fs.fault(m.at("limitMiB"), join(m.path, "limitMiB"), "", "%s MiB are left for requests, which is not enough for one (%s MiB)", decimal(left), decimal(s.Memory.PerRequest))
		}
	}
	seen := map[string]bool{}
	for _, item := range v.list("admission") {
		kind, k := item.chosen(admissionTable)
		if k == nil {
			continue
		}
		if seen[kind] {
			b.fs.fault(item.at(kind), item.path, "", "'%s' is asked at this door already", kind)
		}
		seen[kind] = true
		s.Admission = append(s.Admission, b.admission(kind, k))
	}
}

var admissionTable = admissionShape()

func (b *builder) admission(kind string, k *value) Admission {
	var a Admission
	switch kind {
	case "rateLimiter":
		c := ratelimit.Defaults()
		c.TimeoutDuration = 0
		fill(&c, k)
		a.RateLimiter = &c
		b.judge(k, c.Validate())
	case "bulkhead":
		c := bulkhead.Defaults()
		fill(&c, k)
		a.Bulkhead = &c
		b.judge(k, c.Validate())
	case "adaptiveLimit":
		c := adaptive.Defaults(adaptive.Algorithm(k.text("algorithm", "")))
		fill(&c, k)
		a.AdaptiveLimit = &c
		b.judge(k, c.Validate())
	case "priority":
		c := priority.Defaults()
		fill(&c, k)
		a.Priority = &ClassShedding{Config: c, From: k.count("minQueueLength", 0), To: k.count("maxQueueLength", 0)}
		b.judge(k, c.Validate())
		if !k.broken && a.Priority.From >= a.Priority.To {
			b.fs.fault(k.at("maxQueueLength"), join(k.path, "maxQueueLength"), "", "'maxQueueLength' is %d, not above minQueueLength, %d", a.Priority.To, a.Priority.From)
		}
	}
	return a
}
