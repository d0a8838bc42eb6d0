package experiment

import (
	"fmt"
	"math"
	"strconv"

	"github.com/resilsim/resilsim/sim/result"
	"github.com/resilsim/resilsim/sim/scenario"
)

// claims says of each expectation whether it held and what was found. What cannot
// be measured did not hold.
func (e *evidence) claims(expected []scenario.Expectation) []result.Claim {
	out := []result.Claim{}
	for i := range expected {
		out = append(out, e.claim(&expected[i]))
	}
	return out
}

func (e *evidence) claim(x *scenario.Expectation) result.Claim {
	c := result.Claim{Text: x.Text}
	if x.Metric == "verdict" {
		word := string(e.outcome.Verdict.Word)
		c.Actual, c.Held = word, (word == x.Word) == (x.Op == "==")
		return c
	}
	m, known := metric(x)
	if !known {
		c.Actual = "no such metric"
		return c
	}
	value, missing := e.value(m, x)
	if missing != "" || math.IsNaN(value) || math.IsInf(value, 0) {
		if c.Actual = missing; missing == "" {
			c.Actual = "nothing to measure there"
		}
		return c
	}
	c.Value, c.Actual, c.Held = &value, found(value, m.Unit, x), compare(value, x.Op, x.Bound)
	return c
}

// metric is the entry of the catalogue that is meant: the same name may be one of
// fleets and of services.
func metric(x *scenario.Expectation) (result.Metric, bool) {
	for _, m := range result.Catalogue() {
		fits := x.Scope == "" || m.Kind == result.Run || len(x.Scope) > len(m.Kind) && x.Scope[:len(m.Kind)] == string(m.Kind)
		if m.Name == x.Metric && fits {
			return m, true
		}
	}
	return result.Metric{}, false
}

func compare(value float64, op string, bound float64) bool {
	switch op {
	case ">=":
		return value >= bound
	case "<=":
		return value <= bound
	case ">":
		return value > bound
	case "<":
		return value < bound
	case "==":
		return value == bound
	case "!=":
		return value != bound
	}
	return false
}

// value of a claim in the metric's own unit, or why there is none.
func (e *evidence) value(m result.Metric, x *scenario.Expectation) (value float64, missing string) {
	if m.Combine == "run" {
		return e.ofRun(m.Name, x.Scope)
	}
	scope := x.Scope
	switch {
	case scope == "" && m.Kind == result.Callers && len(e.fleets) > 0:
		scope = e.fleets[0]
	case scope == "" && m.Kind == result.Services && len(e.services) > 0:
		scope = e.services[0]
	}
	fromS, missing := e.instant(x.From, 0)
	if missing != "" {
		return 0, missing
	}
	toS, missing := e.instant(x.To, e.endS)
	if missing != "" {
		return 0, missing
	}
	w := e.window(fromS, toS)
	if w.from >= w.to {
		return 0, fmt.Sprintf("no interval from %.6g s to %.6g s", fromS, toS)
	}
	return e.aggregate(m, scope, x.Aggregate, w), ""
}

func (e *evidence) ofRun(name, scope string) (value float64, missing string) {
	v := &e.outcome.Verdict
	switch name {
	case "recovery_time":
		if v.RecoveredAfterTriggerS == nil {
			return 0, "no recovery"
		}
		return *v.RecoveredAfterTriggerS, ""
	case "outage":
		return v.OutageS, ""
	case "time_below":
		return v.TimeBelowS, ""
	case "crash_count":
		return float64(e.crashes), ""
	case "requests_failed":
		n := uint64(0)
		for i, a := range e.accounts {
			if i < len(e.fleets) && (scope == "" || scope == a.Boundary) {
				n += a.Failed + a.Refused
			}
		}
		return float64(n), ""
	}
	return 0, "no such metric"
}

// instant of an anchor. An anchor without a base counts from the start, or is the
// default where it has no offset either.
func (e *evidence) instant(a scenario.Anchor, defaultS float64) (atS float64, missing string) {
	v, base := &e.outcome.Verdict, (*float64)(nil)
	start := 0.0
	switch a.Base {
	case "":
		if a.Offset == 0 {
			return defaultS, ""
		}
		base = &start
	case "start":
		base = &start
	case "end":
		base = &e.endS
	case "trigger":
		base = v.TriggerStartS
	case "trigger.end":
		base = v.TriggerEndS
	case "recovery":
		base = v.RecoveryAtS
	}
	if base == nil {
		return 0, "no " + a.Base
	}
	return *base + a.Offset.Seconds(), ""
}

// found is a value as a person reads it, with its unit: three digits, or as many
// more as it takes to see on which side of the claim's bound it lies. From two
// minutes on a time is minutes and seconds where whole seconds say enough.
func found(value float64, unit string, x *scenario.Expectation) string {
	scale, suffix := 1.0, ""
	switch unit {
	case "share":
		scale, suffix = 100, " %"
	case "/s":
		suffix = unit
	case "ms", "s", "s/s":
		suffix = " " + unit
	}
	held := compare(value, x.Op, x.Bound)
	if whole := math.Round(value); unit == "s" && whole >= 120 && whole < 1e9 && compare(whole, x.Op, x.Bound) == held {
		return minutes(int64(whole))
	}
	for digits := 3; digits < 17; digits++ {
		text := number(scale*value, digits)
		shown, err := strconv.ParseFloat(text, 64)
		if err == nil && compare(shown/scale, x.Op, x.Bound) == held {
			return text + suffix
		}
	}
	return number(scale*value, 17) + suffix
}

// minutes writes seconds as scenarios do: 39m39s, 1h05m00s.
func minutes(s int64) string {
	if s < 3600 {
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm%02ds", s/3600, s/60%60, s%60)
}

// number rounds to so many digits, but writes none before the point as 0.
func number(x float64, digits int) string {
	if math.Abs(x) >= math.Pow10(digits) {
		return strconv.FormatFloat(math.Round(x), 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}
