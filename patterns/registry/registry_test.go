package registry

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/timeout"
)

var errBoom = errors.New("boom")

// opensAfter is a breaker that opens when half of n calls have failed.
func opensAfter(n int) *breaker.Config {
	c := breaker.Defaults()
	c.SlidingWindowSize, c.MinimumNumberOfCalls = n, n
	return &c
}

func made(t testing.TB, names []string, c Config, opts ...Option) *Registry {
	t.Helper()
	r, err := New(names, c, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// call makes a call that ends with err.
func call(t testing.TB, r *Registry, name string, err error) error {
	t.Helper()
	p, unlisted := r.Pipeline(name)
	if unlisted != nil {
		t.Fatal(unlisted)
	}
	_, got := pipeline.Do(context.Background(), p, func(context.Context) (int, error) { return 0, err })
	return got
}

// TestUnlistedNameIsAnErrorAndMakesNothing: it is found by ErrUnknown, says what there
// is, and the registry is as before.
func TestUnlistedNameIsAnErrorAndMakesNothing(t *testing.T) {
	r := made(t, []string{"stock", "prices"}, Config{Defaults: Defaults()})
	for range 3 {
		p, err := r.Pipeline("price")
		if p != nil || !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "prices, stock") {
			t.Errorf("%v, %v", p, err)
		}
	}
	if got := r.Names(); !slices.Equal(got, []string{"prices", "stock"}) || len(r.Snapshot().Instances) != 2 {
		t.Errorf("names %v", got)
	}
	a, _ := r.Pipeline("prices")
	b, _ := r.Pipeline("prices")
	if c, _ := r.Pipeline("stock"); a != b || a == c {
		t.Error("a name has not one pipeline of its own")
	}
}

// TestSharedPipelineIsOne: failures by one name open the breaker for both, and the
// snapshot says who shares with whom, in order, and shows the state once.
func TestSharedPipelineIsOne(t *testing.T) {
	r := made(t, []string{"z", "a", "m"}, Config{
		Defaults:  Policies{CircuitBreaker: opensAfter(2)},
		Instances: map[string]Instance{"z": {SharedWith: "m"}, "a": {SharedWith: "m"}},
	})
	_, _ = call(t, r, "a", errBoom), call(t, r, "z", errBoom)
	if err := call(t, r, "m", nil); !errors.Is(err, pipeline.ErrBreakerOpen) {
		t.Errorf("the breaker is not shared: %v", err)
	}
	s := r.Snapshot().Instances
	if s[0].SharedWith != "m" || s[2].SharedWith != "m" || !slices.Equal(s[1].SharedBy, []string{"a", "z"}) {
		t.Errorf("%+v", s)
	}
	if s[0].CircuitBreaker != nil || s[1].CircuitBreaker.State != "open" {
		t.Errorf("%+v", s)
	}
}

// TestEveryFaultIsTold spoils a sound configuration in one way each and expects all of
// the words in the error, and nothing made.
func TestEveryFaultIsTold(t *testing.T) {
	own := func(in Instance) map[string]Instance { return map[string]Instance{"prices": in} }
	bad := opensAfter(1)
	bad.FailureRateThreshold = 0
	base := Policies{CircuitBreaker: opensAfter(1)}
	for _, row := range []struct {
		names []string
		c     Config
		words string
	}{
		{[]string{}, Config{}, "names: there are none"},
		{[]string{""}, Config{}, `names: "" is not one or more printable`},
		{[]string{"a\nb"}, Config{}, `names: "a\nb" is not`},
		{[]string{"a", "a"}, Config{}, `names: "a" is there twice`},
		{nil, Config{Instances: map[string]Instance{"price": {}}}, `instances: "price" is not a name of this registry: one of prices, stock`},
		{nil, Config{Instances: own(Instance{SharedWith: "prices"})}, `instances.prices.sharedWith: "prices" is the instance itself`},
		{nil, Config{Instances: own(Instance{SharedWith: "x"})}, `sharedWith: "x" is not a name`},
		{nil, Config{Instances: map[string]Instance{"prices": {SharedWith: "stock"}, "stock": {SharedWith: "prices"}}}, `sharedWith: "stock" has no pipeline of its own`},
		{nil, Config{Instances: own(Instance{SharedWith: "stock", Policies: base})}, `instances.prices: what is shared with "stock" has nothing of its own`},
		{nil, Config{Instances: own(Instance{Without: []string{"breaker"}})}, `instances.prices.without: "breaker" is not a kind of policy: one of fallback, callTimeout,`},
		{nil, Config{Instances: own(Instance{Without: []string{"retry"}})}, `without: "retry" is not among the defaults`},
		{nil, Config{Defaults: base, Instances: own(Instance{Without: []string{"circuitBreaker"}, Policies: base})}, `without: "circuitBreaker" is there as well`},
		{nil, Config{Defaults: Policies{Order: []string{"x"}}}, `defaults.order: "x" is not a kind of policy`},
		{nil, Config{Instances: own(Instance{Policies: Policies{Order: []string{"retry", "retry"}}})}, `instances.prices.order: "retry" is there twice`},
		{nil, Config{Defaults: base, Instances: own(Instance{Policies: Policies{Order: []string{"retry"}}})}, `instances.prices.order: "circuitBreaker" is not in it`},
		{nil, Config{Defaults: Policies{CircuitBreaker: bad}}, "instances.stock: pipeline: policy 0: circuitBreaker: breaker: failureRateThreshold"},
	} {
		names := row.names
		if names == nil {
			names = []string{"prices", "stock"}
		}
		r, err := New(names, row.c)
		if r != nil || err == nil || !strings.Contains(err.Error(), row.words) {
			t.Errorf("%v, want %s", err, row.words)
		}
	}
	if got := listed(nil); got != "there is none" {
		t.Error(got)
	}
}

// TestPoliciesAreLaidTogether: a name has the defaults, less what it is without, with its
// own in their place, in the order asked for.
func TestPoliciesAreLaidTogether(t *testing.T) {
	ladder := &fallback.Config{Steps: []string{"cache"}}
	short := &timeout.Config{TimeoutDuration: patterns.Duration(time.Second)}
	d := Defaults()
	r := made(t, []string{"plain", "own", "turned"}, Config{Defaults: d, Instances: map[string]Instance{
		"own":    {Without: []string{"retry", "bulkhead"}, Policies: Policies{Fallback: ladder, CallTimeout: short, CircuitBreaker: opensAfter(7)}},
		"turned": {Policies: Policies{Order: []string{"bulkhead", "circuitBreaker", "retry", "fallback", "timeout"}}},
	}})
	for name, want := range map[string]string{
		"plain":  "retry circuitBreaker bulkhead timeout",
		"own":    "fallback callTimeout circuitBreaker timeout",
		"turned": "bulkhead circuitBreaker retry timeout",
	} {
		s := r.shown(r.instances[name])
		if got := strings.Join(s.Policies, " "); got != want {
			t.Errorf("%s has %s, want %s", name, got, want)
		}
		size := map[bool]int{true: 7, false: 100}[name == "own"]
		if w := s.CircuitBreaker.Window; w.Size != size || w.Type != "COUNT_BASED" {
			t.Errorf("%s: window %+v", name, w)
		}
	}
}

// TestFileIsLaidOverDefaults: a setting that a file gives replaces one setting, for one
// instance, and neither the defaults nor another instance change; null keeps the default.
func TestFileIsLaidOverDefaults(t *testing.T) {
	f := File[json.RawMessage]{Defaults: Defaults()}
	text := `{
	  "defaults": {"circuitBreaker": {"waitDurationInOpenState": "30s"}, "retry": {"retryRefusals": ["bulkhead_full"]}},
	  "instances": {
	    "prices": {"circuitBreaker": {"failureRateThreshold": "20"}, "timeout": null},
	    "stock":  {"retry": {"retryRefusals": ["rate_limited"], "budget": {"kind": "tokens"}}, "callTimeout": {"timeoutDuration": "9s"}},
	    "users":  {"sharedWith": "stock"}
	  }}`
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatal(err)
	}
	c, err := f.Config(strict)
	if err != nil {
		t.Fatal(err)
	}
	b := c.Instances["prices"].CircuitBreaker
	if b.FailureRateThreshold != patterns.PercentOf(20) || b.WaitDurationInOpenState.Std() != 30*time.Second || b.MinimumNumberOfCalls != 100 {
		t.Errorf("%+v", *b)
	}
	if d := f.Defaults.CircuitBreaker; d.FailureRateThreshold != patterns.PercentOf(50) || d.WaitDurationInOpenState.Std() != 30*time.Second {
		t.Errorf("the defaults have changed: %+v", *d)
	}
	in := c.Instances["stock"]
	if in.CircuitBreaker != nil || in.Timeout != nil || c.Instances["prices"].Timeout != nil || in.CallTimeout.TimeoutDuration.Std() != 9*time.Second {
		t.Errorf("%+v", in)
	}
	if len(in.Retry.RetryRefusals) != 1 || f.Defaults.Retry.RetryRefusals[0] == in.Retry.RetryRefusals[0] || in.Retry.MaxAttempts != retry.Defaults().MaxAttempts {
		t.Errorf("%+v", *in.Retry)
	}
	if in := c.Instances["users"]; in.SharedWith != "stock" || slices.ContainsFunc(in.list(), present) {
		t.Errorf("%+v", in)
	}
}

