package models

import "time"

// rampSteps is in how many steps a fault comes, and goes.
const rampSteps = 20

// between is where the part of a fault's effect that is felt now lies between none of
// it and all of it.
func (f *Fault) between(none, all float64) float64 {
	if f.part == 0 {
		return all
	}
	return none + float64((all-none)*(1+f.part))
}

// slope puts the steps of a fault's coming and going on the agenda. It begins with the
// first step of its effect and ends with none of it left.
func (g *Graph) slope(f *Fault) {
	step := func(at time.Duration, part float64) {
		g.eng.Func(at, func() {
			f.part = part - 1
			if f.again != nil {
				f.again()
				g.settle()
			}
		})
	}
	if f.RampIn > 0 {
		f.part = 1.0/rampSteps - 1
		for i := 1; i < rampSteps; i++ {
			step(f.At+f.RampIn*time.Duration(i)/rampSteps, float64(i+1)/rampSteps)
		}
	}
	if f.RampOut > 0 {
		for i := range rampSteps {
			// Before the fault's own end, which takes the rest away.
			step(f.At+f.For-f.RampOut+f.RampOut*time.Duration(i)/rampSteps, float64(rampSteps-i-1)/rampSteps)
		}
	}
}

func lieOf(healthy bool) int8 {
	if healthy {
		return 1
	}
	return -1
}
