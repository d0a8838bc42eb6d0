package models

import "time"

// flight is an attempt of a call that is under way. A call has one at a time, or,
// where it hedges, several.
type flight struct {
	began   time.Duration
	job     handle // its task
	attempt uint32
	open    bool // not settled
}

// board makes room for one more attempt of the call.
func (c *call) board() *flight {
	if !c.first.open {
		return &c.first
	}
	for i := range c.more {
		if f := &c.more[i]; !f.open {
			return f
		}
	}
	c.more = append(c.more, flight{})
	return &c.more[len(c.more)-1]
}

// flown returns the attempt if it is under way, else nil.
func (c *call) flown(attempt uint32) *flight {
	if c.first.open && c.first.attempt == attempt {
		return &c.first
	}
	for i := range c.more {
		if f := &c.more[i]; f.open && f.attempt == attempt {
			return f
		}
	}
	return nil
}

// aloft is the number of attempts under way.
func (c *call) aloft() int {
	n := 0
	if c.first.open {
		n++
	}
	for i := range c.more {
		if c.more[i].open {
			n++
		}
	}
	return n
}
