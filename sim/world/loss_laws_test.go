package world_test

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/scenario"
)

// A link loses a tenth of the messages in each direction: 0.81 of the requests are
// answered, 0.9 are served, and the others end in their timeout. 10,000 requests, within
// 4 standard errors. With a retry 1 - 0.19^2 are answered.
func TestLinkLosesItsShareInEachDirection(t *testing.T) {
	for _, attempts := range []int{1, 2} {
		sc := closing(simple(100, 100, constant(time.Millisecond), retryOf(attempts, 0), timeoutOf(100*time.Millisecond)), 100*second)
		sc.Links = []scenario.Link{{To: 0, Loss: 0.1}}
		_, l := run(t, sc, 110*second)
		near := func(what string, got uint64, of float64, want float64) {
			if se := math.Sqrt(want * (1 - want) / of); math.Abs(float64(got)/of-want) > 4*se {
				t.Errorf("%d attempts, %s: %.4f, theory %.4f, standard error %.4f", attempts, what, float64(got)/of, want, se)
			}
		}
		n := float64(l.sent[0])
		near("answered", l.ended[0][models.Answered], n, 1-math.Pow(0.19, float64(attempts)))
		near("served", l.served[0], float64(l.attempts[0]), 0.9)
		wantCount(t, "the others", l.why[0][models.WhyTimeout], l.sent[0]-l.ended[0][models.Answered])
	}
}
