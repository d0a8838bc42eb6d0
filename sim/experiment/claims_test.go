package experiment

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/result"
	"github.com/resilsim/resilsim/sim/scenario"
	"github.com/resilsim/resilsim/sim/stats"
)

func at(s float64) *float64 { return &s }

// proof is a run of 4.5 s in intervals of 1 s, the trigger from 1 s to 2 s,
// recovered at 3 s.
func proof() *evidence {
	nan := math.NaN()
	column := func(scope, metric string, values ...float64) result.Column {
		return result.Column{Scope: scope, Metric: metric, Values: values}
	}
	e := &evidence{endS: 4.5, fleets: []string{"callers.web", "callers.batch"}, services: []string{"services.db"}, crashes: 2}
	e.series = result.Series{StartS: []float64{0, 1, 2, 3, 4}, Columns: []result.Column{
		column("callers.web", "offered", 10, 10, 0, 20, 40),
		column("callers.web", "goodput", 10, 0, 0, 20, 20),
		column("callers.web", "goodput_share", 1, 0, nan, 1, 0.5),
		column("callers.web", "latency_p99", 5, nan, nan, 9, 7),
		column("callers.batch", "offered", 1, 1, 1, 1, 1),
		column("services.db", "busy", 2, 4, 6, 8, 8),
		column("services.db", "workers", 8, 8, 8, 8, 8),
		column("services.db", "wait_mean", 1, nan, 3, nan, nan),
	}}
	e.accounts = []result.Account{{Boundary: "callers.web", Failed: 5, Refused: 2}, {Boundary: "callers.batch", Failed: 1}, {Boundary: "services.db", Failed: 100}}
	e.outcome.Verdict = result.Verdict{Word: result.Recovered, OutageS: 1.5, TimeBelowS: 1.25,
		TriggerStartS: at(1), TriggerEndS: at(2), RecoveryAtS: at(3), RecoveredAfterTriggerS: at(1)}
	e.pooledMS = func(fleet int, share float64, from, to int) float64 {
		return float64(fleet)*1000 + share*100 + float64(10*from+to)/1000
	}
	return e
}

func from(base string, offset time.Duration) scenario.Anchor {
	return scenario.Anchor{Base: base, Offset: offset}
}

// Every aggregate against a hand-made sum: rates and ratios are sums over sums, the
// half interval at the end counts half, absent values count as nothing.
func TestWindowsAreSummedUpAsTheCatalogueSays(t *testing.T) {
	start, end := from("start", 0), from("end", 0)
	for _, row := range []struct {
		scope, metric, word string
		from, to            scenario.Anchor
		want                float64
	}{
		{"", "offered", "", start, end, (10 + 10 + 20 + 20) / 4.5},
		{"callers.web", "offered", "mean", from("start", time.Second), from("start", 3*time.Second), 5},
		{"callers.batch", "offered", "max", start, end, 1},
		{"", "goodput_share", "", start, end, 40.0 / 60},
		{"", "goodput_share", "mean", from("start", time.Second), from("start", 3*time.Second), 0},
		{"", "goodput_share", "min", start, end, 0},
		{"", "goodput_share", "p50", start, end, 0.5},
		{"", "goodput_share", "p95", start, end, 1},
		{"", "goodput_share", "last", start, from("start", 3*time.Second), 0},
		{"services.db", "utilisation", "", start, end, (2 + 4 + 6 + 8 + 4) / 36.0},
		{"", "busy", "max", from("trigger", 0), from("trigger.end", 0), 4},
		{"", "busy", "max", from("recovery", -time.Second), from("recovery", 0), 6},
		{"services.db", "wait_mean", "", start, end, 2},
		{"", "latency_p99", "mean", start, end, 7},
		{"", "latency_p99", "", start, from("end", -time.Second), 99 + 0.003},
		{"callers.batch", "latency_p99.9", "", from("start", time.Second), end, 1099.9 + 0.015},
		// A window inside an interval is that interval.
		{"", "busy", "", from("start", 2200*time.Millisecond), from("start", 2700*time.Millisecond), 6},
		{"", "recovery_time", "", start, end, 1},
		{"", "outage", "", start, end, 1.5},
		{"", "time_below", "", start, end, 1.25},
		{"", "crash_count", "", start, end, 2},
		{"", "requests_failed", "", start, end, 8},
		{"callers.web", "requests_failed", "", start, end, 7},
	} {
		c := proof().claim(&scenario.Expectation{Scope: row.scope, Metric: row.metric, Aggregate: row.word, From: row.from, To: row.to, Op: ">=", Bound: row.want - 1e-9})
		if c.Value == nil || math.Abs(*c.Value-row.want) > 1e-9 || !c.Held {
			t.Errorf("%s %s %s: %s, want %v", row.scope, row.metric, row.word, shown(t, c), row.want)
		}
	}
}