// strict reads JSON and refuses unknown keys, as a service should.
func strict(raw json.RawMessage, into any) error {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// TestFileTellsFaultsOfAllInstances: two instances with faults are both named, sorted.
func TestFileTellsFaultsOfAllInstances(t *testing.T) {
	f := File[json.RawMessage]{Instances: map[string]json.RawMessage{
		"b": json.RawMessage(`{"retries": 3}`), "a": json.RawMessage(`{"timeout": {"timeoutDuration": 5}}`), "c": json.RawMessage(`{}`),
	}}
	_, err := f.Config(strict)
	if err == nil || !strings.Contains(err.Error(), "instances.a: ") || !strings.Contains(err.Error(), "\nregistry: instances.b: ") || strings.Contains(err.Error(), "instances.c") {
		t.Error(err)
	}
	bad := opensAfter(1)
	bad.RandomizedWaitFactor = inf()
	f = File[json.RawMessage]{Defaults: Policies{CircuitBreaker: bad}, Instances: map[string]json.RawMessage{"a": json.RawMessage(`{}`)}}
	if _, err := f.Config(strict); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Error(err)
	}
	calls := 0
	f = File[json.RawMessage]{Instances: map[string]json.RawMessage{"a": nil}}
	if _, err := f.Config(func(json.RawMessage, any) error {
		if calls++; calls == 2 {
			return errBoom
		}
		return nil
	}); err == nil || calls != 2 {
		t.Errorf("%d calls: %v", calls, err)
	}
}

