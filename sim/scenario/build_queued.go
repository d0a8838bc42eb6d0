package scenario

import (
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/hedge"
)

// bulkhead is a plain one unless a setting asks for a queue that looks at its calls.
func (b *builder) bulkhead(s *value, p *Policy) {
	order := bulkhead.Order(s.text("order", ""))
	if order != bulkhead.AdaptiveLIFO && order != bulkhead.Priority && s.get("minRemainingDuration") == nil {
		c := bulkhead.Defaults()
		fill(&c, s)
		p.Bulkhead = &c
		b.judge(s, c.Validate())
		b.stray(s, order)
		return
	}
	c := bulkhead.QueueDefaults()
	c.Order = bulkhead.FIFO
	fill(&c.Config, s)
	fill(&c, s)
	if c.Order != bulkhead.AdaptiveLIFO {
		c.Interval, c.Target = 0, 0
	}
	p.QueuedBulkhead = &c
	b.stray(s, order)
	b.judge(s, c.Validate())
}

// stray faults settings that the order has no use for.
func (b *builder) stray(s *value, order bulkhead.Order) {
	for _, key := range []string{"interval", "target"} {
		if s.get(key) != nil && order != bulkhead.AdaptiveLIFO {
			b.fs.fault(s.at(key), join(s.path, key), "", "'%s' belongs to order: adaptive_lifo", key)
		}
	}
	// The queue that looks at its calls says so itself of levels.
	plain := order != bulkhead.AdaptiveLIFO && s.get("minRemainingDuration") == nil
	if s.get("levels") != nil && order != bulkhead.Priority && plain {
		b.fs.fault(s.at("levels"), join(s.path, "levels"), "", "'levels' belongs to order: priority")
	}
}

// hedges faults a second hedge of a pipeline, and a fallback inside one.
func (b *builder) hedges(items []*value, policies []Policy) {
	hedged := false
	for i, p := range policies {
		at, path := items[i].node.pos, items[i].path
		switch {
		case hedged && p.Hedge != nil:
			b.fs.fault(at, path, "set maxHedges instead", "a second hedge would multiply the attempts")
		case hedged && p.Fallback != nil:
			b.fs.fault(at, path, "put the fallback first", "a fallback inside the hedge would answer for a single attempt")
		}
		hedged = hedged || p.Hedge != nil
	}
}

func (b *builder) pool(s *value) *bulkhead.PoolConfig {
	c := bulkhead.PoolDefaults()
	fill(&c, s)
	b.judge(s, c.Validate())
	return &c
}

func (b *builder) hedge(s *value) *hedge.Config {
	c := hedge.Defaults()
	// A delay alone means a fixed one.
	if s.get("delay") != nil && s.get("delayPercentile") == nil {
		c.DelayPercentile, c.WindowSize, c.MinimumNumberOfCalls = 0, 0, 0
	}
	fill(&c, s)
	c.Budget = b.budget(s.get("budget"))
	b.judge(s, c.Validate())
	return &c
}
