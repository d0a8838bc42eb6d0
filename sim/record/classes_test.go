package record

import (
	"errors"
	"testing"

	"github.com/resilsim/resilsim/sim/models"
)

func classedRecorder() *Recorder {
	return New(Config{Fleets: []Fleet{{Name: "web", Classes: []string{"read", "write"}}}, Duration: 10 * s, Interval: s})
}

// The accounts of the classes say how each ended, and add up to the fleet's.
func TestAccountsOfClassesAddUp(t *testing.T) {
	r := classedRecorder()
	for class, how := range []models.Ending{models.Answered, models.Failed} {
		r.RequestSent(s, 0)
		r.ClassSent(s, 0, class)
		r.RequestEnded(2*s, 0, how, models.WhyNone, s)
		r.ClassEnded(2*s, 0, class, how, models.WhyNone, s)
	}
	closed(t, r, 10*s, counted{})
	got := r.Classes()
	if len(got) != 2 || got[0].Boundary != "callers.web.read" || got[0].Answered != 1 || got[1].Failed != 1 || !got[0].Holds() || !got[1].Holds() {
		t.Errorf("%+v", got)
	}
}

// A request that its class did not hear of breaks the law.
func TestAClassThatMissesARequestIsAViolation(t *testing.T) {
	r := classedRecorder()
	r.RequestSent(s, 0)
	var v *Violation
	if err := r.Close(10*s, counted{requests: 1}); !errors.As(err, &v) || v.Account.Boundary != "callers.web by class" {
		t.Errorf("%v", err)
	}
}
