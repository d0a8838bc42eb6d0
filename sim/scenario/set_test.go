package scenario

import (
	"strings"
	"testing"
)

// Rows of (what is set, what the canonical form must then hold): each form of a
// path once, on the scenario with every key.
func TestPathsReachEverySetting(t *testing.T) {
	for _, c := range []struct{ set, holds string }{
		{"callers.web.instances=3", "instances: 3\n"},
		{"callers.web.arrivals.poisson=99/s", "- {at: 0s, rate: 99/s, ramp: 0s}"},
		{"callers.web.arrivals.poisson[1].rate=77/s", "- {at: 5m0s, rate: 77/s, ramp: 1m0s}"},
		{"callers.web.arrivals.poisson[+]={at: 9m, rate: 5/s}", "- {at: 9m0s, rate: 5/s, ramp: 0s}"},
		{"pipelines.api-client[1].retry.maxAttempts=9", "maxAttempts: 9\n"},
		{"pipelines.api-client.retry.maxAttempts=9", "maxAttempts: 9\n"},
		{"pipelines.api-client.policies[1].retry.maxAttempts=9", "maxAttempts: 9\n"},
		{"pipelines.api-client.shared=false", "  api-client:\n    shared: false\n"},
		{"pipelines.cache-client.shared=true", "  cache-client:\n    shared: true\n"},
		{"pipelines.api-client.retry.budget.ratio=0.25", "budget: {ratio: 0.25, window: 20s"},
		{"pipelines.bare[+].bulkhead={maxConcurrentCalls: 4}", "maxConcurrentCalls: 4\n"},
		{"pipelines.cache-client[0+].timeout=3s", "  cache-client:\n    shared: false\n    policies:\n      - timeout:\n          timeoutDuration: 3s\n"},
		{"pipelines.cache-client[3+].timeout=3s", "timeoutDuration: 3s\n"},
		{"pipelines.cache-client.timeout.timeoutDuration=7s", "timeoutDuration: 7s\n"},
		{"pipelines.cache-client.timeout.cooperative=false", "timeoutDuration: 100ms\n          detached: false\n          cooperative: false\n"},
		{"services.cache.queue.limit=12", "queue: {limit: 12, discipline: fifo}"},
		{"services.disk.crash={whenQueueAbove: 7, restart: 1s}", "crash: {whenQueueAbove: 7, restart: 1s}"},
		{"services.disk.do[2].work=9ms", "{work: {constant: 9ms}"},
		{"services.api.do[0].work.lognormal.p99=90ms", "{lognormal: {p50: 8ms, p99: 90ms}}"},
		{"links[0].latency=7ms", "latency: {constant: 7ms}}"},
		{"links[0].latency.exponential=7ms", "latency: {exponential: 7ms}}"},
		{"faults[3].for=9s", "{at: 13m0s, for: 9s, name: \"freeze\""},
		{"faults.freeze.for=9s", "{at: 13m0s, for: 9s, name: \"freeze\""},
		{"faults.partition.loses=both", "loses: both"},
		{"operators[1].shed.share=70%", "share: 0.7,"},
		{"recovery.for=44s", "for: 44s}"},
		{"expect=[verdict == stable]", "expect:\n  - \"verdict == stable\"\n"},
		{"expect[+]=outage <= 3m", "  - \"outage <= 3m\"\n"},
	} {
		sc := must(t, "everything.yaml", file(t, "good/everything.yaml"), Options{Set: []string{c.set}})
		if got := string(Marshal(sc)); !strings.Contains(got, c.holds) {
			t.Errorf("--set %s: no %q in\n%s", c.set, c.holds, got)
		}
	}
}

// Where a path means several things or nothing, the answer names what there is.
func TestPathsThatMeanNothingSaySo(t *testing.T) {
	for _, c := range []struct{ set, says string }{
		{"operators.shed.share=1%", "there are 2 items 'shed' in 'operators'"},
		{"operators.shed=null", "there are 2 items 'shed' in 'operators'"},
		{"links.to=api", "'links' is a list"},
		{"operators[+]=null", "a new item needs a value"},
		{"services.apy.workers=3", "there is no 'apy' in services"},
		{"services.apy=null", "there is no 'apy' in services"},
		{"callers.web.instances.x=3", "there is nothing below it"},
		{"callers[0].instances=3", "'callers' is not a list"},
		{"callers.web.arrivals.poisson.rate=3/s", "'callers.web.arrivals.poisson' is a list"},
		{"x-patient.maxAttempts=3", "unknown key 'x-patient'"},
		{"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v=1", "the path is too long"},
	} {
		_, report := Load("everything.yaml", file(t, "good/everything.yaml"), Options{Set: []string{c.set}})
		if err := report.Err(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("--set %s: %v, want %q", c.set, err, c.says)
		}
	}
}

// What is taken away is gone: rows of (what is set, what must not be there any more).
func TestNullTakesASettingAway(t *testing.T) {
	for _, c := range []struct{ set, gone string }{
		{"pipelines.api-client.retry.budget=null", "budget: {ratio: 0.1,"},
		{"pipelines.api-client.bulkhead=null", "bulkhead:"},
		{"pipelines.api-client[3]=", "bulkhead:"},
		{"operators=[]", "operators:"},
		{"faults.freeze=~", "freeze:"},
		{"services.api.crash=null", "whenQueueAbove"},
		{"steadyState=null", "steadyState"},
	} {
		text := file(t, "good/everything.yaml")
		before := string(Marshal(must(t, "everything.yaml", text, Options{})))
		without := must(t, "everything.yaml", text, Options{Set: []string{c.set}})
		without.Differs, without.Changed = nil, nil // its trace names it
		after := string(Marshal(without))
		if !strings.Contains(before, c.gone) || strings.Contains(after, c.gone) {
			t.Errorf("--set %s: %q before %t, after %t", c.set, c.gone, strings.Contains(before, c.gone), strings.Contains(after, c.gone))
		}
	}
}

// Setting one use of an anchor leaves the other uses alone.
func TestSettingOneAliasLeavesTheOthers(t *testing.T) {
	text := []byte(strings.Replace(strings.Replace(string(file(t, "good/plain.yaml")), "{maxAttempts: 3}", "&r {maxAttempts: 3}", 1),
		"services:", "  other: [{retry: *r}]\nservices:", 1))
	sc := must(t, "plain.yaml", text, Options{Set: []string{"pipelines.other.retry.maxAttempts=7"}})
	if a, b := sc.Pipelines[0].Policies[0].Retry.MaxAttempts, sc.Pipelines[1].Policies[0].Retry.MaxAttempts; a != 3 || b != 7 {
		t.Errorf("%d and %d", a, b)
	}
}
