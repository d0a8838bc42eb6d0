package httpguard

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// TestNoWaitForARepeatThatIsNotMade: a POST times out. The call ends at that instant,
// with the budget as full as it was; a PUT waits, pays and is sent again. Where the retry
// overrules the mark, the wait and the budget are paid, and the POST is still sent once.
func TestNoWaitForARepeatThatIsNotMade(t *testing.T) {
	for name, c := range map[string]struct {
		method    string
		overruled bool
		took      time.Duration
		sent      int
		paid      float64
	}{
		"POST":            {"POST", false, ms(100), 1, 0},
		"POST, overruled": {"POST", true, ms(150), 1, 1},
		"PUT":             {"PUT", false, ms(250), 2, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{answers: []answer{{code: 200, takes: time.Hour}}}
			again := retryOf(2, 50)
			again.Retry.Budget = &budget.Config{Kind: budget.Bucket, Capacity: 5, Ratio: 0.1, Deposit: budget.PerSuccess}
			again.Retry.RetryAmbiguous = c.overruled
			tr, p := transportOf(t, s, Defaults(), again, timeoutOf(100, false))
			begin, before := time.Now(), p.Budgets()[0].Balance
			_, err := tr.RoundTrip(request(t, c.method, strings.NewReader("hello")))
			took, paid := time.Since(begin), before-p.Budgets()[0].Balance
			if took != c.took || len(s.requests) != c.sent || paid != c.paid {
				t.Errorf("%s: %d attempts in %s for %v", name, len(s.requests), took, paid)
			}
			if !errors.Is(err, pipeline.ErrTimeout) || errors.Is(err, ErrNotRepeatable) != (c.method == "POST") {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// TestTimeoutInTheQueueIsNoDoubt: one POST has the only slot and does not heed its timeout.
// Another waits for the slot until its own. It was never sent, so its error does not warn.
func TestTimeoutInTheQueueIsNoDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		deaf := roundTrip(func(r *http.Request) (*http.Response, error) {
			asked++
			time.Sleep(time.Hour)
			return nil, r.Context().Err()
		})
		slot := pipeline.Policy{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: 1, MaxWaitDuration: msd(1000)}}
		tr, _ := transportOf(t, deaf, Defaults(), timeoutOf(100, false), slot)
		sent := make(chan error, 1)
		go func() {
			_, err := tr.RoundTrip(request(t, "POST", strings.NewReader("first")))
			sent <- err
		}()
		synctest.Wait()
		_, queued := tr.RoundTrip(request(t, "POST", strings.NewReader("second")))
		if !errors.Is(queued, pipeline.ErrTimeout) || errors.Is(queued, ErrNotRepeatable) || asked != 1 {
			t.Error(queued, asked)
		}
		if first := <-sent; !errors.Is(first, pipeline.ErrTimeout) || !errors.Is(first, ErrNotRepeatable) {
			t.Error(first)
		}
	})
}

// TestOnlyWhatMayRunTwiceIsHedged: a POST is sent once however slow; a PUT, and a POST
// with a key, twice, with the whole body each time.
func TestOnlyWhatMayRunTwiceIsHedged(t *testing.T) {
	for name, c := range map[string]struct {
		method, key string
		sent        int
	}{"POST": {"POST", "", 1}, "PUT": {"PUT", "", 2}, "POST with a key": {"POST", "Key", 2}} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{answers: []answer{{code: 200, takes: ms(90)}}}
			tr, _ := transportOf(t, s, Config{BodyLimit: 100, IdempotencyHeader: c.key},
				pipeline.Policy{Hedge: &hedge.Config{Delay: msd(50), MaxHedges: 1}})
			r, err := tr.RoundTrip(request(t, c.method, text("hello")))
			if err != nil || len(s.requests) != c.sent || s.bodies[c.sent-1] != "hello" {
				t.Fatalf("%s: %d attempts, %q, %v", name, len(s.requests), s.bodies, err)
			}
			read(t, r)
			synctest.Wait()
			s.settled(t)
		})
	}
}
