package scenario

// surges refuses to multiply a load that is no rate.
func (b *builder) surges() {
	for i, f := range b.sc.Faults {
		if f.Kind != Surge || f.Fleet < 0 || f.RatePerSec > 0 {
			continue
		}
		switch fleet := &b.sc.Callers[f.Fleet]; fleet.Arrivals.Law {
		case ClosedLoop, InBursts:
			b.untimely(i, fleet)
		case Recorded:
			if len(fleet.Sources.Trace.Times) > 0 {
				b.untimely(i, fleet)
			}
		}
	}
}

func (b *builder) untimely(fault int, f *Fleet) {
	v := b.root.list("faults")[fault]
	b.fs.fault(v.at("surge"), join(v.path, "surge"), "give a 'rate': so many requests come besides", "'times' multiplies a rate, and the load of '%s' is none", f.Name)
}
