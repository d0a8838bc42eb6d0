package record

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/result"
)

const endings = int(models.Abandoned) + 1

// account counts what was sent through a boundary and how it ended.
type account struct {
	sent  uint64
	ended [endings][models.Whys]uint64
}

func (a *account) end(how models.Ending, why models.Why) { a.ended[how][why]++ }

func (a *account) total(how models.Ending) uint64 {
	var n uint64
	for _, c := range a.ended[how] {
		n += c
	}
	return n
}

func (a *account) allEnded() uint64 {
	var n uint64
	for how := models.Answered; how <= models.Abandoned; how++ {
		n += a.total(how)
	}
	return n
}

// inFlight is what was sent and has not ended; 0 where more ended than was sent,
// which checkSigns reports.
func (a *account) inFlight() uint64 {
	ended := a.allEnded()
	if ended > a.sent {
		return 0
	}
	return a.sent - ended
}

func (a *account) result(boundary string) result.Account {
	return result.Account{
		Boundary:  boundary,
		Sent:      a.sent,
		Answered:  a.total(models.Answered),
		Degraded:  a.total(models.Degraded),
		Failed:    a.total(models.Failed),
		Refused:   a.total(models.Refused),
		Abandoned: a.total(models.Abandoned),
		InFlight:  a.inFlight(),
		Reasons:   a.reasons(),
	}
}

func (a *account) reasons() []result.Count {
	counts := []result.Count{}
	kinds := [endings]string{models.Failed: "failed", models.Refused: "refused", models.Abandoned: "abandoned"}
	for how, kind := range kinds {
		for why, n := range a.ended[how] {
			if kind != "" && n > 0 {
				counts = append(counts, result.Count{Kind: kind, Reason: models.Why(why).String(), N: n})
			}
		}
	}
	return counts
}

// InFlight is an independent count of what is live in the models: their records
// themselves, not sums of probe calls.
type InFlight interface {
	// InFlight is the number of requests of a fleet that have begun and not ended.
	InFlight(fleet int) int
	// CallsInFlight is the number of attempts towards a service that are not settled.
	CallsInFlight(service int) int
}

// Violation of the law of accounts: a defect of a model, never of a scenario.
type Violation struct {
	// At is when it was noticed.
	At time.Duration
	// Account is the boundary's, with InFlight as the sums say it.
	Account result.Account
	// Live is the independent count; -1 where more ended than was sent.
	Live int
}

// Error names the boundary and the numbers.
func (v *Violation) Error() string {
	a := v.Account
	sums := fmt.Sprintf("sent %d, answered %d, degraded %d, failed %d, refused %d, abandoned %d",
		a.Sent, a.Answered, a.Degraded, a.Failed, a.Refused, a.Abandoned)
	if v.Live < 0 {
		return fmt.Sprintf("record: the law of accounts is broken at %s by %v: more ended than was sent: %s", a.Boundary, v.At, sums)
	}
	return fmt.Sprintf("record: the law of accounts is broken at %s by %v: %s leaves %d in flight, but %d are",
		a.Boundary, v.At, sums, a.InFlight, v.Live)
}

// Check compares what every boundary's sums leave in flight with what is live.
// It is asked between events, never inside one; the error is a *Violation and
// stays.
func (r *Recorder) Check(now time.Duration, live InFlight) error {
	r.checkSigns()
	for i := range r.fleets {
		r.compare(now, r.fleets[i].scope, &r.fleets[i].account, live.InFlight(i))
	}
	for i := range r.services {
		r.compare(now, r.services[i].scope, &r.services[i].account, live.CallsInFlight(i))
	}
	r.checkClasses(now)
	return r.err
}

func (r *Recorder) compare(now time.Duration, boundary string, a *account, live int) {
	if r.err == nil && a.inFlight() != uint64(live) {
		r.err = &Violation{At: now, Account: a.result(boundary), Live: live}
	}
}

// checkSigns is the part of the law that needs no second count: nothing ends that
// was not sent.
func (r *Recorder) checkSigns() {
	for i := range r.fleets {
		r.sign(r.fleets[i].scope, &r.fleets[i].account)
	}
	for i := range r.services {
		r.sign(r.services[i].scope, &r.services[i].account)
	}
}

func (r *Recorder) sign(boundary string, a *account) {
	if r.err == nil && a.allEnded() > a.sent {
		r.err = &Violation{At: min(r.next, time.Duration(r.current+1)*r.interval), Account: a.result(boundary), Live: -1}
	}
}
