package world

import (
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// callerOf adds the settings that only some fleets have.
func callerOf(out *models.FleetConfig, f *scenario.Fleet) {
	s := &f.Sources
	out.Uniform, out.Batch = f.Arrivals.Law == scenario.Uniform, s.Batch
	if c := s.Closed; c != nil {
		out.Closed = &models.ClosedConfig{Users: c.Users, Think: c.Think}
	}
	for _, b := range s.Bursts {
		out.Bursts = append(out.Bursts, models.Burst{At: b.At, Every: b.Every, Size: b.Size})
	}
	if t := s.Trace; t != nil {
		out.Times = t.Times
		out.Uniform, out.Centred = t.Even, t.Even
	}
	for _, c := range f.Classes {
		out.Classes = append(out.Classes, models.ClassConfig{Name: c.Name, Weight: c.Weight, Priority: c.Priority, NonIdempotent: !c.Idempotent})
	}
	if k := f.Keys; k != nil {
		out.Keys = &models.KeysConfig{Count: k.Count, Exponent: k.Exponent, Hot: k.Hot, HotShare: k.HotShare}
	}
	if p := f.Patience; p != nil {
		out.Patience = &models.PatienceConfig{Time: p.Time, UntilStarted: p.UntilStarted}
	}
	if r := f.Retrial; r != nil {
		out.Retrial = &models.RetrialConfig{After: r.After, Probability: r.Probability, Limit: r.Limit}
	}
}
