package record

import (
	"time"

	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/result"
)

// classAccount is the account of one class of a fleet's requests.
type classAccount struct {
	scope string
	account
}

func newClasses(f Fleet) []classAccount {
	var out []classAccount
	for _, name := range f.Classes {
		out = append(out, classAccount{scope: string(result.Callers) + "." + f.Name + "." + name})
	}
	return out
}

// ClassSent implements models.Probe.
func (r *Recorder) ClassSent(_ time.Duration, fleet, class int) {
	r.fleets[fleet].classes[class].sent++
}

// ClassEnded implements models.Probe.
func (r *Recorder) ClassEnded(_ time.Duration, fleet, class int, how models.Ending, why models.Why, _ time.Duration) {
	r.fleets[fleet].classes[class].end(how, why)
}

// Classes are the accounts of the classes of all fleets that have some, in the
// order of their lists. Those of a fleet add up to its own.
func (r *Recorder) Classes() []result.Account {
	var out []result.Account
	for i := range r.fleets {
		for _, c := range r.fleets[i].classes {
			out = append(out, c.result(c.scope))
		}
	}
	return out
}

// checkClasses: what the classes of a fleet sent and ended is what the fleet did.
func (r *Recorder) checkClasses(now time.Duration) {
	for i := range r.fleets {
		f := &r.fleets[i]
		if len(f.classes) == 0 || r.err != nil {
			continue
		}
		var sum account
		for _, c := range f.classes {
			sum.add(&c.account)
		}
		if sum != f.account {
			r.err = &Violation{At: now, Account: sum.result(f.scope + " by class"), Live: int(f.account.inFlight())}
		}
	}
}

func (a *account) add(b *account) {
	a.sent += b.sent
	for how := range b.ended {
		for why, n := range b.ended[how] {
			a.ended[how][why] += n
		}
	}
}

// has reports whether a metric is recorded for the fleet.
func (f *fleet) has(metric string) bool { return metric != "returns" || f.retrial }

// has reports whether a metric is recorded for the service.
func (s *service) has(metric string) bool {
	switch metric {
	case "duplicates":
		return s.once
	case "cache_hits", "cache_lookups", "cache_hit_share":
		return s.cached
	case "cores", "cores_busy", "core_utilisation":
		return s.shared
	}
	return true
}

// CacheLooked implements models.Probe.
func (r *Recorder) CacheLooked(now time.Duration, service int, hit bool) {
	if now >= r.next {
		r.Advance(now)
	}
	if hit {
		r.services[service].now.hits++
	} else {
		r.services[service].now.misses++
	}
}

// CameBack implements models.Probe.
func (r *Recorder) CameBack(now time.Duration, fleet int) {
	if now >= r.next {
		r.Advance(now)
	}
	r.fleets[fleet].now.returns++
}

// Duplicated implements models.Probe.
func (r *Recorder) Duplicated(now time.Duration, service int) {
	if now >= r.next {
		r.Advance(now)
	}
	r.services[service].now.duplicates++
}
