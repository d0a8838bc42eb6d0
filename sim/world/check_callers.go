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
}
