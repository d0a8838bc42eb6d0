package record

import (
	"fmt"
	"math"
	"time"

	"github.com/resilsim/resilsim/sim/result"
)

// IntervalsMax is the largest number of intervals that a run is cut into.
const IntervalsMax = 4096

// Config says what will be heard. Indexes of the probe calls are indexes of
// these lists.
type Config struct {
	Fleets   []Fleet
	Services []string
	// Once: there are requests that must not be carried out twice.
	Once bool
	// Cached are the services whose handlers look into caches, by place.
	Cached map[int]bool
	// Shared are the services whose work shares cores, by place.
	Shared map[int]bool
	// Duration of the run, above 0.
	Duration time.Duration
	// Interval of the series, above 0. Multiplied by a whole number where it
	// would give more than IntervalsMax intervals.
	Interval time.Duration
}

// Fleet names a fleet of callers.
type Fleet struct {
	Name string
	// Breakers of the whole fleet; 0: their shares are absent.
	Breakers int
	// Classes of its requests, by name; none: no accounts by class.
	Classes []string
	// Retrial: its users come back.
	Retrial bool
}

// Recorder implements models.Probe: it hears a run and keeps what a result is
// made of. A probe call costs some nanoseconds and allocates nothing; the first
// one after the end of an interval closes it.
//
// An interval holds the instants from its start up to its end, the end not
// included; the last one includes the end of the run.
type Recorder struct {
	interval time.Duration
	last     int // number of the last interval
	current  int
	next     time.Duration // end of the current interval
	end      time.Duration // end of the last closed interval
	closed   bool
	fleets   []fleet
	services []service
	log      eventLog
	err      error
}

// New returns a recorder at instant zero with all breakers closed. A duration or
// an interval that is not positive breaks its invariant and panics.
func New(cfg Config) *Recorder {
	if cfg.Duration <= 0 || cfg.Interval <= 0 {
		panic(fmt.Sprintf("record: duration and interval are positive: %v, %v", cfg.Duration, cfg.Interval))
	}
	n := intervals(cfg.Duration, cfg.Interval)
	if n > IntervalsMax {
		cfg.Interval *= time.Duration((n + IntervalsMax - 1) / IntervalsMax)
		n = intervals(cfg.Duration, cfg.Interval)
	}
	r := &Recorder{interval: cfg.Interval, last: int(n) - 1}
	r.next = r.endOf(0)
	for _, f := range cfg.Fleets {
		r.fleets = append(r.fleets, newFleet(f, int(n)))
	}
	for i, name := range cfg.Services {
		r.services = append(r.services, service{scope: string(result.Services) + "." + name, rows: make([]serviceRow, 0, n), once: cfg.Once, cached: cfg.Cached[i], shared: cfg.Shared[i]})
	}
	return r
}

// SetBreakers says how many breakers each fleet and each service's handlers have,
// all closed. It is for those who learn it only when the models are built, and
// comes before any change is heard.
func (r *Recorder) SetBreakers(fleets, services []int) {
	for i, n := range fleets {
		r.fleets[i].breakers = breakers{total: n, closed: n}
	}
	for i, n := range services {
		r.services[i].breakers = breakers{total: n, closed: n}
	}
}

func intervals(duration, interval time.Duration) int64 {
	return int64((duration-1)/interval) + 1
}

// Interval is the width of the recorded intervals.
func (r *Recorder) Interval() time.Duration { return r.interval }

// endOf is when an interval is closed by itself; the last one never is.
func (r *Recorder) endOf(i int) time.Duration {
	if i >= r.last {
		return math.MaxInt64
	}
	return time.Duration(i+1) * r.interval
}

// Advance closes the intervals that are over at now.
func (r *Recorder) Advance(now time.Duration) {
	for now >= r.next {
		r.closeInterval(r.next)
	}
}

func (r *Recorder) closeInterval(end time.Duration) {
	for i := range r.fleets {
		r.fleets[i].closeInterval()
	}
	for i := range r.services {
		r.services[i].closeInterval(end)
	}
	r.checkSigns()
	r.end = end
	r.current++
	r.next = r.endOf(r.current)
}

// Close ends the record at an instant not before the last probe call and checks
// the law of accounts against the independent count of what is live. Nothing is
// heard afterwards. The error is a *Violation, also of a law that was broken
// earlier.
func (r *Recorder) Close(end time.Duration, live InFlight) error {
	if r.closed {
		return r.err
	}
	r.Advance(end)
	if start := time.Duration(r.current) * r.interval; end > start {
		r.closeInterval(end)
	}
	r.next, r.closed = math.MaxInt64, true
	return r.Check(end, live)
}

// widthS is the width of a closed interval in seconds; the last one may be
// shorter than the others.
func (r *Recorder) widthS(i int) float64 {
	start := time.Duration(i) * r.interval
	return min(r.interval, r.end-start).Seconds()
}

// count is the number of closed intervals.
func (r *Recorder) count() int { return r.current }
