package models

// ClassConfig is a class of a fleet's requests.
type ClassConfig struct {
	Name string
	// Weight against the other classes of the fleet, at least 0 and above 0 for one
	// of them: how often a request is of this class.
	Weight float64
	// Priority from 0 on, higher is more important; services may serve or shed by it.
	Priority int
	// NonIdempotent: to carry such a request out twice does harm. Its calls say so to
	// their pipelines, and what is done twice all the same is counted.
	NonIdempotent bool
}

// mark is what travels with a request: with its calls, with the tasks that these
// are at services, and with the calls that those make onward.
type mark struct {
	class uint16 // place in the graph's classes, 0: of no class
	item  uint32 // which of the fleet's keys the request is about, 0 without keys
	// effects is the place+1 of what was done for the request so far; 0: it may be done twice.
	effects uint32
	path    uint64 // of steps from the request to here, where effects are kept
}

// class is a class of a fleet's requests. The first one of a graph is that of all
// requests of fleets without classes.
type class struct {
	place         int // in the fleet's list, -1: of no class
	priority      int
	nonIdempotent bool
}

// classes of a fleet are neighbours in the graph's list: base+1 on, with the upper
// ends of their parts of [0,1).
type classes struct {
	base  int
	upper []float64
}

func (g *Graph) addClasses(list []ClassConfig) classes {
	if len(g.classes) == 0 {
		g.classes = append(g.classes, class{place: -1})
	}
	cs := classes{base: len(g.classes) - 1}
	total, sum := 0.0, 0.0
	for _, c := range list {
		total += c.Weight
	}
	for i, c := range list {
		sum += c.Weight
		cs.upper = append(cs.upper, sum/total)
		g.classes = append(g.classes, class{place: i, priority: c.Priority, nonIdempotent: c.NonIdempotent})
	}
	return cs
}

// classOf is the class that a mark names.
func (g *Graph) classOf(m mark) *class { return &g.classes[m.class] }

// draw gives a request its class, by the request's own key.
func (cs *classes) draw(u float64) uint16 {
	for i, upper := range cs.upper {
		if u < upper {
			return uint16(cs.base + 1 + i)
		}
	}
	return uint16(cs.base + len(cs.upper)) // rounding left the last part short of 1
}

// carry gives a call the mark of the request that it is made for. step tells the calls
// apart that are made in one place.
func (g *Graph) carry(c *call, m mark, step uint64) {
	c.mark = m
	if m.effects != 0 {
		c.path = onward(m.path, step)
		g.hold(m)
	}
	c.machine.NonIdempotent = g.classes[m.class].nonIdempotent
	c.machine.Level = g.classes[m.class].priority
}
