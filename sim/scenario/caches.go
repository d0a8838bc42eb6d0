package scenario

import (
	"strconv"
	"time"
)

// Flush is the fault of a cache that finds and keeps nothing; afterwards it is empty.
const Flush FaultKind = "flush"

// Cache is what a handler looks into before it calls.
type Cache struct {
	Name string
	// Local: each instance has its own; else all look into one.
	Local bool
	// TTL, 0: for ever. Capacity in entries, 0: enough.
	TTL      time.Duration
	Capacity int
	FIFO     bool // eviction
	// Hit is the time that a hit takes.
	Hit                  time.Duration
	Coalesce             bool
	StaleWhileRevalidate time.Duration
	EarlyRefresh         float64
}

func cacheShape() *shape {
	return &shape{kind: mappingShape, name: "a cache", title: "Cache", about: "What a handler looks into before it calls: a step `{call: db, cache: products}`. What is looked for is the key that a request is about (`keys` of its callers); without keys all requests are about one. Only answers are kept, not errors and not what a fallback answers.", keys: []key{
		{name: "ttl", shape: positiveDuration(), dflt: "for ever", meaning: "how long an answer is good"},
		{name: "capacity", shape: count(1, 1e9), dflt: "enough", meaning: "entries; another one makes room for a new one"},
		{name: "eviction", shape: oneWord("lru", "fifo"), dflt: "lru", meaning: "which one: used longest ago, or kept longest ago"},
		{name: "hit", shape: duration(), dflt: "0s", meaning: "time that a hit takes its worker"},
		{name: "local", shape: toggle(), dflt: "false", meaning: "each instance has its own, which a crash empties; else all share one"},
		{name: "coalesce", shape: toggle(), dflt: "false", meaning: "who misses what is being loaded waits for that instead of calling too", elsewhere: "golang.org/x/sync/singleflight; nginx: proxy_cache_lock"},
		{name: "staleWhileRevalidate", shape: duration(), dflt: "0s", meaning: "how long after its ttl an answer is still given, while one call loads it anew in the background", elsewhere: "RFC 5861; nginx: proxy_cache_use_stale updating"},
		{name: "earlyRefresh", shape: number(0, 100), dflt: "0", meaning: "above 0 an answer is loaded anew in the background before its ttl has passed, with a probability that grows towards the end; 1 is the rule, more is earlier (XFetch's beta)"},
	}}
}

func flushShape() *shape {
	return &shape{kind: mappingShape, name: "a flush", title: "Flush", about: "A cache finds and keeps nothing while it lasts; then it is empty.", keys: []key{
		{name: "cache", shape: ref("caches"), need: true, meaning: "cache that is hit"},
	}}
}

func (b *builder) cache(name string, v *value) Cache {
	return Cache{
		Name: name, Local: v.bool("local"), TTL: v.duration("ttl", 0), Capacity: v.count("capacity", 0),
		FIFO: v.text("eviction", "lru") == "fifo", Hit: v.duration("hit", 0), Coalesce: v.bool("coalesce"),
		StaleWhileRevalidate: v.duration("staleWhileRevalidate", 0), EarlyRefresh: v.number("earlyRefresh", 0),
	}
}

// cacheOf reads the cache of a step: its place+1 among the caches, 0 for none.
func (b *builder) cacheOf(v *value) int {
	if v.get("cache") != nil && v.get("call") == nil && !v.broken {
		b.fs.fault(v.at("cache"), join(v.path, "cache"), "", "'cache' belongs to a call; this step works")
	}
	return b.index(v, "cache", "caches") + 1
}

// cached verifies who looks into which cache: services only, and a local one belongs to
// one service.
func (b *builder) cached() {
	user := map[int]string{}
	each(b.root.get("callers"), func(_ string, v *value) {
		for _, s := range v.list("do") {
			if s.get("cache") != nil {
				b.fs.fault(s.at("cache"), join(s.path, "cache"), "put a service between", "'cache' belongs to a handler of a service; these are callers")
			}
		}
	})
	each(b.root.get("services"), func(name string, v *value) {
		for _, s := range v.list("do") {
			if s.get("cache") == nil {
				continue
			}
			i := b.cacheOf(s) - 1
			if i < 0 || !b.sc.Caches[i].Local {
				continue
			}
			if user[i] != "" && user[i] != name {
				b.fs.fault(s.at("cache"), join(s.path, "cache"), "make it two caches, or a shared one", "the local cache '%s' is that of service %s", b.sc.Caches[i].Name, user[i])
			}
			user[i] = name
		}
	})
}

func (w *yamlWriter) caches() {
	if len(w.sc.Caches) == 0 {
		return
	}
	w.line(0, "caches:")
	for _, c := range w.sc.Caches {
		var p pairs
		if c.TTL > 0 {
			p.span("ttl", c.TTL)
		}
		if c.Capacity > 0 {
			p.add("capacity", strconv.Itoa(c.Capacity))
		}
		p.add("eviction", map[bool]string{true: "fifo", false: "lru"}[c.FIFO])
		p.span("hit", c.Hit)
		p.add("local", strconv.FormatBool(c.Local))
		p.add("coalesce", strconv.FormatBool(c.Coalesce))
		p.span("staleWhileRevalidate", c.StaleWhileRevalidate)
		p.float("earlyRefresh", c.EarlyRefresh)
		w.line(1, "%s: %s", c.Name, p)
	}
}
