package models

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/patterns"
)

// CacheConfig is a cache that a step of a handler looks into before it calls. What it
// finds depends on TTL, capacity and the keys that requests are about: the hit ratio is a
// consequence. Requests without keys are all about one.
type CacheConfig struct {
	Name string
	// Local: each instance has its own, which is lost when it crashes.
	Local bool
	// TTL is how long an answer is good; 0: for ever.
	TTL time.Duration
	// Capacity in entries; 0: enough. What is used (FIFO: kept) longest ago makes room.
	Capacity int
	FIFO     bool
	// Hit is the time that a hit takes.
	Hit time.Duration
	// Coalesce: who misses what is being loaded waits for that.
	Coalesce bool
	// Stale is how long after its TTL an answer is still given, while one call loads it
	// anew in the background.
	Stale time.Duration
	// Early is the beta of early refresh: an answer is loaded anew in the background before
	// its TTL has passed, with a probability that grows towards its end. 0: off, 1: as a
	// rule. Source: Vattani, Chierichetti, Lowenstein, "Optimal Probabilistic Cache
	// Stampede Prevention", VLDB 2015.
	Early float64
}

// cache is one in use: the shared one, or that of an instance.
type cache struct {
	cfg   *CacheConfig
	at    map[uint32]int32 // place of a key
	list  []cached
	free  int32 // places that are free, through next
	head  int32 // to go first
	tail  int32
	loads map[uint32]*load
	down  int // how many faults keep it from answering
}

type cached struct {
	key        uint32
	next, prev int32
	stored     time.Duration
	took       time.Duration // to load
}

// load is a call under way that will fill an entry.
type load struct {
	began   time.Duration
	waiters []handle
}

func newCache(cfg *CacheConfig) *cache {
	return &cache{cfg: cfg, at: map[uint32]int32{}, free: nobody, head: nobody, tail: nobody, loads: map[uint32]*load{}}
}

// addCaches makes the caches of the graph: one each, or one for each instance that may
// ever look into it.
func (g *Graph) addCaches(list []CacheConfig) {
	for i := range list {
		n := 1
		if list[i].Local {
			for _, s := range g.services {
				n = max(n, len(s.instances))
			}
		}
		var of []*cache
		for range n {
			of = append(of, newCache(&list[i]))
		}
		g.caches = append(g.caches, of)
	}
}

// cacheOf is the cache that a task's present step looks into.
func (g *Graph) cacheOf(t *task, st *Step) *cache {
	of := g.caches[st.Cache-1]
	if of[0].cfg.Local {
		// Services have instances of their own, each with a cache of its own.
		return of[t.instance]
	}
	return of[0]
}

// looked is what comes of a look into a cache.
type looked uint8

const (
	misses looked = iota // the call is to be made
	hits                 // the step is done
	busy                 // the task is told when it goes on
)

// lookUp looks for what a task is about. A hit takes its time, and who misses what is
// being loaded waits for that.
func (g *Graph) lookUp(o *owner, h handle, t *task, st *Step) looked {
	c, now := g.cacheOf(t, st), g.now()
	fresh, kept := c.find(now, t.mark.item)
	hit := fresh || kept
	g.probe.CacheLooked(now, int(o.service), hit)
	if hit {
		if !fresh || c.early(g, t, now) {
			g.refresh(o, t, st, c)
		}
		if c.cfg.Hit == 0 {
			return hits
		}
		g.work(o, h, t, c.cfg.Hit)
		return busy
	}
	if !c.cfg.Coalesce || c.down > 0 {
		return misses
	}
	if l := c.loads[t.mark.item]; l != nil {
		l.waiters = append(l.waiters, h)
		t.loads = waitsForLoad
		if o.async {
			g.stepAside(h, t)
		}
		return busy
	}
	c.loads[t.mark.item] = &load{began: now}
	t.loads = leadsLoad
	return misses
}

// loading says what a task has to do with a load.
type loading uint8

const (
	noLoad loading = iota
	leadsLoad
	waitsForLoad
)

// find looks for a key: fresh, or kept beyond its time and still good enough.
func (c *cache) find(now time.Duration, key uint32) (fresh, kept bool) {
	i, ok := c.at[key]
	if !ok || c.down > 0 {
		return false, false
	}
	e, ttl := &c.list[i], c.cfg.TTL
	age := now - e.stored
	switch {
	case ttl == 0 || age < ttl:
		fresh = true
	case age < ttl+c.cfg.Stale:
		kept = true
	default:
		c.drop(i)
		return false, false
	}
	if !c.cfg.FIFO {
		c.unlink(i)
		c.link(i)
	}
	return fresh, kept
}

// early draws whether a fresh answer is loaded anew before its time.
func (c *cache) early(g *Graph, t *task, now time.Duration) bool {
	if c.cfg.Early == 0 || c.cfg.TTL == 0 {
		return false
	}
	e := &c.list[c.at[t.mark.item]]
	u := drawOf(t.key, drawRefresh, uint64(t.step)).Unit()
	ahead := -float64(float64(e.took)*c.cfg.Early) * exact.Log(1-u)
	return float64(now-e.stored)+ahead >= float64(c.cfg.TTL)
}

