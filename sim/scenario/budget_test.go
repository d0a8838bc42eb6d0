package scenario

import (
	"reflect"
	"testing"

	"github.com/resilsim/resilsim/patterns/budget"
)

// A budget of a given kind starts from that kind's own defaults: what the file
// gives is changed in them and nothing else.
func TestBudgetKindsBringTheirOwnDefaults(t *testing.T) {
	sc := must(t, "policies.yaml", file(t, "good/policies-of-every-kind.yaml"), Options{})
	four := 4.0
	for i, c := range []struct {
		kind   budget.Kind
		change func(*budget.Config)
	}{
		{budget.Window, func(c *budget.Config) { c.Ratio = 0.15 }},
		{budget.Bucket, func(c *budget.Config) { c.Capacity = 3 }},
		{budget.Concurrency, func(c *budget.Config) { c.Ratio, c.MinConcurrency = 0.1, 0 }},
		{budget.Tokens, func(c *budget.Config) { c.Ratio, c.Initial = 0.25, &four }},
		{budget.Quota, func(c *budget.Config) { c.Cost, c.NoRetryIncrement = 10, 0.5 }},
		{budget.FailureRate, func(c *budget.Config) { c.FailureRateThreshold, c.MinimumNumberOfCalls = 0, 0 }},
	} {
		want := budget.DefaultsOf(c.kind)
		c.change(&want)
		if got := *sc.Pipelines[0].Policies[i].Retry.Budget; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", c.kind, got, want)
		}
	}
}
