package scenario

import (
	"reflect"
	"testing"
	"time"
)

// What the command line changes is told after what the sibling sets, survives the
// resolved text, and grows when that text is changed again. The lists are written
// by hand.
func TestTheCommandLineLeavesATrace(t *testing.T) {
	seed, long := uint64(9), 30*time.Minute
	opt := Options{Resolve: resolve, Seed: &seed, Duration: &long,
		Set: []string{"pipelines.api-client.retry.budget=", "services.api.queue = {limit: 5}"}}
	text := []byte("version: 1\nscenario: next\nextends: everything\nset:\n  callers.web.instances: 7\n")
	sc := must(t, "next.yaml", text, opt)
	differs := []string{"callers.web.instances: 7", "pipelines.api-client.retry.budget: null", "services.api.queue: {limit: 5}", "duration: 30m", "seed: 9"}
	changed := []string{"pipelines.api-client.retry.budget=null", "services.api.queue={limit: 5}"}
	if !reflect.DeepEqual(sc.Differs, differs) || !reflect.DeepEqual(sc.Changed, changed) {
		t.Errorf("differs %q, changed %q", sc.Differs, sc.Changed)
	}
	again := must(t, "scenario.yaml", Marshal(sc), Options{})
	if !reflect.DeepEqual(again.Differs, differs) || !reflect.DeepEqual(again.Changed, changed) {
		t.Errorf("read again: differs %q, changed %q", again.Differs, again.Changed)
	}
	more := must(t, "scenario.yaml", Marshal(sc), Options{Seed: &seed, Duration: &long, Set: []string{"callers.web.instances=8"}})
	if len(more.Differs) != 6 || len(more.Changed) != 3 || more.Changed[2] != "callers.web.instances=8" {
		t.Errorf("changed again: differs %q, changed %q", more.Differs, more.Changed)
	}
}

// A seed or a length that the file says too is no difference.
func TestWhatTheFileSaysTooIsNoDifference(t *testing.T) {
	seed, long := uint64(4), 90*time.Minute
	text := []byte("version: 1\nscenario: same\nduration: 1h30m\nseed: 4\ncallers:\n  web: {arrivals: {poisson: 1/s}, do: [{call: api}]}\nservices:\n  api: {workers: 1, do: [{work: 1ms}]}\n")
	if sc := must(t, "same.yaml", text, Options{Seed: &seed, Duration: &long}); len(sc.Differs) > 0 {
		t.Errorf("differs %q", sc.Differs)
	}
}