// keep stores an answer and makes room for it.
func (c *cache) keep(now time.Duration, key uint32, took time.Duration) {
	if c.down > 0 {
		return
	}
	if i, ok := c.at[key]; ok {
		c.drop(i)
	}
	if c.cfg.Capacity > 0 && len(c.at) >= c.cfg.Capacity {
		c.drop(c.head)
	}
	i := c.free
	if i == nobody {
		i = int32(len(c.list))
		c.list = append(c.list, cached{})
	} else {
		c.free = c.list[i].next
	}
	c.list[i] = cached{key: key, stored: now, took: took}
	c.at[key] = i
	c.link(i)
}

func (c *cache) drop(i int32) {
	c.unlink(i)
	delete(c.at, c.list[i].key)
	c.list[i].next, c.free = c.free, i
}

func (c *cache) link(i int32) {
	e := &c.list[i]
	e.prev, e.next = c.tail, nobody
	if c.tail == nobody {
		c.head = i
	} else {
		c.list[c.tail].next = i
	}
	c.tail = i
}

func (c *cache) unlink(i int32) {
	e := &c.list[i]
	if e.prev == nobody {
		c.head = e.next
	} else {
		c.list[e.prev].next = e.next
	}
	if e.next == nobody {
		c.tail = e.prev
	} else {
		c.list[e.next].prev = e.prev
	}
}

// flush throws everything away. Loads under way go on.
func (c *cache) flush() {
	clear(c.at)
	c.list, c.free, c.head, c.tail = c.list[:0], nobody, nobody, nobody
}

// loaded tells a cache how the call of a task that missed ended, and those who waited
// for it.
func (g *Graph) loaded(t *task, r patterns.Result, why Why, began time.Duration) {
	st := &g.owners[t.owner].steps[t.step]
	if st.Cache == 0 {
		return
	}
	c, key := g.cacheOf(t, st), t.mark.item
	if worthKeeping(r) {
		c.keep(g.now(), key, g.now()-began)
	}
	if t.loads != leadsLoad {
		return
	}
	t.loads = noLoad
	g.endLoad(c, key, r, why)
}

// endLoad tells those who wait for a load how it ended.
func (g *Graph) endLoad(c *cache, key uint32, r patterns.Result, why Why) {
	l := c.loads[key]
	if l == nil {
		return
	}
	delete(c.loads, key)
	for _, h := range l.waiters {
		if t := g.task(h); t != nil && t.loads == waitsForLoad {
			t.loads = noLoad
			g.stepCalled(h, t, r, why)
		}
	}
}

// abandonLoad lets go of a load that a task leads, because the task ends before it.
func (g *Graph) abandonLoad(t *task) {
	if t.loads == leadsLoad {
		st := &g.owners[t.owner].steps[t.step]
		t.loads = noLoad
		g.endLoad(g.cacheOf(t, st), t.mark.item, patterns.Result{Outcome: patterns.Failure, Reason: patterns.Cancelled}, WhyCancelled)
	}
	t.loads = noLoad
}

// refresh loads an entry anew in the background, unless somebody does so already.
func (g *Graph) refresh(o *owner, t *task, st *Step, c *cache) {
	key := t.mark.item
	if c.loads[key] != nil {
		return
	}
	c.loads[key] = &load{began: g.now()}
	n := g.newCall(o, t.instance, st.Call, o.pipe(st.Through), drawOf(t.key, drawRefresh, uint64(t.step)|1<<32))
	n.refreshes, n.item = c, key
	n.parent, n.ofTask = n.handle(), false // nobody waits for it, and it is to be heard when it ends
	g.carry(n, mark{class: t.mark.class, item: key}, uint64(t.step))
	g.begin(n, patterns.Never)
}

// refreshed ends a load in the background.
func (g *Graph) refreshed(c *cache, key uint32, r patterns.Result, why Why) {
	if l := c.loads[key]; l != nil && worthKeeping(r) {
		c.keep(g.now(), key, g.now()-l.began)
	}
	g.endLoad(c, key, r, why)
}

// worthKeeping: what a fallback answered is not.
func worthKeeping(r patterns.Result) bool { return r.Outcome == patterns.Success && !r.Degraded }

// forget loses the caches that an instance has of its own.
func (g *Graph) forget(in *instance) {
	for _, st := range in.service.owner.steps {
		if st.Cache > 0 && g.caches[st.Cache-1][0].cfg.Local {
			g.caches[st.Cache-1][in.number].flush()
		}
	}
}

// flushed keeps a cache from answering, and returns what ends that: it is empty then.
func (g *Graph) flushed(i int) (undo func()) {
	for _, c := range g.caches[i] {
		c.down++
		c.flush()
	}
	return func() {
		for _, c := range g.caches[i] {
			c.down--
		}
	}
}

// cacheSubject is how a timeline names a cache.
func (g *Graph) cacheSubject(i int) string { return fmt.Sprintf("caches.%s", g.caches[i][0].cfg.Name) }
