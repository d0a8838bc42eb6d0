package world

import "github.com/resilsim/resilsim/sim/scenario"

// caller checks the settings that only some fleets have.
func (c *checker) caller(where string, f *scenario.Fleet) {
	total := 0.0
	for _, class := range f.Classes {
		c.need(class.Weight >= 0 && class.Priority >= 0, where, "classes of weight and priority 0 or more")
		total += class.Weight
	}
	c.need(len(f.Classes) == 0 || (total > 0 && len(f.Classes) < 1<<10), where, "a class of weight above 0")
	s := &f.Sources
	c.need(s.Batch >= 0, where, "batches of at least one request")
	if l := s.Closed; l != nil {
		c.need(l.Users >= 1 && l.Think != nil, where, "at least one user and a time to think")
	}
	for _, b := range s.Bursts {
		c.need(b.Size >= 1 && b.At >= 0 && b.Every >= 0, where, "bursts of at least one request, from 0 on")
	}
	if t := s.Trace; t != nil {
		for i := 1; i < len(t.Times); i++ {
			c.need(t.Times[i] >= t.Times[i-1], where, "recorded times in order")
		}
	}
	if k := f.Keys; k != nil {
		c.need(k.Count >= 1 && k.Exponent >= 0 && k.Hot >= 0 && k.Hot <= k.Count, where, "at least one key")
	}
	if p := f.Patience; p != nil {
		c.need(p.Time != nil, where, "a time of patience")
	}
	if r := f.Retrial; r != nil {
		c.need(r.After != nil && r.Limit >= 0, where, "a time after which users come back")
	}
}
