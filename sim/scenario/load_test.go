package scenario

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/throttle"
	"github.com/resilsim/resilsim/patterns/timeout"
	"github.com/resilsim/resilsim/scenarios"
)

// must loads a scenario that has to be free of faults.
func must(t *testing.T, name string, text []byte, opt Options) *Scenario {
	t.Helper()
	sc, report := Load(name, text, opt)
	if err := report.Err(); err != nil {
		t.Fatal(err)
	}
	return sc
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// story is a scenario to test on: its name and how to read it.
type story struct {
	name    string
	text    []byte
	resolve func(string) ([]byte, error)
}

// stories are the shipped scenarios and those of the test data.
func stories(t *testing.T) []story {
	t.Helper()
	var out []story
	for _, name := range scenarios.List() {
		text, err := scenarios.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, story{name, text, scenarios.Read})
	}
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".yaml")
		out = append(out, story{name, file(t, "good/"+name+".yaml"), resolve})
	}
	return out
}

// withoutPlaces drops where claims stand, which a canonical copy changes.
func withoutPlaces(sc *Scenario) *Scenario {
	for _, list := range [][]Expectation{sc.SteadyState, sc.Expect} {
		for i := range list {
			list[i].Line, list[i].Col = 0, 0
		}
	}
	return sc
}

// A resolved scenario is written, read again and written again: the same value
// and the same bytes. Every shipped scenario and one with every key goes through.
func TestResolvedScenarioReadsBackTheSame(t *testing.T) {
	for _, s := range stories(t) {
		sc := withoutPlaces(must(t, s.name, s.text, Options{Resolve: s.resolve}))
		text := Marshal(sc)
		again := withoutPlaces(must(t, "resolved.yaml", text, Options{}))
		if !reflect.DeepEqual(sc, again) {
			t.Errorf("%s: read back differently:\n%+v\n%+v", s.name, sc, again)
		}
		if twice := Marshal(again); !bytes.Equal(text, twice) {
			t.Errorf("%s: written differently:\n%s\n%s", s.name, text, twice)
		}
	}
}

// What ships is read without a fault and without a warning.
func TestShippedScenariosAreClean(t *testing.T) {
	for _, name := range scenarios.List() {
		text, err := scenarios.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		sc, report := Load(name+".yaml", text, Options{Resolve: scenarios.Read})
		for _, f := range report.All() {
			t.Errorf("%s:%d:%d: %s", f.File, f.Line, f.Col, f.Message)
		}
		if sc != nil && sc.Name != name {
			t.Errorf("%s calls itself %s", name, sc.Name)
		}
	}
}

