package experiment_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resilsim/resilsim/sim/stats"
)

// theoryCase is a system with known answers, restated in testdata/theory.
type theoryCase struct {
	ID, Title, Method string
	Params            map[string]float64
	Plan              struct {
		Replications     int
		WarmupArrivals   int `json:"warmup_arrivals"`
		MeasuredArrivals int `json:"measured_arrivals"`
		Trips            int
		Simulated        float64 `json:"simulated_s"`
	}
	Quantities []theoryQuantity
}

// theoryQuantity is one known answer. Check says how it is held against ours: ci
// (measured in replications), calculator (a formula), or both.
type theoryQuantity struct {
	Name            string
	Value           float64
	Check           string
	MaxRelHalfwidth float64 `json:"max_rel_halfwidth95"`
	Off             float64 // check "within": how far from its limit it may be
}

// readTheory reads a file of testdata/theory.
func readTheory(t testing.TB, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "theory", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// theoryCases returns the named cases of a file, in the file's order; without
// names all of them.
func theoryCases(t testing.TB, file string, ids ...string) []theoryCase {
	t.Helper()
	var all struct{ Cases []theoryCase }
	readTheory(t, file, &all)
	if len(ids) == 0 {
		return all.Cases
	}
	var out []theoryCase
	for _, c := range all.Cases {
		for _, id := range ids {
			if c.ID == id {
				out = append(out, c)
			}
		}
	}
	if len(out) != len(ids) {
		t.Fatalf("%s has %d of the cases %v", file, len(out), ids)
	}
	return out
}

// full reports whether the whole plan of the data file is run, as for the page.
func full() bool { return os.Getenv("RESILSIM_FULL") != "" }

// shortening is by how much a plan is cut when it is not run in full.
func shortening() float64 {
	switch {
	case full():
		return 1
	case testing.Short():
		return 20
	}
	return 4
}

// widening is by how much half-widths may be wider when a plan is cut: by the
// square root of the shortening, as they are for the same system, and by a quarter,
// because a half-width that 20 replications give has a standard error of a sixth.
func widening() float64 {
	if full() {
		return 1
	}
	return 1.25 * math.Sqrt(shortening())
}

// replicate measures each replication, with seeds of its own, and sorts the
// values by quantity.
func (c *theoryCase) replicate(measure func(seed uint64) map[string]float64) map[string][]float64 {
	out := map[string][]float64{}
	for r := range c.Plan.Replications {
		for name, v := range measure(seedOf(c.ID, r)) {
			out[name] = append(out[name], v)
		}
	}
	return out
}

// seedOf is the seed of a replication: the bytes of the case's name and the
// number, so that no two cases share a seed.
func seedOf(id string, r int) uint64 {
	seed := uint64(0)
	for _, b := range []byte(id) {
		seed = seed<<8 | uint64(b)
	}
	return seed<<8 | uint64(r)
}

// hold compares what was measured and calculated with every quantity of the case
// and notes it for the page.
func (c *theoryCase) hold(t *testing.T, measured map[string][]float64, formulas map[string]float64) {
	t.Helper()
	for _, q := range c.Quantities {
		if strings.Contains(q.Check, "calculator") {
			c.holdFormula(t, q, formulas)
		}
		if strings.Contains(q.Check, "ci") {
			c.holdMeasured(t, q, measured[q.Name])
		}
	}
}

func (c *theoryCase) holdMeasured(t *testing.T, q theoryQuantity, values []float64) {
	t.Helper()
	if len(values) != c.Plan.Replications {
		t.Errorf("%s %s: %d replications, want %d", c.ID, q.Name, len(values), c.Plan.Replications)
		return
	}
	a := stats.Accept(values, q.Value, q.MaxRelHalfwidth*widening())
	if !a.OK {
		t.Errorf("%s %s: %s", c.ID, q.Name, a.Why)
	}
	note(t, pageRow{Case: c.ID, Quantity: q.Name, Theory: figure(q.Value), Ours: figure(a.Mean),
		Interval: spread(a.Mean, a.Allowed), Holds: a.OK})
}

// holdFormula wants nine digits: the known answers are written with twelve.
func (c *theoryCase) holdFormula(t *testing.T, q theoryQuantity, formulas map[string]float64) {
	t.Helper()
	v, ok := formulas[q.Name]
	if !ok {
		t.Errorf("%s %s: no formula", c.ID, q.Name)
		return
	}
	near := v-q.Value <= 1e-9*q.Value && q.Value-v <= 1e-9*q.Value
	if !near {
		t.Errorf("%s %s: the formula gives %.12g, want %.12g", c.ID, q.Name, v, q.Value)
	}
	if !strings.Contains(q.Check, "ci") {
		note(t, pageRow{Case: c.ID, Quantity: q.Name, Theory: figure(q.Value), Ours: figure(v),
			Interval: "formula", Holds: near})
	}
}
