package pipeline

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// deafPlans are plans of which every function and step is inside a detached timeout of
// 50 ms, at most three attempts, with waits of 10 ms.
func deafPlans() [][]Policy {
	d, b := detachedOf(50), breakerOf(4, 30)
	return [][]Policy{
		{retryOf(3, 10), d, b, bulkheadOf(6, 20)},
		{bulkheadOf(6, 20), retryOf(3, 10), timeoutOf(30), d, ladderOf("a"), b, limitOf(5)},
		{b, timeoutOf(100), retryOf(3, 10), d, ladderOf("a", "b"), bulkheadOf(3, 0), timeoutOf(20)},
		{d, ladderOf("a"), retryOf(3, 0), b, bulkheadOf(3, 40)},
	}
}

// TestNoUserCodeHoldsADetachedCallBack: functions and steps block for an hour, panic or
// leave, the rule that judges errors panics now and then, and callers give up at any
// time. No Do lasts longer than three attempts of 50 ms, their waits and three queues;
// and when all functions have returned nothing is held.
func TestNoUserCodeHoldsADetachedCallBack(t *testing.T) {
	for i, ps := range deafPlans() {
		for seed := range uint64(25) {
			synctest.Test(t, func(t *testing.T) {
				x := &rude{r: rand.New(rand.NewPCG(seed, uint64(i)))}
				p := mustNew(t, ps, WithClassifier(func(ctx context.Context, err error) patterns.Result {
					if x.n(12) == 0 {
						panic(x)
					}
					return Classify(ctx, err)
				}))
				var wg sync.WaitGroup
				for range 8 {
					wg.Go(func() {
						for range 15 {
							time.Sleep(time.Duration(x.n(60)) * time.Millisecond)
							var visit sync.WaitGroup // one may leave by Goexit
							visit.Go(func() { x.visit(t, p) })
							visit.Wait()
						}
					})
				}
				wg.Wait()
				time.Sleep(3 * time.Hour)
				synctest.Wait()
				empty(t, "after all", p)
			})
			if t.Failed() {
				t.Fatalf("plan %d, seed %d", i, seed)
			}
		}
	}
}

// rude is user code that does anything.
type rude struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (x *rude) n(below int) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.r.IntN(below)
}

func (x *rude) do(ctx context.Context) (int, error) {
	switch x.n(9) {
	case 0:
		time.Sleep(time.Hour)
	case 1:
		time.Sleep(time.Duration(x.n(80)) * time.Millisecond)
		panic(x)
	case 2:
		return sleeps(time.Hour, nil)(ctx)
	case 3:
		time.Sleep(time.Duration(x.n(100)) * time.Millisecond)
	case 4:
		return 0, errBoom
	case 5:
		runtime.Goexit()
	}
	return 1, nil
}

func (x *rude) visit(t *testing.T, p *Pipeline) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	switch x.n(3) {
	case 0:
		time.AfterFunc(time.Duration(x.n(80))*time.Millisecond, cancel)
	case 1:
		ctx, cancel = context.WithTimeout(ctx, time.Duration(x.n(80))*time.Millisecond)
		defer cancel()
	}
	step := func(ctx context.Context, _ error) (int, error) { return x.do(ctx) }
	start := time.Now()
	defer func() {
		if v := recover(); v != nil && v != any(x) {
			panic(v)
		}
		if took := time.Since(start); took > (3*50+2*10+3*40)*time.Millisecond {
			t.Errorf("Do took %v", took)
		}
	}()
	ladder := make([]func(context.Context, error) (int, error), p.fleet.plan.rungs)
	for i := range ladder {
		ladder[i] = step
	}
	_, _ = Do(ctx, p, x.do, ladder...)
}

func newRude(seed uint64) *rude { return &rude{r: rand.New(rand.NewPCG(seed, 5))} }
