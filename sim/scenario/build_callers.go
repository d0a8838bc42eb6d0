package scenario

import "time"

func (b *builder) classes(v *value) []Class {
	if v == nil {
		return nil
	}
	var list []Class
	total := 0.0
	each(v, func(name string, c *value) {
		class := Class{Name: name, Weight: c.number("weight", 1), Priority: c.count("priority", 0), Idempotent: true}
		if f := c.get("idempotent"); f != nil {
			class.Idempotent = f.flag
		}
		total += class.Weight
		list = append(list, class)
	})
	switch {
	case v.broken:
	case len(list) == 0:
		b.fs.fault(v.node.pos, v.path, "name a class, or leave the key out", "'classes' is empty")
	case len(list) > maxClasses:
		b.fs.fault(v.node.pos, v.path, "", "there are %d classes; a fleet may have at most %d", len(list), maxClasses)
	case total == 0:
		b.fs.fault(v.node.pos, v.path, "give one of them a weight above 0", "all classes have weight 0: no request could be of any")
	}
	return list
}

// caller fills in the settings that only some fleets have.
func (b *builder) caller(f *Fleet, v *value) {
	f.Classes, f.Keys = b.classes(v.get("classes")), b.keys(v.get("keys"))
	if p := v.get("patience"); p != nil && p.node.kind == scalarNode {
		f.Patience = &Patience{Time: b.dist(p)}
	} else if p != nil {
		f.Patience = &Patience{Time: b.dist(p.get("time")), UntilStarted: p.text("until", "answered") == "started"}
	}
	if r := v.get("retrial"); r != nil {
		f.Retrial = &Retrial{After: b.dist(r.get("after")), Probability: r.number("probability", 1), Limit: r.count("limit", 0)}
	}
}

func (b *builder) keys(v *value) *Keys {
	if v == nil {
		return nil
	}
	kind, p := v.chosen(keysShape())
	k := &Keys{Count: p.count("count", 0)}
	switch kind {
	case "zipf":
		k.Exponent = p.number("exponent", 1)
	case "hot":
		k.Hot, k.HotShare = p.count("keys", 1), p.number("share", 0)
		if k.Hot > k.Count && !p.broken {
			b.fs.fault(p.at("keys"), join(p.path, "keys"), "", "%d keys are hot, but there are only %d", k.Hot, k.Count)
		}
	}
	return k
}

// arrivals reads a fleet's load.
func (b *builder) arrivals(f *Fleet, v *value) {
	law, s := v.chosen(arrivalsTable)
	f.Arrivals.Law, f.Arrivals.Curve, f.Sources.Batch = ArrivalLaw(law), []RatePoint{{}}, v.count("batch", 1)
	switch f.Arrivals.Law {
	case ClosedLoop:
		f.Sources.Closed = &Closed{Users: s.count("users", 0), Think: b.dist(s.get("think"))}
	case InBursts:
		b.bursts(f, s)
	case Recorded:
		b.trace(f, s)
	default:
		if s != nil && s.node.kind == mappingNode {
			b.shapedCurve(f, s)
		} else {
			f.Arrivals.Curve = b.curve(s)
		}
		return
	}
	if batch := v.get("batch"); batch != nil {
		b.fs.fault(v.at("batch"), batch.path, "", "'batch' belongs to 'poisson' or 'uniform'")
	}
}

func (b *builder) bursts(f *Fleet, list *value) {
	for _, v := range list.items {
		burst := Burst{At: v.duration("at", 0), Every: v.duration("every", 0), Size: v.count("size", 0)}
		f.Sources.Bursts = append(f.Sources.Bursts, burst)
		if !v.broken && b.root.get("duration") != nil && burst.At >= b.sc.Duration {
			b.fs.fault(v.at("at"), join(v.path, "at"), "", "the burst comes at %s, but the run ends at %s", span2text(burst.At), span2text(b.sc.Duration))
		}
	}
}

