package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns/budget"
)

func straightPlans() map[pace][][]Policy {
	rich := retryOf(3, 20)
	rich.Retry.Budget = &budget.Config{Ratio: 0.5, Capacity: 5, Deposit: budget.PerCall}
	return map[pace][][]Policy{
		stateless: {{retryOf(3, 10)}, {ladderOf("a"), retryOf(2, 0)}, {}},
		timeless:  {{bulkheadOf(1, 0)}, {ladderOf("a", "b"), retryOf(2, 5), bulkheadOf(1, 0)}},
		straight:  {{breakerOf(4, 50)}, {ladderOf("a"), rich, breakerOf(4, 50), bulkheadOf(1, 0), limitOf(2)}, {throttleOf(1.5), rateOf(2, 30, 60)}},
	}
}

// TestStraightCallsEndLikeAllOthers: a script of answers, errors, panics and pauses runs
// twice under a fake clock, with a context that cannot end and with one that could and
// does not. Values, infos, errors, panics, times and the counters of every stage are the
// same, whatever the driver has left out of the way.
func TestStraightCallsEndLikeAllOthers(t *testing.T) {
	for want, plans := range straightPlans() {
		for i, ps := range plans {
			for seed := range uint64(30) {
				var stories [2][]string
				for k, ctx := range []context.Context{context.Background(), nil} {
					synctest.Test(t, func(t *testing.T) {
						p := mustNew(t, ps)
						if ctx == nil {
							ctx = t.Context()
						}
						if p.pace != want || p.goesStraight(ctx) != (k == 0) {
							t.Fatalf("pace %d, want %d", p.pace, want)
						}
						p.draw = func() float64 { return 0.3 }
						stories[k] = scripted(ctx, p, rand.New(rand.NewPCG(seed, uint64(i))))
					})
				}
				if !slices.Equal(stories[0], stories[1]) {
					t.Fatalf("pace %d plan %d seed %d:\n%v\n%v", want, i, seed, stories[0], stories[1])
				}
			}
		}
	}
}

// scripted makes 40 calls one after the other and tells of each.
func scripted(ctx context.Context, p *Pipeline, r *rand.Rand) (all []string) {
	start := time.Now()
	for range 40 {
		time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
		kinds := []int{r.IntN(5), r.IntN(5), r.IntN(5)}
		k := 0
		var v int
		var info Info
		var err error
		burst := recovered(func() {
			v, info, err = DoInfo(ctx, p, func(context.Context) (int, error) {
				kind := kinds[k%3]
				k++
				time.Sleep(time.Duration(kind+1) * 3 * time.Millisecond)
				switch kind {
				case 0, 1:
					return k, errBoom
				case 2:
					panic("oops")
				}
				return k, nil
			}, twos(p)...)
		})
		all = append(all, fmt.Sprintf("%v: %d %+v %v %v", time.Since(start), v, info, err, burst))
	}
	for _, b := range p.Breakers() {
		all = append(all, fmt.Sprintf("%+v", b.Snapshot()))
	}
	return append(all, fmt.Sprintf("%+v %+v", p.Bulkheads(), p.Budgets()))
}
