package record

import (
	"fmt"
	"math"

	"github.com/resilsim/resilsim/sim/result"
)

// Series are the curves of the closed intervals: every metric of the catalogue
// for every fleet, then for every service.
func (r *Recorder) Series() result.Series {
	n := r.count()
	s := result.Series{StartS: make([]float64, n), Columns: []result.Column{}}
	for i := range s.StartS {
		s.StartS[i] = seconds(int64(i) * int64(r.interval))
	}
	for i := range r.fleets {
		s.Columns = append(s.Columns, r.columns(result.Callers, r.fleets[i].scope, r.fleets[i].has, r.fleets[i].value)...)
	}
	for i := range r.services {
		s.Columns = append(s.Columns, r.columns(result.Services, r.services[i].scope, r.services[i].has, r.services[i].value)...)
	}
	return s
}

func (r *Recorder) columns(kind result.ScopeKind, scope string, has func(string) bool, value func(string, int, float64) float64) []result.Column {
	var out []result.Column
	for _, m := range result.Catalogue() {
		if m.Kind != kind || !has(m.Name) {
			continue
		}
		values := make([]float64, r.count())
		for i := range values {
			values[i] = value(m.Name, i, r.widthS(i))
		}
		out = append(out, result.Column{Scope: scope, Metric: m.Name, Values: values})
	}
	return out
}

// Accounts are those of the fleets, then of the services.
func (r *Recorder) Accounts() []result.Account {
	out := []result.Account{}
	for i := range r.fleets {
		out = append(out, r.fleets[i].account.result(r.fleets[i].scope))
	}
	for i := range r.services {
		s := &r.services[i]
		a := s.account.result(s.scope)
		a.WorkS, a.WastedS = seconds(s.workNS+s.now.workNS), seconds(s.wasted+s.now.wastedNS)
		a.Duplicates = s.twice + s.now.duplicates
		out = append(out, a)
	}
	return out
}

// Crashes of instances of all services, over the closed intervals.
func (r *Recorder) Crashes() uint64 {
	var n uint64
	for i := range r.services {
		n += r.services[i].crashes
	}
	return n
}

// Latency has two rows for each fleet: its answered calls and answered attempts,
// over the closed intervals and over the whole run.
func (r *Recorder) Latency() []result.LatencyRow {
	out := []result.LatencyRow{}
	for i := range r.fleets {
		f := &r.fleets[i]
		out = append(out, f.calls.run.row(f.scope, "call"), f.attempts.row(f.scope, "attempt"))
	}
	return out
}

func (t *tally) row(scope, kind string) result.LatencyRow {
	row := result.LatencyRow{Scope: scope, Kind: kind, Count: uint64(t.buckets.TotalCount())}
	if row.Count == 0 {
		return row
	}
	q := func(percent float64) *float64 {
		ms := t.quantileMS(percent)
		return &ms
	}
	mean, largest := float64(t.sumNS)/float64(row.Count)/1e6, float64(t.maxNS)/1e6
	row.MeanMS, row.MaxMS = &mean, &largest
	row.P50MS, row.P90MS, row.P99MS, row.P999MS = q(50), q(90), q(99), q(99.9)
	return row
}

// QuantileMS pools a quantile of the answered calls of a fleet over the closed
// intervals from up to to, to not included. share is in [0,1]. NaN when nothing
// was answered there.
func (r *Recorder) QuantileMS(fleet int, share float64, from, to int) float64 {
	return r.fleets[fleet].calls.pooledMS(100*share, from, to)
}

// Events is the log in the order of time. Its last line says how much was left
// out, if anything was.
func (r *Recorder) Events() []result.Event {
	out := append([]result.Event{}, r.log.events...)
	if r.log.left > 0 {
		out = append(out, result.Event{
			TS: seconds(int64(r.end)), Source: "detector", Subject: "run", What: "the event log is full",
			Detail: fmt.Sprintf("%d lines were left out", r.log.left),
		})
	}
	return out
}

// edgesMS are the upper ends of the exported latency classes: 1, 2 and 5 times
// each power of ten from 0.1 ms to a day.
func edgesMS() []float64 {
	var edges []float64
	for decade := 0.1; decade < 1e8; decade *= 10 {
		for _, step := range []float64{1, 2, 5} {
			edges = append(edges, math.Round(step*decade*10)/10)
		}
	}
	return append(edges, 1e8)
}

// Histograms are the answered calls of each fleet and closed interval by classes
// of latency; classes without calls have no row. A call at the edge of a class may
// be counted one class lower, by the width of a bucket (0.8 % of its value).
func (r *Recorder) Histograms() []result.HistogramRow {
	edges := edgesMS()
	out := []result.HistogramRow{}
	counts := make([]uint64, len(edges))
	for i := range r.count() {
		for k := range r.fleets {
			f := &r.fleets[k]
			if f.calls.buckets[i] == nil {
				continue
			}
			clear(counts)
			class := 0
			for value, n := range f.calls.buckets[i].ForEachBucket {
				for float64(value)/1e6 > edges[class] {
					class++
				}
				counts[class] += uint64(n)
			}
			start := seconds(int64(i) * int64(r.interval))
			for c, n := range counts {
				if n > 0 {
					out = append(out, result.HistogramRow{TS: start, Scope: f.scope, LeMS: edges[c], Count: n})
				}
			}
		}
	}
	return out
}