// The file with every key is compared with what it says, value by value where
// the spelling differs from the meaning.
func TestEveryKeyArrives(t *testing.T) {
	sc := must(t, "everything.yaml", file(t, "good/everything.yaml"), Options{})
	want := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	want("seed", sc.Seed, uint64(1<<64-1))
	want("curve", sc.Callers[0].Arrivals, Arrivals{Poisson, []RatePoint{{0, 1, 0}, {5 * time.Minute, 30, time.Minute}}})
	want("fixed gaps", sc.Callers[1].Arrivals, Arrivals{Uniform, []RatePoint{{0, 2, 0}}})
	want("merged anchor", sc.Pipelines[0].Policies[1].Retry.WaitDuration, patterns.Duration(250*time.Millisecond))
	want("own key before the anchor's", sc.Pipelines[0].Policies[1].Retry.MaxAttempts, 3)
	want("budget", *sc.Pipelines[0].Policies[1].Retry.Budget, budget.Config{Ratio: 0.1, Window: patterns.Duration(20 * time.Second), MinPerSecond: 3, Deposit: budget.PerSuccess})
	zero := 0.0
	want("token bucket", *sc.Pipelines[1].Policies[0].Retry.Budget, budget.Config{Ratio: 0.5, Capacity: 10, Initial: &zero, Deposit: budget.PerCall})
	want("window in seconds", sc.Pipelines[0].Policies[2].CircuitBreaker.SlidingWindowSize, 10)
	want("zero stays zero", *sc.Pipelines[0].Policies[2].CircuitBreaker.MaxWaitDurationInHalfOpenState, patterns.Duration(0))
	want("defaults", *sc.Pipelines[1].Policies[1].CircuitBreaker, breaker.Defaults())
	want("short timeout", sc.Pipelines[1].Policies[2], Policy{Timeout: &timeout.Config{TimeoutDuration: patterns.Duration(100 * time.Millisecond)}})
	want("uncooperative", sc.Pipelines[0].Policies[4].Uncooperative, true)
	want("rungs", sc.Pipelines[0].Policies[0].Fallback.Steps, []FallbackStep{{Name: "cache", Call: 1, Through: 1}, {Name: "default", Takes: 5 * time.Millisecond, Call: -1, Through: -1}})
	want("unbounded", sc.Services[1].Queue, Queue{Limit: -1, Discipline: FIFO})
	want("crash", sc.Faults[4], Fault{Kind: CrashDown, Name: "crash", At: 14 * time.Minute, For: 10 * time.Second, Service: 0, Fleet: -1, CallersTo: -1, Instances: 1, Times: 1, Restart: 10 * time.Second})
	want("surge", sc.Faults[7], Fault{Kind: Surge, Name: "surge", At: 17 * time.Minute, For: 30 * time.Second, Service: -1, Fleet: 1, CallersTo: -1, Instances: 1, Times: 1, RatePerSec: 30})
	want("forced", sc.Operators[4].Force, breaker.MetricsOnly)
	want("all pipelines", sc.Operators[6].Pipeline, -1)
	want("claim", sc.SteadyState[1], Expectation{Text: "web.latency_p99.9 p95 during [1m, trigger - 10s] <= 2s", Scope: "callers.web", Metric: "latency_p99.9", Aggregate: "p95",
		From: Anchor{"start", time.Minute}, To: Anchor{"trigger", -10 * time.Second}, Op: "<=", Bound: 2000, Line: 172, Col: 5})
	want("verdict", sc.Expect[0].Word, "overloaded")
}

// A sibling's paths are held against the base: each path of the file changed
// what it names, and the rest is as it was.
func TestSiblingDiffersOnlyInWhatItSets(t *testing.T) {
	base := must(t, "everything.yaml", file(t, "good/everything.yaml"), Options{})
	sc := must(t, "sibling.yaml", file(t, "good/sibling.yaml"), Options{Resolve: resolve})
	if sc.Extends != "everything" || len(sc.Differs) != 11 || sc.Differs[0] != "pipelines.api-client.retry.maxAttempts: 2" {
		t.Errorf("extends %q, differs %q", sc.Extends, sc.Differs)
	}
	if len(sc.SteadyState) != 2 || len(sc.Expect) != 1 {
		t.Errorf("claims: %d steady (kept), %d expected (replaced)", len(sc.SteadyState), len(sc.Expect))
	}
	base.Pipelines[0].Policies[1].Retry.MaxAttempts = 2
	base.Pipelines[1].Policies[2].Uncooperative = true
	wall := bulkhead.Defaults()
	wall.MaxConcurrentCalls = 5
	base.Pipelines[2].Policies = []Policy{{Bulkhead: &wall}}
	base.Callers[0].Arrivals = Arrivals{Uniform, []RatePoint{{0, 20, 0}}}
	base.Services[0].Queue.Limit = -1
	base.Services[1].Crash = &Crash{10, time.Second}
	base.Services[2].Do[3].Work = base.Services[2].Do[2].Work
	base.Links[0].Latency = sc.Links[0].Latency
	base.Faults[5].For = 45 * time.Second
	for what, pair := range map[string][2]any{"callers": {base.Callers, sc.Callers}, "pipelines": {base.Pipelines, sc.Pipelines}, "services": {base.Services, sc.Services},
		"links": {base.Links, sc.Links}, "faults": {base.Faults, sc.Faults}, "operators": {0, len(sc.Operators)}} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %+v, want %+v", what, pair[1], pair[0])
		}
	}
}

