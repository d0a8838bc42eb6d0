package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// panels of an incident, top to bottom. Those of what the scope does not have
// are left out.
func (v *view) panels(strip float64) []panel {
	out := []panel{v.load(strip), v.latency()}
	if scope := v.guard(); scope != "" {
		out = append(out, v.breakers(scope))
	}
	if len(v.longestQueue()) > 0 {
		out = append(out, v.queue())
	}
	if len(v.serviceColumn("busy")) > 0 {
		out = append(out, v.workers())
	}
	for i := range out {
		out[i].height = math.Max(out[i].height, legendHeight(out[i].legend, true)-4)
	}
	return out
}

// scopeName is a scope without its kind.
func scopeName(scope string) string {
	_, name, _ := strings.Cut(scope, ".")
	return clean(name)
}

// load shows demand, what the patterns made of it, and what came of it.
func (v *view) load(strip float64) panel {
	p := panel{title: "Load (requests/s)", height: 122}
	if v.callers != "" {
		p.title = "Load of " + scopeName(v.callers) + " (requests/s)"
	}
	offered, goodput := v.callersColumn("offered"), v.callersColumn("goodput")
	top := 0.0
	add := func(name, fact string, values []float64, c curve) {
		if len(values) == 0 {
			return
		}
		c.values = values
		top = math.Max(top, peak(values))
		p.curves = append(p.curves, c)
		p.legend = append(p.legend, entry{name: name, fact: fact, pen: c.pen})
	}
	attempts, rejected := v.callersColumn("attempts"), v.serviceColumn("rejected")
	refused, degraded := v.callersColumn("refused"), v.callersColumn("degraded")
	add("rejected at the door", peakRate(rejected), visible(rejected), curve{pen: pen{purple, 1, nil}})
	add("refused in the end", peakRate(refused), visible(refused), curve{pen: pen{darkPurple, 1, []float64{1.5, 1.5}}})
	add("attempts (incl. retries)", peakRate(attempts), attempts, curve{pen: pen{vermilion, 1.25, nil}})
	add("answered by a fallback", peakRate(degraded), visible(degraded), curve{pen: pen{skyBlue, 1.25, nil}})
	add("goodput", v.goodputFact(offered, goodput), goodput, curve{pen: pen{green, 1.7, nil}, fill: faded(green, 0.19)})
	add("offered", "mean "+amount(mean(offered))+"/s", offered, curve{pen: pen{black, 1.1, []float64{4, 2.4}}})
	if len(p.curves) == 0 {
		p.note = "nothing was recorded for this scope"
	}
	top = v.capacityLevel(&p, top)
	p.linear(top, (1.05*p.height)/(p.height-strip)-1, 5)
	return p
}

func (v *view) capacityLevel(p *panel, top float64) float64 {
	if v.target.CapacityPerS == nil {
		return top
	}
	full := *v.target.CapacityPerS
	now := v.serviceColumn("capacity")
	if low := trough(now); low < full*0.98 || peak(now) > full*1.02 && peak(now) < 2.5*top {
		c := curve{values: now, pen: pen{levelGrey, 0.9, []float64{1, 1.2}}}
		p.curves = append([]curve{c}, p.curves...)
		p.legend = append(p.legend, entry{name: "capacity", fact: "lowest " + amount(low) + "/s", pen: c.pen})
	}
	return p.against(top, full, "capacity "+amount(full)+"/s", 2.5)
}

// visible leaves gaps where nothing happened for more than an interval, so that
// the ground line stays clean; nothing at all where nothing ever happened.
func visible(values []float64) []float64 {
	if peak(values) == 0 {
		return nil
	}
	out := slices.Clone(values)
	for i := range values {
		before, after := values[max(0, i-1)], values[min(len(values)-1, i+1)]
		if values[i] == 0 && before == 0 && after == 0 {
			out[i] = math.NaN()
		}
	}
	return out
}

func peakRate(values []float64) string { return "peak " + amount(peak(values)) + "/s" }

// goodputFact names the time without goodput, the figure that hurts; without
// such a time, the lowest value.
func (v *view) goodputFact(offered, goodput []float64) string {
	zero := 0
	for i := range min(len(offered), len(goodput)) {
		if offered[i] > 0 && goodput[i] < offered[i]*0.01 {
			zero++
		}
	}
	if zero > 0 {
		return "0/s for " + span(float64(zero)*v.r.IntervalS)
	}
	if low := trough(goodput); finite(low) {
		return "lowest " + amount(low) + "/s"
	}
	return ""
}

