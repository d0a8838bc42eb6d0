package record

import (
	"math"
	"time"

	"github.com/resilsim/resilsim/sim/models"
)

// serviceRow is what a service did in one interval.
type serviceRow struct {
	arrivals, started, served, useful   uint64
	rejected, unreachable, errors, dead uint64
	duplicates                          uint64
	hits, misses                        uint64
	// busyNS is the integral of held workers over the interval: with 2 million
	// workers an interval of an hour still fits.
	busyNS, workNS, wastedNS, waitNS int64
	coresNS                          int64 // the same of shared cores that work
	onward                           pipelineRow
	// At the end of the interval.
	level models.Level
	// queueMax is the longest that the queue was within the interval.
	queueMax int
}

// service is all that is known of one service.
type service struct {
	scope    string
	now      serviceRow
	rows     []serviceRow
	account  account
	breakers breakers // of its handlers' pipelines
	level    models.Level
	since    time.Duration // when the integral of busy was last brought up
	workNS   int64
	wasted   int64
	crashes  uint64
	once     bool // something must not be done twice
	cached   bool // its handlers look into caches
	shared   bool // its work shares cores
	twice    uint64
}

// integrate brings the integral of busy workers up to an instant, and with it the
// largest level that has held since the interval began.
func (s *service) integrate(now time.Duration) {
	s.now.queueMax = max(s.now.queueMax, s.level.Queue)
	s.now.busyNS += int64(s.level.Busy) * int64(now-s.since)
	s.now.coresNS += int64(s.level.CoresBusy) * int64(now-s.since)
	s.since = now
}

func (s *service) closeInterval(end time.Duration) {
	s.integrate(end)
	s.now.level = s.level
	s.now.onward.close(&s.breakers)
	s.rows = append(s.rows, s.now)
	s.workNS += s.now.workNS
	s.wasted += s.now.wastedNS
	s.crashes += s.now.dead
	s.twice += s.now.duplicates
	s.now = serviceRow{}
}

// value of a metric of the catalogue in one interval of widthS seconds; NaN:
// absent.
func (s *service) value(metric string, i int, widthS float64) float64 {
	row := &s.rows[i]
	rate := func(n uint64) float64 { return float64(n) / widthS }
	switch metric {
	case "arrivals":
		return rate(row.arrivals)
	case "served":
		return rate(row.served)
	case "useful":
		return rate(row.useful)
	case "rejected":
		return rate(row.rejected)
	case "unreachable":
		return rate(row.unreachable)
	case "errors":
		return rate(row.errors)
	case "crashes":
		return rate(row.dead)
	case "duplicates":
		return rate(row.duplicates)
	case "cache_hits":
		return rate(row.hits)
	case "cache_lookups":
		return rate(row.hits + row.misses)
	case "cache_hit_share":
		return ratio(row.hits, row.hits+row.misses)
	case "queue":
		return float64(row.level.Queue)
	case "queue_max":
		return float64(row.queueMax)
	case "workers":
		return float64(row.level.Workers)
	case "capacity":
		return row.level.CapacityPerSecond
	case "calls":
		return rate(row.onward.calls())
	case "amplification":
		return ratio(row.onward.attempts, row.onward.calls())
	}
	if v := s.time(metric, row, widthS); !math.IsNaN(v) {
		return v
	}
	return row.onward.value(metric, s.breakers.total, widthS)
}

func (s *service) time(metric string, row *serviceRow, widthS float64) float64 {
	busy := seconds(row.busyNS) / widthS
	switch metric {
	case "busy":
		return busy
	case "utilisation":
		if row.level.Workers > 0 {
			return busy / float64(row.level.Workers)
		}
	case "cores":
		return float64(row.level.Cores)
	case "cores_busy":
		return seconds(row.coresNS) / widthS
	case "core_utilisation":
		if row.level.Cores > 0 {
			return seconds(row.coresNS) / widthS / float64(row.level.Cores)
		}
	case "work":
		return seconds(row.workNS) / widthS
	case "wasted":
		return seconds(row.wastedNS) / widthS
	case "wasted_share":
		return ratio(uint64(row.wastedNS), uint64(row.workNS))
	case "wait_mean":
		if row.started > 0 {
			return float64(row.waitNS) / float64(row.started) / 1e6
		}
	}
	return math.NaN()
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }
