package scenario

import (
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/registry"
)

// TestASettingOfAPatternIsReadFromYAML: plain and quoted scalars, those behind an alias, and
// null, which leaves what was there; as a service that keeps its settings in YAML has them.
func TestASettingOfAPatternIsReadFromYAML(t *testing.T) {
	for text, want := range map[string]float64{
		"50": 50, "'50'": 50, "50%": 50, `"50 %"`: 50, "12.5": 12.5, "!!str 50": 50, "5e1": 50, "null": 7, "~": 7, "": 7,
	} {
		c := breaker.Config{FailureRateThreshold: patterns.PercentOf(7), WaitDurationInOpenState: 7}
		file := "x: &x " + text + "\nc: {failureRateThreshold: *x, waitDurationInOpenState: 1m30s}"
		into := struct {
			X any
			C *breaker.Config
		}{C: &c}
		if err := yaml.Unmarshal([]byte(file), &into); err != nil || c.FailureRateThreshold.Float() != want || c.WaitDurationInOpenState.Std() != 90*time.Second {
			t.Errorf("%s: %v, %v", text, c.FailureRateThreshold, err)
		}
	}
}

// TestAFaultySettingOfAPatternInYAMLIsTold as it is in JSON.
func TestAFaultySettingOfAPatternInYAMLIsTold(t *testing.T) {
	for text, want := range map[string]string{
		"failureRateThreshold: 101":    "'101' is not a percentage from 0 to 100",
		"failureRateThreshold: half":   "'half' is not a percentage from 0 to 100",
		"failureRateThreshold: true":   "'true' is not a percentage from 0 to 100",
		"waitDurationInOpenState: 250": "'250' is not a duration: write '250s' or '250ms'",
		"waitDurationInOpenState: 1.5": "'1.5' is not a duration: write '1.5s' or '1.5ms'",
	} {
		var c breaker.Config
		if err := yaml.Unmarshal([]byte(text), &c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestAFileOfInstancesInYAML: the example of the registry's documentation, read with
// nodes for its raw values, keeps what the defaults say beside the setting that differs.
func TestAFileOfInstancesInYAML(t *testing.T) {
	file := registry.File[yaml.Node]{Defaults: registry.Defaults()}
	text := `
defaults:
  circuitBreaker: {waitDurationInOpenState: 30s}
instances:
  prices:
    circuitBreaker: {failureRateThreshold: 20}
    without: [bulkhead]
  stock: {sharedWith: prices}
`
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	c, err := file.Config(func(n yaml.Node, into any) error { return n.Decode(into) })
	if err != nil {
		t.Fatal(err)
	}
	b := c.Instances["prices"].CircuitBreaker
	if b.FailureRateThreshold != patterns.PercentOf(20) || b.WaitDurationInOpenState.Std() != 30*time.Second || b.SlidingWindowSize != 100 {
		t.Errorf("%+v", b)
	}
	if _, err := registry.New([]string{"prices", "stock"}, c); err != nil {
		t.Error(err)
	}
}
