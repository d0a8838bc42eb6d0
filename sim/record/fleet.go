package record

import (
	"math"

	"github.com/resilsim/resilsim/sim/result"
)

// fleetRow is what a fleet did in one interval.
type fleetRow struct {
	sent                                          uint64
	answered, degraded, failed, refused, abandons uint64
	pipelines                                     pipelineRow
	inFlight                                      uint64 // at the end of the interval
	returns                                       uint64
}

// fleet is all that is known of one fleet of callers.
type fleet struct {
	scope    string
	now      fleetRow
	rows     []fleetRow
	account  account
	calls    latency
	attempts tally
	breakers breakers
	classes  []classAccount
	retrial  bool
}

func newFleet(f Fleet, intervals int) fleet {
	return fleet{
		scope:    string(result.Callers) + "." + f.Name,
		rows:     make([]fleetRow, 0, intervals),
		calls:    newLatency(intervals),
		attempts: newTally(),
		breakers: breakers{total: f.Breakers, closed: f.Breakers},
		classes:  newClasses(f),
		retrial:  f.Retrial,
	}
}

func (f *fleet) closeInterval() {
	f.now.inFlight = f.account.inFlight()
	f.now.pipelines.close(&f.breakers)
	f.rows = append(f.rows, f.now)
	f.now = fleetRow{}
	f.calls.closeInterval()
}

// value of a metric of the catalogue in one interval of widthS seconds; NaN:
// absent.
func (f *fleet) value(metric string, i int, widthS float64) float64 {
	row := &f.rows[i]
	rate := func(n uint64) float64 { return float64(n) / widthS }
	switch metric {
	case "offered":
		return rate(row.sent)
	case "goodput":
		return rate(row.answered)
	case "degraded":
		return rate(row.degraded)
	case "failed":
		return rate(row.failed)
	case "refused":
		return rate(row.refused)
	case "abandoned":
		return rate(row.abandons)
	case "in_flight":
		return float64(row.inFlight)
	case "returns":
		return rate(row.returns)
	}
	if v := f.share(metric, i); !math.IsNaN(v) {
		return v
	}
	return row.pipelines.value(metric, f.breakers.total, widthS)
}

func (f *fleet) share(metric string, i int) float64 {
	row := &f.rows[i]
	switch metric {
	case "goodput_share":
		return ratio(row.answered, row.sent)
	case "error_share":
		return ratio(row.failed, row.sent)
	case "degraded_share":
		return ratio(row.degraded, row.sent)
	case "amplification":
		return ratio(row.pipelines.attempts, row.sent)
	case "latency_p50":
		return f.calls.quantilesMS[i][0]
	case "latency_p99":
		return f.calls.quantilesMS[i][1]
	case "latency_p99.9":
		return f.calls.quantilesMS[i][2]
	}
	return math.NaN()
}

// ratio of two counts; the share of nothing is absent.
func ratio(num, den uint64) float64 {
	if den == 0 {
		return math.NaN()
	}
	return float64(num) / float64(den)
}
