package result

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func at(x float64) *float64 { return &x }

// sample is a result with every field set, numbers that decimal places cannot
// say, and texts that need quoting.
func sample() *Result {
	third := 1.0 / 3
	r := &Result{
		SchemaVersion: SchemaVersion, Tool: Tool{"1.2.3", "go"}, Scenario: Source{Name: "storm", About: "a, \"b\" <c>\nd", Seed: math.MaxUint64, SHA256: "ab", Differs: []string{"x: 1"}},
		Digest: "00ff", Events: 12, Partial: true, DurationS: 2.5, IntervalS: 1,
		Verdict:      Verdict{Word: Rescued, Sentence: "s", Scope: "callers.web", RecoveryAtS: at(third), OutageS: third},
		Control:      &Control{Healthy: true, Verdict: Stable, GoodputShare: third},
		SteadyState:  []Claim{},
		Expectations: []Claim{{Text: "verdict == rescued", Held: true, Actual: "rescued", Value: at(math.SmallestNonzeroFloat64)}},
		Accounts:     []Account{{Boundary: "callers.web", Sent: 3, Failed: 1, Answered: 2, Reasons: []Count{{"failed", "timeout", 1}}}},
		Latency:      []LatencyRow{{Scope: "callers.web", Kind: "call", Count: 1, P999MS: at(third)}},
		Timeline:     []Event{{TS: third, Source: "fault", Subject: "services.db", What: "a, \"quoted\"\nline", Marker: true}},
		Windows:      []Window{{"trigger", 1, third, "blip"}},
		Scopes:       []ScopeInfo{{Scope: "callers.web", Instances: 2, Calls: []string{"db"}}},
		Replications: []Replication{{Seed: 1, Verdict: Stable, RecoveredAfterTriggerS: at(0)}},
		Histograms:   []HistogramRow{{0, "callers.web", third, 5}, {1, "callers.web", 2, math.MaxUint64}},
		Spec:         []byte("version: 1\n"),
	}
	r.Series = Series{StartS: []float64{0, 1, 2}}
	for _, scope := range []string{"callers.web", "callers.b.c", "services.db"} {
		for i, m := range append(callerMetrics(), serviceMetrics()...) {
			if strings.HasPrefix(scope, string(m.Kind)+".") {
				r.Series.Columns = append(r.Series.Columns, Column{scope, m.Name, []float64{float64(i) / 3, Absent, -1e300 / 7}})
			}
		}
	}
	return r
}

// absentAs replaces NaN, which equals nothing, by a number that nothing else is.
func absentAs(r *Result, x float64) *Result {
	for _, c := range r.Series.Columns {
		for i, v := range c.Values {
			if math.IsNaN(v) {
				c.Values[i] = x
			}
		}
	}
	return r
}

// Written and read back, a result is the same to the last bit.
func TestADirectoryIsReadAsItWasWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := WriteDir(dir, sample()); err != nil {
		t.Fatal(err)
	}
	got, err := ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := sample(); !reflect.DeepEqual(absentAs(got, 4711), absentAs(want, 4711)) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Errorf("%d files, want the five and no leftovers: %v", len(entries), err)
	}
}

