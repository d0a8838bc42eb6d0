package world

import (
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// callerOf adds the settings that only some fleets have.
func callerOf(out *models.FleetConfig, f *scenario.Fleet) {
	for _, c := range f.Classes {
		out.Classes = append(out.Classes, models.ClassConfig{Name: c.Name, Weight: c.Weight, Priority: c.Priority, NonIdempotent: !c.Idempotent})
	}
}
