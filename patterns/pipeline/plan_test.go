package pipeline

import (
	"reflect"
	"strings"
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/timeout"
)

// fill gives every pointer and slice below v something to point to.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	}
}

// shared returns the paths at which a and b point to the same memory.
func shared(path string, a, b reflect.Value) []string {
	switch a.Kind() {
	case reflect.Pointer:
		if a.Pointer() == b.Pointer() {
			return []string{path}
		}
		return shared(path, a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Pointer() == b.Pointer() {
			return []string{path}
		}
		return shared(path, a.Index(0), b.Index(0))
	case reflect.Struct:
		var all []string
		for i := range a.NumField() {
			all = append(all, shared(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i))...)
		}
		return all
	}
	return nil
}

// TestCopyOfPoliciesSharesNothing fills every pointer and slice of every setting,
// those to come included, and looks for memory that the copy shares.
func TestCopyOfPoliciesSharesNothing(t *testing.T) {
	from := make([]Policy, 1)
	fill(reflect.ValueOf(&from[0]).Elem())
	to := clone(from)
	if !reflect.DeepEqual(from, to) {
		t.Errorf("copy %+v, want %+v", to, from)
	}
	if both := shared("Policies()", reflect.ValueOf(from), reflect.ValueOf(to)); both != nil {
		t.Errorf("shared: %v", both)
	}
}

// TestPlanCannotBeChangedFromOutside: neither through what it was compiled from nor
// through what it tells.
func TestPlanCannotBeChangedFromOutside(t *testing.T) {
	given := guarded()
	p := mustCompile(t, given)
	given[0].Retry.MaxAttempts, given[1] = 99, Policy{}
	told := p.Policies()
	told[0].Retry.MaxAttempts, told[1] = 99, Policy{}
	if got := p.Policies(); !reflect.DeepEqual(got, guarded()) {
		t.Errorf("%+v", got)
	}
}

// TestNamesOfPoliciesAreUnique: two policies of one name are refused, any number
// without one is not.
func TestNamesOfPoliciesAreUnique(t *testing.T) {
	ps := []Policy{breakerOf(1, 1000), retryOf(2, 0), timeoutOf(10), timeoutOf(20)}
	ps[0].Name = "search"
	mustCompile(t, ps)
	ps[2].Name = "search"
	_, err := Compile(ps)
	want := `pipeline: policy 2: name "search" is that of policy 0: no two may have the same`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestTimeoutIsRefusedInItsOwnWords: the plan lets package timeout judge.
func TestTimeoutIsRefusedInItsOwnWords(t *testing.T) {
	c := timeout.Config{TimeoutDuration: patterns.Duration(-1)}
	_, own := timeout.Compile(c)
	_, err := Compile([]Policy{{Timeout: &c}})
	if err == nil || !strings.HasSuffix(err.Error(), own.Error()) {
		t.Errorf("%v, want the words of %v", err, own)
	}
}