// What cannot be measured does not hold, whatever the operator, and says why.
func TestWhatCannotBeMeasuredDoesNotHold(t *testing.T) {
	start, end := from("start", 0), from("end", 0)
	e := proof()
	e.outcome.Verdict.RecoveryAtS, e.outcome.Verdict.RecoveredAfterTriggerS = nil, nil
	for _, row := range []struct {
		metric   string
		from, to scenario.Anchor
		want     string
	}{
		{"recovery_time", start, end, "no recovery"},
		{"busy", from("recovery", 0), end, "no recovery"},
		{"goodput_share", from("start", 2*time.Second), from("start", 3*time.Second), "nothing to measure there"},
		{"busy", from("start", time.Hour), end, "no interval from 3600 s to 4.5 s"},
		{"in_flight", start, end, "nothing to measure there"},
		{"goodness", start, end, "no such metric"},
	} {
		for _, op := range []string{"<=", ">=", "!="} {
			c := e.claim(&scenario.Expectation{Metric: row.metric, From: row.from, To: row.to, Op: op, Bound: 0})
			if c.Held || c.Value != nil || c.Actual != row.want {
				t.Errorf("%s %s: %+v, want %q", row.metric, op, c, row.want)
			}
		}
	}
}

// Operators at the bound itself, and words.
func TestOperatorsAtTheBound(t *testing.T) {
	holds := map[string]bool{">=": true, "<=": true, ">": false, "<": false, "==": true, "!=": false, "=~": false}
	for op, want := range holds { // order-free: each alone
		c := proof().claim(&scenario.Expectation{Metric: "outage", Op: op, Bound: 1.5})
		if c.Held != want || c.Actual != "1.5 s" {
			t.Errorf("%s: %+v", op, c)
		}
	}
	for _, row := range []struct {
		op, word string
		want     bool
	}{{"==", "recovered", true}, {"==", "stable", false}, {"!=", "recovered", false}, {"!=", "stable", true}} {
		if c := proof().claim(&scenario.Expectation{Metric: "verdict", Op: row.op, Word: row.word}); c.Held != row.want || c.Actual != "recovered" {
			t.Errorf("%s %s: %+v", row.op, row.word, c)
		}
	}
}

// Values carry their unit and are rounded, but never across the bound that they
// were held against: rows of a value, its claim, and what is read.
func TestValuesAreRoundedOnTheirSideOfTheBound(t *testing.T) {
	for _, row := range []struct {
		value    float64
		unit, op string
		bound    float64
		want     string
	}{
		{0.98765, "share", ">=", 0.99, "98.8 %"}, {0.98996, "share", ">=", 0.99, "98.996 %"}, {0.98996, "share", "<", 0.99, "98.996 %"},
		{1234.56, "/s", ">=", 3, "1235/s"}, {52.34, "ms", "<=", 52.3, "52.34 ms"}, {52.34, "ms", "<=", 50, "52.3 ms"}, {2379, "s", "<=", 2400, "39m39s"},
		{2379.2, "s", "<=", 2379, "2379.2 s"}, {119.4, "s", ">=", 1, "119 s"}, {3905, "s", "<=", 4000, "1h05m05s"}, {2379, "s/s", "<=", 2400, "2379 s/s"},
		{1000.2, "s", "<=", 1000, "1000.2 s"}, {4.98765, "ratio", "<", 5, "4.99"}, {1e6, "count", "==", 0, "1000000"}, {0, "s/s", ">", 0, "0 s/s"},
		{math.Nextafter(1, 2), "count", "==", 1, "1.0000000000000002"},
	} {
		if got := found(row.value, row.unit, &scenario.Expectation{Op: row.op, Bound: row.bound}); got != row.want {
			t.Errorf("%v %s %v: %q, want %q", row.value, row.op, row.bound, got, row.want)
		}
	}
}

// Two fleets share a service behind another one: its capacity is judged by the
// visits of the first fleet and the load of the second.
func TestVisitsFollowTheCalls(t *testing.T) {
	sc := &scenario.Scenario{Services: []scenario.Service{
		{Name: "front", Do: []scenario.Step{{Call: 1, Probability: 0.5}, {Call: 1, Probability: 1}, {Call: -1, Probability: 1}}},
		{Name: "db", Do: []scenario.Step{{Call: -1, Probability: 1}}},
	}}
	got := visitsOf(sc, []scenario.Step{{Call: 0, Probability: 1}, {Call: 1, Probability: 0.25}})
	if got[0] != 1 || got[1] != 1.75 {
		t.Errorf("visits %v, want 1 and 1.75", got)
	}
	if c := (stats.Capacity{PerS: 100, Visits: 2, OthersPerS: 40}); c.Visits != 2 {
		t.Errorf("%+v", c)
	}
}