// shapedCurve writes a curve that repeats, or a daily swing, out in points.
func (b *builder) shapedCurve(f *Fleet, v *value) {
	var period []RatePoint
	every := v.duration("every", 0)
	switch kind, p := v.chosen(curveShape(nil)); {
	case p == nil || v.broken:
		return
	case kind == "daily":
		d := &Daily{Low: p.number("low", 0), High: p.number("high", 0), Period: p.duration("period", 24*time.Hour)}
		d.Peak = p.duration("peak", d.Period/2)
		if d.Low > d.High {
			b.fs.fault(p.at("low"), join(p.path, "low"), "", "the lowest rate %s/s is above the highest, %s/s", decimal(d.Low), decimal(d.High))
		}
		if v.get("every") != nil {
			b.fs.fault(v.at("every"), join(v.path, "every"), "write 'period' within 'daily'", "'every' belongs to 'points'")
		}
		f.Sources.Daily, every, period = d, d.Period, d.points()
	default:
		period = b.curve(p)
		f.Sources.Every = every
		last := period[len(period)-1]
		if end := last.At + last.Ramp; every > 0 && end > every {
			b.fs.fault(v.at("every"), join(v.path, "every"), "", "the curve begins again after %s, but its last point is reached at %s only", span2text(every), span2text(end))
			return
		}
	}
	if every > 0 && int64(b.sc.Duration/every)*int64(len(period)) > maxPoints {
		b.fs.fault(v.node.pos, v.path, "", "a period of %s gives more than %d points in %s", span2text(every), maxPoints, span2text(b.sc.Duration))
		return
	}
	f.Arrivals.Curve = repeated(period, every, b.sc.Duration)
}

// repeated puts a period's points one after the other until the end of the run. Where
// a period begins as the one before ended, there is no point.
func repeated(period []RatePoint, every, end time.Duration) []RatePoint {
	curve := append([]RatePoint{}, period...)
	if every <= 0 {
		return curve
	}
	last := period[len(period)-1]
	for start := every; start < end; start += every {
		for i, p := range period {
			if i == 0 && p.Rate == last.Rate && last.At+last.Ramp == every {
				continue
			}
			p.At += start
			curve = append(curve, p)
		}
	}
	return curve
}

// raised is (1 + cos x)/2 in 24 steps from 0 to half a turn: the same digits on every
// machine.
var raised = [...]float64{
	1, 0.9957224306869051, 0.9829629131445341, 0.9619397662556434, 0.9330127018922194, 0.8966766701456176,
	0.8535533905932737, 0.8043807145043604, 0.75, 0.6913417161825449, 0.6294095225512604, 0.5652630961100258,
	0.5, 0.43473690388997416, 0.37059047744873963, 0.3086582838174553, 0.25, 0.19561928549563964,
	0.1464466094067263, 0.10332332985438249, 0.06698729810778066, 0.038060233744356645, 0.01703708685546589, 0.004277569313094821,
	0,
}

// points are 48 straight pieces of a period and the rate at its beginning.
func (d *Daily) points() []RatePoint {
	const pieces = 48
	step := d.Period / pieces
	at := func(k int) float64 {
		k %= pieces
		if k > pieces/2 {
			k = pieces - k
		}
		return d.Low + float64((d.High-d.Low)*raised[k])
	}
	// The peak lies so far into a piece of the grid that begins with the run.
	into := d.Peak % d.Period % step
	first := pieces - int(d.Peak%d.Period/step)
	part := 0.0
	if into > 0 {
		part = float64(into) / float64(step)
	}
	// At 0 the rate lies between two points of the grid around the peak.
	start := float64(at(first+pieces-1)*part) + float64(at(first)*(1-part))
	list := []RatePoint{{Rate: start}}
	for k := range pieces {
		if into > 0 || k > 0 {
			end := into + time.Duration(k)*step
			from := list[len(list)-1]
			list = append(list, RatePoint{At: from.At + from.Ramp, Rate: at(first + k), Ramp: end - from.At - from.Ramp})
		}
	}
	from := list[len(list)-1]
	return append(list, RatePoint{At: from.At + from.Ramp, Rate: start, Ramp: d.Period - from.At - from.Ramp})
}
