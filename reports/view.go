package reports

import (
	"fmt"
	"math"
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// view is the part of a result that one figure shows: a fleet and the service
// that it calls.
type view struct {
	r       *result.Result
	callers string
	service string
	fleet   result.ScopeInfo
	target  result.ScopeInfo
	total   float64
}

// newView chooses the scopes: those of the options, else the fleet that the
// verdict judged, and the service that the first fault hit or, if none was, the
// first one that the fleet calls.
func newView(r *result.Result, opt Options) (*view, error) {
	v := &view{r: r, callers: opt.Callers, service: opt.Service, total: runLength(r)}
	for _, s := range []string{opt.Callers, opt.Service} {
		if s != "" && !v.has(s) {
			return nil, fmt.Errorf("reports: the result has no scope %q", s)
		}
	}
	if v.callers == "" {
		v.callers = r.Verdict.Scope
	}
	if v.callers == "" || !v.has(v.callers) {
		v.callers = v.first("callers.")
	}
	v.fleet = v.info(v.callers)
	if v.service == "" {
		v.service = v.called()
	}
	v.target = v.info(v.service)
	return v, nil
}

// runLength is the simulated time, at least that of all intervals, never 0.
func runLength(r *result.Result) float64 {
	total := 0.0
	if finite(r.DurationS) {
		total = r.DurationS
	}
	if n := len(r.Series.StartS); n > 0 {
		total = math.Max(total, r.Series.StartS[n-1]+r.IntervalS)
	}
	if !(total > 0) || !finite(total) {
		return 1
	}
	return total
}

func (v *view) has(scope string) bool {
	for i := range v.r.Series.Columns {
		if v.r.Series.Columns[i].Scope == scope {
			return true
		}
	}
	return v.info(scope).Scope != ""
}

// first scope of a kind, in the order of the result; "" when there is none.
func (v *view) first(prefix string) string {
	for _, s := range v.r.Scopes {
		if strings.HasPrefix(s.Scope, prefix) {
			return s.Scope
		}
	}
	for _, c := range v.r.Series.Columns {
		if strings.HasPrefix(c.Scope, prefix) {
			return c.Scope
		}
	}
	return ""
}

func (v *view) called() string {
	for _, e := range v.r.Timeline {
		if e.Source == "fault" && strings.HasPrefix(e.Subject, "services.") && v.has(e.Subject) {
			return e.Subject
		}
	}
	for _, c := range v.fleet.Calls {
		name := "services." + strings.TrimPrefix(c, "services.")
		if v.has(name) {
			return name
		}
	}
	return v.first("services.")
}

// guard is whose circuit breakers are shown: the fleet's, else those of the first
// service that has some; "" when there are none.
func (v *view) guard() string {
	shown := func(scope string) bool {
		column := func(metric string) []float64 { return v.r.Series.Column(scope, metric) }
		return v.info(scope).Breakers > 0 || peak(column("breakers_closed")) > 0 || peak(column("breakers_open")) > 0
	}
	if shown(v.callers) {
		return v.callers
	}
	for _, s := range v.r.Scopes {
		if strings.HasPrefix(s.Scope, "services.") && shown(s.Scope) {
			return s.Scope
		}
	}
	return ""
}

func (v *view) info(scope string) result.ScopeInfo {
	for _, s := range v.r.Scopes {
		if s.Scope == scope {
			return s
		}
	}
	return result.ScopeInfo{}
}

// field of this view's time axis.
func (v *view) field(frame box, value scale, column float64) *field {
	f := &field{frame: frame, starts: v.r.Series.StartS, interval: v.r.IntervalS, total: v.total,
		value: value, column: column}
	if !(f.interval > 0) {
		f.interval = v.total / float64(max(1, len(f.starts)))
	}
	return f
}

func (v *view) callersColumn(metric string) []float64 { return v.r.Series.Column(v.callers, metric) }
func (v *view) serviceColumn(metric string) []float64 { return v.r.Series.Column(v.service, metric) }

// peak of the finite values; 0 of none.
func peak(values []float64) float64 {
	top := 0.0
	for _, v := range values {
		if finite(v) {
			top = math.Max(top, v)
		}
	}
	return top
}

// trough is the lowest finite value; +Inf of none.
func trough(values []float64) float64 {
	low := math.Inf(1)
	for _, v := range values {
		if finite(v) {
			low = math.Min(low, v)
		}
	}
	return low
}