// The same result gives the same bytes, and writing over an old result leaves
// nothing of it.
func TestTheSameResultGivesTheSameBytes(t *testing.T) {
	var texts [2]bytes.Buffer
	for i := range texts {
		if err := sample().WriteJSON(&texts[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("two writings differ")
	}
	dir := t.TempDir()
	old := sample()
	old.Spec = bytes.Repeat([]byte("# long\n"), 1000)
	for _, r := range []*Result{old, sample()} {
		if err := WriteDir(dir, r); err != nil {
			t.Fatal(err)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(dir, ScenarioFile)); string(text) != "version: 1\n" {
		t.Errorf("scenario.yaml is %q", text)
	}
}

// Lists that are empty are written as [], and a reader needs no case for null.
func TestEmptyListsAreNotNull(t *testing.T) {
	var text bytes.Buffer
	r := &Result{SchemaVersion: SchemaVersion, Accounts: []Account{{Boundary: "callers.web"}}}
	if err := r.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"steadyState", "expectations", "latency", "timeline", "windows", "scopes", "reasons"} {
		if !strings.Contains(text.String(), fmt.Sprintf("%q: []", key)) {
			t.Errorf("%s is not an empty list", key)
		}
	}
	if r.Accounts[0].Reasons != nil || r.Timeline != nil {
		t.Error("writing changed the result")
	}
}

// A number that JSON cannot say is refused, and then nothing is written.
func TestNotANumberIsRefused(t *testing.T) {
	r := sample()
	r.Verdict.OutageS = math.NaN()
	dir := filepath.Join(t.TempDir(), "out")
	if err := WriteDir(dir, r); err == nil || !strings.Contains(err.Error(), "NaN") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

// A directory below a file cannot be created; the error names it.
func TestAnUnwritableDirectoryIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(file, "out")
	if err := WriteDir(dir, sample()); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v", err)
	}
	if err := WriteFile(filepath.Join(file, "x"), nil); err == nil || !strings.Contains(err.Error(), "cannot write") {
		t.Errorf("error %v", err)
	}
}

// What is no result says so: an empty directory, a newer schema, broken files.
func TestWhatIsNoResultSaysSo(t *testing.T) {
	breaks := map[string]func(dir string) error{
		"not a result directory": func(dir string) error { return os.Remove(filepath.Join(dir, ResultFile)) },
		"schemaVersion 99": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, ResultFile), []byte(`{"schemaVersion":99}`), 0o644)
		},
		"result.json": func(dir string) error { return os.WriteFile(filepath.Join(dir, ResultFile), []byte(`{`), 0o644) },
		"header":      func(dir string) error { return os.WriteFile(filepath.Join(dir, SeriesFile), []byte("t_s\n1\n"), 0o644) },
		"line 2": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, HistogramsFile), []byte("a,b,c,d\n1,x,y,z\n"), 0o644)
		},
	}
	for part, spoil := range breaks { // order-free: each in a directory of its own
		dir := t.TempDir()
		if err := WriteDir(dir, sample()); err != nil {
			t.Fatal(err)
		}
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadDir(dir); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("want %q in %v", part, err)
		}
	}
}

// The header of series.csv: a name per metric, its unit at the end, no name twice,
// and as many cells in each row. An absent value is an empty cell.
func TestSeriesColumnsCarryTheirUnits(t *testing.T) {
	var text bytes.Buffer
	if err := sample().Series.WriteCSV(&text); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil || len(rows) != 1+3*3 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	seen := map[string]int{}
	for i, name := range rows[0] {
		if _, twice := seen[name]; twice {
			t.Errorf("%s twice", name)
		}
		seen[name] = i
	}
	for _, name := range []string{"t_s", "scope", "offered_per_s", "goodput_share", "latency_p99.9_ms", "amplification_ratio", "queue_count", "wasted_share", "wasted_s_per_s", "breakers_open_share"} {
		if _, there := seen[name]; !there {
			t.Errorf("no column %s in %v", name, rows[0])
		}
	}
	if row := rows[1]; row[seen["queue_count"]] != "" || row[seen["goodput_per_s"]] != "1" {
		t.Errorf("row %v", row)
	}
	if row := rows[4]; row[0] != "1" || row[seen["goodput_per_s"]] != "" {
		t.Errorf("row %v", row)
	}
}

// A curve that is not of the catalogue would be lost, so it is refused.
func TestAnUnknownCurveIsRefused(t *testing.T) {
	s := Series{StartS: []float64{0}, Columns: []Column{{"callers.web", "queue", []float64{1}}}}
	if err := s.WriteCSV(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "queue of callers.web") {
		t.Errorf("error %v", err)
	}
}
