package dist

import (
	"fmt"
	"math"
	"sort"
	"strings"
	"time"

	"github.com/resilsim/resilsim/sim/engine"
)

// Weighted is a value that was seen, and how often (or how much it counts).
type Weighted struct {
	Value  time.Duration
	Weight float64
}

// ValuesMax bounds the different values of an empirical law; with more of them they
// are rounded to three digits, which leaves 900 for each power of ten.
const ValuesMax = 10_000

// Empirical is the law of what was seen. As steps it has only the values that were
// seen, each with its share of the weight. As a histogram, where each value is the
// upper end of a bucket, samples are spread evenly from the value before to this
// one; the first bucket has no lower end and is its value.
type Empirical struct {
	points []Weighted
	// upTo is the weight of all values up to and with this one.
	upTo      []float64
	histogram bool
	source    string
	mean      time.Duration
	variance  float64
}

// NewEmpirical returns the law of values in [0, Longest] with weights of at least 0
// and at most 1e15, in any order; equal values are counted together and those
// without weight left out. At least one must have weight, and one be above 0.
// source says where they come from, for the reader; it may be empty.
func NewEmpirical(points []Weighted, source string) (*Empirical, error) {
	return newEmpirical(points, source, false)
}

// NewHistogram is NewEmpirical for a histogram.
func NewHistogram(points []Weighted, source string) (*Empirical, error) {
	return newEmpirical(points, source, true)
}

const weightMax = 1e15

func newEmpirical(points []Weighted, source string, histogram bool) (*Empirical, error) {
	e := &Empirical{histogram: histogram, source: source}
	for _, p := range points {
		if p.Value < 0 || p.Value > Longest {
			return nil, fmt.Errorf("dist: empirical: a value must be from 0 to %v, got %v", Longest, p.Value)
		}
		if !(p.Weight >= 0 && p.Weight <= weightMax) {
			return nil, fmt.Errorf("dist: empirical: a weight must be from 0 to %g, got %v", weightMax, p.Weight)
		}
	}
	e.points = together(points)
	if len(e.points) > ValuesMax {
		e.source = strings.TrimPrefix(fmt.Sprintf("%s, rounded to 3 digits because there were more than %d", source, ValuesMax), ", ")
		e.points = together(threeDigits(e.points))
	}
	total := 0.0
	for _, p := range e.points {
		total += p.Weight
		e.upTo = append(e.upTo, total)
	}
	if total == 0 {
		return nil, fmt.Errorf("dist: empirical: there is no value with a weight above 0")
	}
	if e.points[len(e.points)-1].Value == 0 {
		return nil, fmt.Errorf("dist: empirical: all values are 0")
	}
	e.moments(total)
	return e, nil
}

// together sorts by value and adds up the weights of equal ones.
func together(points []Weighted) []Weighted {
	var out []Weighted
	sorted := append([]Weighted(nil), points...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Value < sorted[j].Value })
	for _, p := range sorted {
		switch n := len(out); {
		case p.Weight == 0:
		case n > 0 && out[n-1].Value == p.Value:
			out[n-1].Weight += p.Weight
		default:
			out = append(out, p)
		}
	}
	return out
}

func threeDigits(points []Weighted) []Weighted {
	out := append([]Weighted(nil), points...)
	for i, p := range out {
		step := time.Duration(1)
		for p.Value/step >= 1000 {
			step *= 10
		}
		out[i].Value = min(p.Value.Round(step), Longest)
	}
	return out
}

// moments of steps, or of uniform pieces: (a+b)/2 and (a^2+ab+b^2)/3. The variance
// is taken about the mean, in a second pass.
func (e *Empirical) moments(total float64) {
	mean, square := 0.0, 0.0
	for i, p := range e.points {
		low, high := e.bucket(i)
		mean += float64(p.Weight / total * (low + high) / 2)
	}
	for i, p := range e.points {
		low, high := e.bucket(i)
		low, high = low-mean, high-mean
		square += float64(p.Weight / total * (float64(low*low) + float64(low*high) + float64(high*high)) / 3)
	}
	e.mean, e.variance = nanoseconds(mean), square
}

// bucket is where the samples of a point lie.
func (e *Empirical) bucket(i int) (low, high float64) {
	high = float64(e.points[i].Value)
	if e.histogram && i > 0 {
		return float64(e.points[i-1].Value), high
	}
	return high, high
}

// Sample takes one draw and returns the quantile at it.
func (e *Empirical) Sample(s *engine.Stream) time.Duration { return e.Quantile(s.Unit()) }

// Quantile is the first value whose weight with all below it exceeds p of the
// total; in a histogram it lies in the bucket of that value, as far up as p does.
func (e *Empirical) Quantile(p float64) time.Duration {
	target := draw(p) * e.upTo[len(e.upTo)-1]
	low, high := 0, len(e.upTo)-1
	for low < high {
		middle := int(uint(low+high) >> 1)
		if e.upTo[middle] > target {
			high = middle
		} else {
			low = middle + 1
		}
	}
	if !e.histogram || low == 0 {
		return e.points[low].Value
	}
	below := e.points[low-1].Value
	part := (target - e.upTo[low-1]) / (e.upTo[low] - e.upTo[low-1])
	return below + nanoseconds(part*float64(e.points[low].Value-below))
}

// Mean is that of the values by their weight, or of the buckets.
func (e *Empirical) Mean() time.Duration { return e.mean }

// Variance is that of the values by their weight, or of the buckets.
func (e *Empirical) Variance() float64 { return e.variance }

// Histogram reports whether samples are spread over buckets.
func (e *Empirical) Histogram() bool { return e.histogram }

// Source is where the values come from; may be empty.
func (e *Empirical) Source() string { return e.source }

// Points are the different values in order, with the weight of each. The list is
// the law's own and must not be changed.
func (e *Empirical) Points() []Weighted { return e.points }

func (e *Empirical) String() string {
	kind := "empirical"
	if e.histogram {
		kind = "hdrHistogram"
	}
	return fmt.Sprintf("%s of %d values", kind, len(e.points))
}

func (e *Empirical) report() []string {
	from := ""
	if e.source != "" {
		from = " from " + e.source
	}
	spread := "as they are"
	if e.histogram {
		spread = "spread evenly between one and the next"
	}
	total := e.upTo[len(e.upTo)-1]
	return []string{
		fmt.Sprintf("%d different values%s, total weight %s, %s", len(e.points), from, trimmed(total), spread),
		fmt.Sprintf("%s; p50 %v, p99 %v, p99.9 %v, longest %v; nothing beyond the longest", moments(e),
			brief(e.Quantile(0.5)), brief(e.Quantile(0.99)), brief(e.Quantile(0.999)), brief(e.Quantile(1))),
	}
}

func trimmed(x float64) string {
	if x == math.Trunc(x) {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.6g", x)
}