// The table must know every key of a pattern's configuration and no other: a
// setting added there and not here could not be written in a scenario.
func TestTableHasEverySettingOfThePatterns(t *testing.T) {
	for _, c := range []struct {
		config any
		table  *shape
		more   []string
	}{
		{retry.Config{}, retryShape(), nil},
		{budget.Config{}, budgetShape(), nil},
		{breaker.Config{}, breakerShape(), nil},
		{bulkhead.Config{}, bulkheadShape(), []string{"interval", "target", "levels", "minRemainingDuration"}},
		{bulkhead.PoolConfig{}, poolShape(), nil},
		{hedge.Config{}, hedgeShape(), nil},
		{timeout.Config{}, timeoutShape().fits(mappingNode), []string{"cooperative"}},
		{ratelimit.Config{}, rateLimiterShape(), nil},
		{throttle.Config{}, throttleShape(), nil},
	} {
		known := append([]string{}, c.more...)
		for i := range reflect.TypeOf(c.config).NumField() {
			known = append(known, reflect.TypeOf(c.config).Field(i).Tag.Get("yaml"))
		}
		for _, k := range known {
			if c.table.key(k) == nil {
				t.Errorf("%s: the table lacks '%s'", c.table.title, k)
			}
		}
		if len(known) != len(c.table.keys) {
			t.Errorf("%s: the table has %d keys, the pattern %d", c.table.title, len(c.table.keys), len(known))
		}
	}
}

// The defaults that the table tells are those that the patterns have: the value
// of a bare policy is compared with the documented word.
func TestDocumentedDefaultsAreTheRealOnes(t *testing.T) {
	ten := budget.Defaults()
	ten.Capacity = 0
	for _, c := range []struct {
		config any
		table  *shape
	}{{retry.Defaults(), retryShape()}, {ten, budgetShape()}, {breaker.Defaults(), breakerShape()}, {bulkhead.Defaults(), bulkheadShape()},
		{bulkhead.PoolDefaults(), poolShape()}, {hedge.Defaults(), hedgeShape()},
		{ratelimit.Defaults(), rateLimiterShape()}, {throttle.Defaults(), throttleShape()}} {
		v := reflect.ValueOf(c.config)
		for i := range v.NumField() {
			name := v.Type().Field(i).Tag.Get("yaml")
			k := c.table.key(name)
			got := v.Field(i)
			if k.dflt == "" || got.Kind() == reflect.Pointer || (got.Kind() == reflect.String && got.Len() == 0) || name == "capacity" {
				continue
			}
			want := reflect.New(got.Type()).Elem()
			val := &value{node: &node{text: k.dflt}, word: k.dflt}
			if bad := val.read(val.node, k.shape); bad != nil {
				t.Errorf("%s.%s: the default %q is not a value: %s", c.table.title, name, k.dflt, bad.message)
				continue
			}
			fillField(want, val)
			if !reflect.DeepEqual(want.Interface(), got.Interface()) {
				t.Errorf("%s.%s: documented %q, is %v", c.table.title, name, k.dflt, got.Interface())
			}
		}
	}
}

// The default interval is a round step with at most 3600 of them.
func TestDefaultIntervalIsRoundAndBounded(t *testing.T) {
	for _, c := range []struct{ run, want time.Duration }{
		{time.Second, 100 * time.Millisecond}, {time.Minute, 100 * time.Millisecond}, {2*time.Minute - 1, 100 * time.Millisecond},
		{2 * time.Minute, time.Second}, {time.Hour, time.Second}, {time.Hour + time.Second, 2 * time.Second},
		{24 * time.Hour, 30 * time.Second}, {1000 * time.Hour, 30 * time.Minute},
	} {
		if got := defaultInterval(c.run); got != c.want {
			t.Errorf("run of %v: %v, want %v", c.run, got, c.want)
		}
	}
}

// Flags win over the file: duration and seed of the options arrive.
func TestFlagsWinOverTheFile(t *testing.T) {
	d, seed := 30*time.Minute, uint64(99)
	sc := must(t, "plain.yaml", file(t, "good/plain.yaml"), Options{Duration: &d, Seed: &seed, Set: []string{"callers.web.instances=7", "callers.web.instances=8"}})
	if sc.Duration != d || sc.Seed != seed || sc.Callers[0].Instances != 8 {
		t.Errorf("%v %d %d", sc.Duration, sc.Seed, sc.Callers[0].Instances)
	}
}
