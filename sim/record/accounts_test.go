package record

import (
	"errors"
	"strings"
	"testing"

	"github.com/resilsim/resilsim/sim/models"
)

// All six ways to end, and one that has not: the account adds up and names why.
func TestAccountsAddUp(t *testing.T) {
	r := recorder(s, s, 0)
	ends := []struct {
		how models.Ending
		why models.Why
	}{
		{models.Answered, models.WhyNone}, {models.Degraded, models.WhyBreakerOpen}, {models.Failed, models.WhyTimeout},
		{models.Failed, models.WhyError}, {models.Refused, models.WhyShed}, {models.Abandoned, models.WhyCancelled},
	}
	r.RequestSent(0, 0)
	for _, e := range ends {
		r.RequestSent(0, 0)
		r.RequestEnded(ms, 0, e.how, e.why, ms)
	}
	closed(t, r, s, counted{requests: 1})
	a := r.Accounts()[0]
	if !a.Holds() || a.Sent != 7 || a.Answered != 1 || a.Degraded != 1 || a.Failed != 2 || a.Refused != 1 || a.Abandoned != 1 || a.InFlight != 1 {
		t.Fatalf("%+v", a)
	}
	want := "failed error, failed timeout, refused shed, abandoned cancelled"
	var got []string
	for _, c := range a.Reasons {
		got = append(got, c.Kind+" "+c.Reason)
	}
	if strings.Join(got, ", ") != want {
		t.Fatalf("reasons %v, want %s", got, want)
	}
}

// A model loses a request: its record is gone, but nobody told how it ended. The
// independent count finds it at the end, and also between two events.
func TestALostRequestIsCaught(t *testing.T) {
	r := recorder(10*s, s, 0)
	for range 5 {
		r.RequestSent(0, 0)
	}
	answer(r, ms, ms)
	if err := r.Check(2*s, counted{requests: 5}); err != nil {
		t.Fatal(err)
	}
	err := r.Check(3*s, counted{requests: 4})
	var v *Violation
	if !errors.As(err, &v) || v.At != 3*s || v.Account.Boundary != "callers.web" || v.Account.InFlight != 5 || v.Live != 4 {
		t.Fatalf("%v", err)
	}
	for _, part := range []string{"callers.web", "sent 6", "answered 1", "5 in flight, but 4 are"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
	if again := r.Close(10*s, counted{requests: 5}); again != err {
		t.Fatalf("a broken law stays broken: %v", again)
	}
}

// The same at a service's boundary.
func TestALostCallIsCaught(t *testing.T) {
	r := recorder(s, s, 0)
	r.CallSent(0, 0)
	r.CallSent(0, 0)
	r.CallEnded(ms, 0, models.Failed, models.WhyCrashed)
	var v *Violation
	if err := r.Close(s, counted{}); !errors.As(err, &v) || v.Account.Boundary != "services.db" || v.Account.Failed != 1 {
		t.Fatalf("%v", err)
	}
}

// A request that ends twice is caught when its interval closes, with no count of
// what is live at hand.
func TestARequestThatEndsTwiceIsCaught(t *testing.T) {
	r := recorder(10*s, s, 0)
	answer(r, 0, ms)
	r.RequestEnded(2*ms, 0, models.Failed, models.WhyTimeout, 2*ms)
	r.Advance(s)
	var v *Violation
	if err := r.Close(10*s, counted{}); !errors.As(err, &v) || v.Live != -1 || v.At != s || !strings.Contains(err.Error(), "more ended than was sent") {
		t.Fatalf("%v", err)
	}
}
