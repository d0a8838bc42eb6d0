package experiment_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/resilsim/resilsim/scenarios"
	"github.com/resilsim/resilsim/sim/scenario"
)

// incidentRun is a shipped scenario, perhaps with other settings, and what an
// independent simulation of the same parameters saw.
type incidentRun struct {
	ID, Title, Scenario string
	Set                 []string
	Duration            float64 `json:"duration_s"`
	Short               bool
	Checks              []incidentCheck
}

type incidentCheck struct {
	Quantity, Theory, Metric string
	Low, High                float64
	Edge                     bool    // theory is not met: some seeds are at Low, some at High
	From                     float64 `json:"from_s"`
	To                       float64 `json:"to_s"`
}

type incidentData struct {
	Title, Failed, Doubt string
	Runs                 []incidentRun
}

// TestIncidentsGoAsTheoryHasThem runs the shipped stories and their variants over
// several seeds, each seed for itself, and wants every run within the bounds around
// the figures of an independent simulation.
func TestIncidentsGoAsTheoryHasThem(t *testing.T) {
	t.Parallel()
	var data incidentData
	readTheory(t, "incidents.json", &data)
	for _, run := range data.Runs {
		if testing.Short() && !run.Short {
			continue
		}
		t.Run(run.ID, func(t *testing.T) {
			t.Parallel()
			run.hold(t)
		})
	}
}

// incidentSeeds is how many seeds an incident is run with.
func incidentSeeds() int {
	if full() {
		return 8
	}
	return 1
}

// seeds is as many as needed to find both sides of an edge.
func (run *incidentRun) seeds() int {
	for _, c := range run.Checks {
		if c.Edge {
			return max(incidentSeeds(), 6)
		}
	}
	return incidentSeeds()
}

func (run *incidentRun) hold(t *testing.T) {
	values := make([][]float64, len(run.Checks))
	sc := run.load(t)
	for seed := range run.seeds() {
		w := &outcomeWatch{}
		build(t, sc, uint64(seed)+1, w).Run(sc.Duration)
		for i, c := range run.Checks {
			values[i] = append(values[i], c.measure(w, sc.Duration))
		}
	}
	for i, c := range run.Checks {
		v := values[i]
		middle := median(v)
		holds := c.Low <= v[0] && v[len(v)-1] <= c.High
		if c.Edge {
			holds = v[0] <= c.Low && v[len(v)-1] >= c.High
		}
		if !holds {
			t.Errorf("%s, %s: %v, want from %v to %v (theory: %s)", run.Title, c.Quantity, v, c.Low, c.High, c.Theory)
		}
		note(t, pageRow{Case: run.ID, Quantity: c.Quantity, Theory: c.Theory, Ours: figure(middle),
			Interval: fmt.Sprintf("%s to %s", figure(slices.Min(v)), figure(slices.Max(v))), Holds: holds && !c.Edge})
	}
}

func (run *incidentRun) load(t *testing.T) *scenario.Scenario {
	t.Helper()
	text, err := scenarios.Read(run.Scenario)
	if err != nil {
		t.Fatal(err)
	}
	o := scenario.Options{Set: run.Set, Resolve: scenarios.Read}
	if run.Duration > 0 {
		d := seconds(run.Duration)
		o.Duration = &d
	}
	sc, report := scenario.Load(run.Scenario, text, o)
	if sc == nil {
		t.Fatalf("%s: %v", run.ID, report)
	}
	return sc
}

func (c *incidentCheck) measure(w *outcomeWatch, end time.Duration) float64 {
	from, to := seconds(c.From), seconds(c.To)
	switch c.Metric {
	case "retries_over_offered":
		return sum(w.again, from, to) / sum(w.sent, from, to)
	case "goodput_share":
		return w.goodShare(from, to)
	case "recovery_s":
		return w.recovery(from, end)
	case "failed":
		return sum(w.failed, from, to)
	case "crashes":
		n := 0
		for _, at := range w.crashes {
			if at >= from && at < to {
				n++
			}
		}
		return float64(n)
	}
	panic("no metric " + c.Metric)
}
