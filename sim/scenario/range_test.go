package scenario

import (
	"slices"
	"strings"
	"testing"
)

// What the reference says of a range is what is allowed: at the ends of each range
// that a pattern bounds in its own way, a file with the last value that is allowed
// has no fault, and one with the first that is not has it at that value, in the
// words of the reference.
func TestTheEndsOfARangeAreThoseOfThePattern(t *testing.T) {
	for _, c := range []struct{ before, good, bad, after, bounds string }{
		{"retry: {jitter: factor, randomizedWaitFactor: ", "0.999", "1", "}", "at least 0 and below 1"},
		{"circuitBreaker: {enableRandomizedWait: true, randomizedWaitFactor: ", "0.999", "1", "}", "at least 0 and below 1"},
		{"circuitBreaker: {waitDurationInOpenState: ", "1ms", "999us", "}", "at least 1ms and"},
		{"retry: {budget: {kind: window, window: ", "1s", "999ms", "}}", "at least 1s and at most 1m"},
		{"retry: {budget: {kind: window, window: ", "60s", "61s", "}}", "at least 1s and at most 1m"},
		{"retry: {budget: {kind: failure_rate, failureRateThreshold: ", "99.9", "100", "}}", "at least 0 and below 100"},
		{"retry: {budget: {kind: failure_rate, failureRateThreshold: ", "0", "-1", "}}", "at least 0 and below 100"},
		{"retry: {budget: {kind: bucket, capacity: ", "0.001", "0", "}}", "above 0 and at most 1000000"},
		{"retry: {budget: {kind: bucket, capacity: ", "1000000", "1000001", "}}", "above 0 and at most 1000000"},
		{"retry: {budget: {kind: window, minPerSecond: ", "1000000", "1000001", "}}", "at most 1000000/s"},
		{"retry: {budget: {kind: quota, cost: ", "1", "0", "}}", "at least 1 and at most 1000000"},
	} {
		report := func(value string) []Finding {
			_, r := Load("x.yaml", []byte(rangeStory+c.before+value+c.after+"\n"), Options{})
			return r.Faults
		}
		if faults := report(c.good); len(faults) > 0 {
			t.Errorf("%s%s: %v", c.before, c.good, faults)
		}
		faults := report(c.bad)
		if !slices.ContainsFunc(faults, func(f Finding) bool {
			return strings.Contains(f.Message, "out of range") && strings.Contains(f.Message, c.bounds)
		}) {
			t.Errorf("%s%s: %v, want %s", c.before, c.bad, faults, c.bounds)
		}
	}
}

const rangeStory = `version: 1
scenario: ranges
duration: 1m
callers: {web: {instances: 1, arrivals: {poisson: 1/s}, do: [{call: api, through: p}]}}
services: {api: {workers: 1, do: [{work: 1ms}]}}
pipelines:
  p:
    - `
