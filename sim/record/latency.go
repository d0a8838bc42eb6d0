package record

import (
	"math"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Buckets are at most 1/128 of their value wide, from 1 us to a day; what takes
// longer is counted as a day.
const (
	lowestNS  = 1000
	highestNS = int64(24 * time.Hour)
	digits    = 2
)

// recorded are the quantiles of every interval, in percent.
var recorded = []float64{50, 99, 99.9}

// tally is a histogram with the exact sum and maximum beside it.
type tally struct {
	buckets *hdr.Histogram
	sumNS   uint64
	maxNS   int64
}

func newTally() tally { return tally{buckets: hdr.New(lowestNS, highestNS, digits)} }

func (t *tally) add(took time.Duration) {
	ns := int64(took)
	t.sumNS += uint64(ns)
	t.maxNS = max(t.maxNS, ns)
	if t.buckets.RecordValue(min(ns, highestNS)) != nil {
		panic("record: a latency is never negative")
	}
}

func (t *tally) reset() {
	t.buckets.Reset()
	t.sumNS, t.maxNS = 0, 0
}

// quantileMS is the upper end of the bucket of a quantile, at most the largest
// value seen; NaN when nothing was.
func (t *tally) quantileMS(percent float64) float64 {
	if t.buckets.TotalCount() == 0 {
		return math.NaN()
	}
	return float64(min(t.buckets.ValueAtPercentile(percent), t.maxNS)) / 1e6
}

// latency of the calls of a fleet: per interval its quantiles and its occupied
// buckets, so that a window of any size can be pooled, and the whole run.
type latency struct {
	now         tally
	run         tally
	quantilesMS [][3]float64
	buckets     []*hdr.PackedHistogram // nil for an empty interval
	maxNS       []int64
}

func newLatency(intervals int) latency {
	return latency{
		now: newTally(), run: newTally(),
		quantilesMS: make([][3]float64, 0, intervals),
		buckets:     make([]*hdr.PackedHistogram, 0, intervals),
		maxNS:       make([]int64, 0, intervals),
	}
}

func (l *latency) closeInterval() {
	var q [3]float64
	for i, percent := range recorded {
		q[i] = l.now.quantileMS(percent)
	}
	var kept *hdr.PackedHistogram
	if l.now.buckets.TotalCount() > 0 {
		kept = hdr.NewPacked(lowestNS, highestNS, digits)
		kept.MergeFrom(l.now.buckets)
		kept.Compact()
		kept.MergeInto(l.run.buckets)
		l.run.sumNS += l.now.sumNS
		l.run.maxNS = max(l.run.maxNS, l.now.maxNS)
	}
	l.quantilesMS = append(l.quantilesMS, q)
	l.buckets = append(l.buckets, kept)
	l.maxNS = append(l.maxNS, l.now.maxNS)
	l.now.reset()
}

// pooledMS is a quantile over the calls that were answered in the intervals from
// up to to, to not included; NaN when there were none.
func (l *latency) pooledMS(percent float64, from, to int) float64 {
	pool := newTally()
	for i := max(from, 0); i < min(to, len(l.buckets)); i++ {
		if l.buckets[i] != nil {
			l.buckets[i].MergeInto(pool.buckets)
			pool.maxNS = max(pool.maxNS, l.maxNS[i])
		}
	}
	return pool.quantileMS(percent)
}
