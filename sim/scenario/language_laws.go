package scenario

import (
	"regexp"

	"github.com/resilsim/resilsim/sim/dist"
)

// percentileKey is how the keys of a law that is fitted to quantiles are told of.
const percentileKey = "pNN"

// percentilePattern is the rule that their names follow.
var percentilePattern = regexp.MustCompile(`^p[0-9]{1,2}(\.[0-9]{1,6})?$`)

// foundLaws are the keys of a time law beyond the shapes with a mean: long tails, and
// laws that are made from what a team has. time is the law itself, for mixtures.
func foundLaws(time *shape) []key {
	var families []string
	for _, f := range dist.Families() {
		families = append(families, string(f))
	}
	return []key{
		{name: "weibull", shape: weibullShape(), choice: true, meaning: "Weibull, a long tail or a short one"},
		{name: "pareto", shape: paretoShape(), choice: true, meaning: "Pareto, a heavy tail"},
		{name: "empirical", shape: empiricalShape(), choice: true, meaning: "values that were seen"},
		{name: "hdrHistogram", shape: hdrShape(), choice: true, meaning: "the percentile text of an HdrHistogram"},
		{name: "mixture", shape: listOf(partShape(time), 2), choice: true, meaning: "one of several laws, drawn anew each time: a fast path mostly and a slow one now and then"},
		{name: percentileKey, pattern: percentilePattern, shape: percentileTime(), choice: true, meaning: "a percentile, as many as you have: `p50: 20ms`, `p99: 180ms`, `p99.9: 900ms`. Two are needed (one for the exponential family). The law that is found has them all, and `resilsim check` shows it"},
		{name: "family", shape: oneWord(families...), dflt: "piecewise", meaning: "law that is fitted to the percentiles. piecewise has all of them: lognormal between one and the next and below the lowest; above the highest the last line goes on, but no steeper than that from the lowest to the highest. The others have two percentiles (exponential: one), and are refused if they miss another by more than 1 %"},
	}
}

func percentileTime() *shape {
	s := positiveDuration()
	s.example = "180ms"
	return s
}

func shapeNumber(lo, hi float64) *shape {
	s := number(lo, hi)
	s.example = "0.7"
	return s
}

func weibullShape() *shape {
	return &shape{kind: mappingShape, name: "a Weibull law", title: "Weibull", about: "Either `mean` or `scale`, and `shape`: below 1 the tail is longer than exponential, at 1 it is exponential, above 1 shorter.", keys: []key{
		{name: "mean", shape: positiveDuration(), choice: true, meaning: "mean"},
		{name: "scale", shape: positiveDuration(), choice: true, meaning: "time that 63.2 % of samples do not exceed"},
		{name: "shape", shape: shapeNumber(dist.WeibullShapeMin, dist.WeibullShapeMax), need: true, meaning: "shape"},
	}}
}

func paretoShape() *shape {
	return &shape{kind: mappingShape, name: "a Pareto law", title: "Pareto", about: "The probability of more than x is (min/x)^shape. The tail is heavy: for a shape of 2 or less the variance is infinite, unless there is a `max`.", keys: []key{
		{name: "min", shape: positiveDuration(), need: true, meaning: "shortest time"},
		{name: "shape", shape: shapeNumber(dist.ParetoShapeMin, dist.ParetoShapeMax), need: true, meaning: "shape; above 1 unless there is a `max`: else there is no mean"},
		{name: "max", shape: positiveDuration(), dflt: "no bound", meaning: "longest time; the law is that of the samples below it"},
	}}
}

// dataKeys are those of a law from a file, or from points that are written out.
func dataKeys(file, points, unit string) []key {
	return []key{
		{name: "file", shape: text("a path", "latencies.csv"), choice: true, meaning: file},
		{name: "points", shape: listOf(text("values", "20ms*3 25ms"), 1), choice: true, meaning: points},
		{name: "unit", shape: oneWord("ns", "us", "ms", "s"), meaning: unit},
		{name: "from", shape: text("a text", "latencies.csv"), meaning: "written into a resolved scenario: where the points come from; changes nothing"},
	}
}

func empiricalShape() *shape {
	return &shape{kind: mappingShape, name: "an empirical law", title: "Empirical", about: "Values that were seen, each as often as its weight says. There is nothing between them and nothing beyond the longest. More than 10000 different ones are rounded to 3 digits.", keys: dataKeys(
		"CSV file beside the scenario or below it, a value or `value,weight` a line; a heading and lines with # are left out",
		"values, each with its weight behind a * if it is not 1: `[10ms, 20ms*3]`",
		"unit of the numbers in the file; not needed for `20ms`")}
}

func hdrShape() *shape {
	return &shape{kind: mappingShape, name: "an HdrHistogram", title: "HdrHistogram", about: "The text that HdrHistogram's libraries and `wrk2 --latency` print: Value, Percentile, TotalCount, 1/(1-Percentile). Times are spread evenly between one line's value and the next; the last line is the longest time.", keys: dataKeys(
		"text file beside the scenario or below it",
		"buckets by their upper ends, each with its count behind a *",
		"unit of the values in the file, which the text does not say")}
}

func partShape(time *shape) *shape {
	return &shape{kind: mappingShape, name: "a part of a mixture", title: "Part of a mixture", about: "A law, and how often it is the one that is drawn.", keys: []key{
		{name: "weight", shape: number(0, 1e9), dflt: "1", meaning: "how often, against the weights of the other parts"},
		{name: "time", shape: time, need: true, meaning: "the law; no mixture itself"},
	}}
}