func inf() float64 {
	var zero float64
	return 1 / zero
}

// TestKeysAreOfOneMind: YAML and JSON have the same key for each field, the list of
// policies has each kind under that key, and a copy of filled policies is equal and shares nothing.
func TestKeysAreOfOneMind(t *testing.T) {
	var keys []string
	typ := reflect.TypeFor[Policies]()
	for i := range typ.NumField() {
		y := typ.Field(i).Tag.Get("yaml")
		if j, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ","); y != j {
			t.Errorf("%s is %q in YAML and %q in JSON", typ.Field(i).Name, y, j)
		}
		if y != "order" {
			keys = append(keys, y)
		}
	}
	if !slices.Equal(kinds(), keys) {
		t.Errorf("kinds %v, want %v", kinds(), keys)
	}
	var full Policies
	fill(reflect.ValueOf(&full).Elem())
	for i, p := range full.list() {
		if !present(p) {
			t.Errorf("%s is not in the list", keys[i])
		}
	}
	copied, err := full.clone()
	if err != nil || !reflect.DeepEqual(full, copied) {
		t.Errorf("the copy differs: %v", err)
	}
	if got := (Policies{}).where(full); !reflect.DeepEqual(got, Policies{}) {
		t.Errorf("%+v", got)
	}
	if got := full.where(copied); !reflect.DeepEqual(got, full) || got.Retry != copied.Retry {
		t.Errorf("%+v", got)
	}
}

// fill gives every field a value that is not zero.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64, reflect.Float32:
		v.SetFloat(1.5)
	default:
		if v.CanInt() {
			v.SetInt(7)
		} else {
			v.SetUint(7)
		}
	}
}

// TestListenerAndClassifierKnowTheName: events of all pipelines come to one listener with
// the name of whose pipeline it is; errors are judged by the rule of their name.
func TestListenerAndClassifierKnowTheName(t *testing.T) {
	var heard []string
	r := made(t, []string{"a", "b", "c"}, Config{
		Defaults:  Policies{CircuitBreaker: opensAfter(1)},
		Instances: map[string]Instance{"c": {SharedWith: "b"}},
	}, WithListener(func(name string, e pipeline.Event) {
		heard = append(heard, name+" "+e.Name+" "+e.Kind.String())
	}), WithClassifier(func(name string) func(context.Context, error) patterns.Result {
		if name != "a" {
			return nil
		}
		return func(context.Context, error) patterns.Result { return patterns.Result{Outcome: patterns.Success} }
	}))
	_, _ = call(t, r, "a", errBoom), call(t, r, "c", errBoom)
	if want := []string{"b circuitBreaker breaker changed"}; !slices.Equal(heard, want) {
		t.Errorf("heard %v, want %v", heard, want)
	}
}

// TestLookingUpDoesNotAllocate: a call through a registry costs what the pipeline costs.
func TestLookingUpDoesNotAllocate(t *testing.T) {
	r := made(t, []string{"a"}, Config{Defaults: Defaults()})
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := r.Pipeline("a"); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
