package experiment

import (
	"sort"

	"github.com/resilsim/resilsim/sim/result"
	"github.com/resilsim/resilsim/sim/scenario"
	"github.com/resilsim/resilsim/sim/world"
)

// result puts together what one run showed.
func (e *evidence) result(sc *scenario.Scenario, p *pass) *result.Result {
	r := &result.Result{
		SchemaVersion: result.SchemaVersion,
		Scenario:      result.Source{Name: sc.Name, About: sc.About, Extends: sc.Extends, Differs: sc.Differs, Changed: sc.Changed},
		Digest:        digest(p), Events: p.events, Partial: p.partial,
		DurationS: e.endS, IntervalS: p.rec.Interval().Seconds(),
		Verdict: e.outcome.Verdict, Windows: e.outcome.Windows,
		SteadyState: p.steady, Accounts: e.accounts, Classes: p.rec.Classes(), Latency: p.rec.Latency(),
		Timeline: timeline(p.rec.Events(), e.outcome.Events),
		Scopes:   scopes(p.scopes), Series: e.series, Histograms: p.rec.Histograms(),
	}
	if r.Expectations = e.claims(sc.Expect); p.partial {
		r.Expectations = interrupted(r.Expectations)
	}
	if r.SteadyState == nil {
		r.SteadyState = []result.Claim{}
	}
	return r
}

// interrupted claims cannot be held to a run that did not end.
func interrupted(claims []result.Claim) []result.Claim {
	for i := range claims {
		claims[i] = result.Claim{Text: claims[i].Text, Actual: "the run was interrupted"}
	}
	return claims
}

// timeline merges what happened with what the judge saw, in the order of time;
// at one instant what happened comes first.
func timeline(happened, judged []result.Event) []result.Event {
	all := append(happened, judged...)
	sort.SliceStable(all, func(i, k int) bool { return all[i].TS < all[k].TS })
	return all
}

func scopes(in []world.Scope) []result.ScopeInfo {
	out := []result.ScopeInfo{}
	for _, s := range in {
		info := result.ScopeInfo{Scope: s.Name, Instances: s.Instances, Breakers: s.Breakers, Calls: s.Calls}
		if s.Timeout > 0 {
			info.TimeoutMS = pointer(s.Timeout.Seconds() * 1e3)
		}
		if s.QueueLimit >= 0 {
			info.QueueLimit = pointer(float64(s.QueueLimit))
		}
		if s.Capacity > 0 {
			info.CapacityPerS = pointer(s.Capacity)
		}
		out = append(out, info)
	}
	return out
}

func pointer(x float64) *float64 { return &x }
