package reports

import (
	"testing"

	"github.com/resilsim/resilsim/sim/result"
)

// A fleet calls orders, whose handlers call payments through breakers, and payments
// is slow: the figure shows the queue and workers of payments, and the breakers in
// orders, since the fleet has none.
func TestTheFigureShowsWhatWasHit(t *testing.T) {
	r := &result.Result{
		DurationS: 10, IntervalS: 10, Verdict: result.Verdict{Scope: "callers.web"},
		Scopes: []result.ScopeInfo{{Scope: "callers.web", Calls: []string{"orders"}},
			{Scope: "services.orders", Breakers: 4, Calls: []string{"payments"}}, {Scope: "services.payments"}},
		Timeline: []result.Event{{TS: 1, Source: "fault", Subject: "services.payments", What: "latency begins"}},
	}
	v, err := newView(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v.service != "services.payments" || v.guard() != "services.orders" {
		t.Errorf("service %q, breakers of %q", v.service, v.guard())
	}
	if title := v.breakers(v.guard()).title; title != "Circuit breakers (share of those in orders)" {
		t.Errorf("title %q", title)
	}
	r.Timeline = nil
	if v, err = newView(r, Options{}); err != nil || v.service != "services.orders" {
		t.Errorf("without a fault: %v, service %q", err, v.service)
	}
}