// latency shows answered calls only: failures that return at once would make
// an outage look fast.
func (v *view) latency() panel {
	p := panel{title: "Latency of answered calls (log scale)", height: 88}
	metrics := []struct {
		name, metric string
		pen          pen
	}{
		{"p99.9", "latency_p99.9", pen{vermilion, 1, nil}},
		{"p99", "latency_p99", pen{orange, 1.2, nil}},
		{"p50", "latency_p50", pen{blue, 1.5, nil}},
	}
	lo, hi := math.Inf(1), 0.0
	for _, m := range metrics {
		values := positive(v.callersColumn(m.metric))
		lo, hi = math.Min(lo, trough(values)), math.Max(hi, peak(values))
		if len(values) == 0 {
			continue
		}
		p.curves = append(p.curves, curve{values: values, pen: m.pen})
		p.legend = append(p.legend, entry{name: m.name, fact: latencyFact(values), pen: m.pen})
	}
	if n := len(p.curves); n > 0 && hi > 0 && gaps(p.curves[n-1].values) {
		p.legend[n-1].fact = "gap: nothing answered"
	}
	if hi == 0 {
		p.note, lo, hi = "no call was answered", 10, 1000
	}
	if t := v.fleet.TimeoutMS; t != nil && *t > 0 {
		lo = math.Min(lo, *t)
		hi = p.against(hi, *t, "timeout of an attempt "+milliseconds(*t), 200)
	}
	p.value = logRange(lo, math.Max(hi*1.15, lo))
	p.ticks = logTicks(p.value, 5)
	return p
}

// positive drops what has no place on a logarithmic axis.
func positive(values []float64) []float64 {
	out := append([]float64{}, values...)
	for i, v := range out {
		if !(v > 1e-9) || v > 1e15 {
			out[i] = math.NaN()
		}
	}
	return out
}

// gaps reports whether a curve is interrupted.
func gaps(values []float64) bool {
	return slices.ContainsFunc(values, func(v float64) bool { return !finite(v) })
}

func latencyFact(values []float64) string {
	if peak(values) == 0 {
		return "no value"
	}
	return "highest " + milliseconds(peak(values))
}

// breakers shows the states of a scope's breakers as shares of the whole.
func (v *view) breakers(scope string) panel {
	of := "the fleet"
	if scope != v.callers {
		of = "those in " + scopeName(scope)
	}
	p := panel{title: "Circuit breakers (share of " + of + ")", height: 50, value: scale{hi: 1}, ticks: percentTicks()}
	column := func(metric string) []float64 { return v.r.Series.Column(scope, metric) }
	open, half, closed := column("breakers_open"), column("breakers_half_open"), column("breakers_closed")
	p.stack = &stack{[]layer{{open, vermilion}, {half, yellow}, {closed, paleGreen}}}
	p.legend = []entry{
		{name: "closed", fact: lowestShare(closed), swatch: paleGreen},
		{name: "half-open", swatch: yellow},
		{name: "open", fact: "peak " + percent(peak(open)), swatch: vermilion},
	}
	return p
}

func lowestShare(values []float64) string {
	if low := trough(values); finite(low) {
		return "lowest " + percent(low)
	}
	return ""
}

// queue shows what waits, against the limit and what that means in time.
func (v *view) queue() panel {
	p := panel{title: "Queue of " + scopeName(v.service) + " (requests)", height: 60}
	values := v.longestQueue()
	line := pen{blue, 1.35, nil}
	p.curves = []curve{{values: values, pen: line, fill: faded(blue, 0.17)}}
	p.legend = []entry{{name: "waiting at most", fact: "peak " + amount(peak(values)), pen: line}}
	top := peak(values)
	if l := v.target.QueueLimit; l != nil {
		text := "limit " + amount(*l)
		if c := v.target.CapacityPerS; c != nil && *c > 0 {
			text += " = " + span(*l / *c) + " of work"
		}
		top = p.against(top, *l, text, 4)
	}
	p.linear(top, 0.1, 4)
	return p
}

// longestQueue of each interval: at its end a queue may be gone that made a service
// crash. Of a result that does not have it, the queue at the end of the interval.
func (v *view) longestQueue() []float64 {
	if longest := v.serviceColumn("queue_max"); len(longest) > 0 {
		return longest
	}
	return v.serviceColumn("queue")
}

// workers shows the pool: held and available.
func (v *view) workers() panel {
	p := panel{title: "Workers of " + scopeName(v.service), height: 56}
	busy, there := v.serviceColumn("busy"), v.serviceColumn("workers")
	line, dashed := pen{skyBlue, 1.2, nil}, pen{black, 1, []float64{4, 2.4}}
	p.curves = []curve{{values: busy, pen: line, fill: faded(skyBlue, 0.2)}, {values: there, pen: dashed}}
	p.legend = []entry{
		{name: "available", fact: fmt.Sprintf("%s at most", amount(peak(there))), pen: dashed},
		{name: "busy", fact: "mean " + amount(mean(busy)), pen: line},
	}
	p.linear(math.Max(peak(busy), peak(there)), 0.1, 4)
	return p
}
