package experiment

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// intervals of the series from one number up to another, that one not included.
type intervals struct{ from, to int }

// slackS absorbs the rounding of interval borders.
const slackS = 1e-9

func (e *evidence) endOf(i int) float64 {
	if i+1 < len(e.series.StartS) {
		return e.series.StartS[i+1]
	}
	return e.endS
}

// window is the intervals that lie wholly between two instants, or where there is
// none the ones that touch them.
func (e *evidence) window(fromS, toS float64) intervals {
	inside := func(i int) bool { return e.series.StartS[i] >= fromS-slackS && e.endOf(i) <= toS+slackS }
	touches := func(i int) bool { return e.series.StartS[i] < toS-slackS && e.endOf(i) > fromS+slackS }
	for _, wanted := range []func(int) bool{inside, touches} {
		w := intervals{}
		for i := range e.series.StartS {
			if !wanted(i) {
				continue
			}
			if w.from >= w.to {
				w.from = i
			}
			w.to = i + 1
		}
		if w.from < w.to {
			return w
		}
	}
	return intervals{}
}

// aggregate sums up a metric over a window; NaN when there is nothing. Without a
// word the catalogue says how; the mean of a rate, a ratio or a gauge is the same.
// All other words look at the values of the intervals, absent ones left out.
func (e *evidence) aggregate(m result.Metric, scope, word string, w intervals) float64 {
	if word == "" || word == "mean" && m.Combine != "quantile" {
		return e.combine(m, scope, w)
	}
	values := e.present(scope, m.Name, w)
	if len(values) == 0 {
		return math.NaN()
	}
	switch word {
	case "mean":
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum / float64(len(values))
	case "min":
		return slices.Min(values)
	case "max":
		return slices.Max(values)
	case "last":
		return values[len(values)-1]
	case "p50", "p95", "p99":
		percent, err := strconv.Atoi(word[1:])
		if err != nil {
			return math.NaN()
		}
		slices.Sort(values)
		return values[(percent*len(values)+99)/100-1]
	}
	return math.NaN()
}

func (e *evidence) present(scope, metric string, w intervals) []float64 {
	column := e.series.Column(scope, metric)
	var out []float64
	for i := w.from; i < w.to && i < len(column); i++ {
		if !math.IsNaN(column[i]) {
			out = append(out, column[i])
		}
	}
	return out
}

func (e *evidence) combine(m result.Metric, scope string, w intervals) float64 {
	switch m.Combine {
	case "ratio":
		num, _ := e.weighted(scope, m.Num, w)
		den, _ := e.weighted(scope, m.Den, w)
		return num / den
	case "quantile":
		return e.pooled(m.Name, scope, w)
	}
	sum, long := e.weighted(scope, m.Name, w)
	return sum / long
}

// weighted sums up value times width, and the widths of the intervals that have a
// value.
func (e *evidence) weighted(scope, metric string, w intervals) (sum, longS float64) {
	column := e.series.Column(scope, metric)
	for i := w.from; i < w.to && i < len(column); i++ {
		if v := column[i]; !math.IsNaN(v) {
			width := e.endOf(i) - e.series.StartS[i]
			sum += v * width
			longS += width
		}
	}
	return sum, longS
}

// pooled reads the share from the metric's name: latency_p99.9 is 0.999.
func (e *evidence) pooled(metric, scope string, w intervals) float64 {
	fleet := slices.Index(e.fleets, scope)
	_, percent, named := strings.Cut(metric, "_p")
	value, err := strconv.ParseFloat(percent, 64)
	if fleet < 0 || !named || err != nil {
		return math.NaN()
	}
	return e.pooledMS(fleet, value/100, w.from, w.to)
}
