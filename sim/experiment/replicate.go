package experiment

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/resilsim/resilsim/sim/result"
	"github.com/resilsim/resilsim/sim/scenario"
)

// Replicate runs a scenario with the seeds opt.Seed, opt.Seed+1, ... n of them, at
// least 1. The result is that of the first seed, with all seeds in short form in
// Replications. Each seed has its own control run, which has the same luck: near the
// edge one seed may be well without the trigger and another not.
//
// Runs share nothing and are put together by number, so Workers changes how long
// it takes and nothing else. Of several errors the one of the lowest seed comes
// back. When the context ends early the result is partial and holds the
// replications that were finished.
func Replicate(ctx context.Context, sc *scenario.Scenario, n int, opt Options) (*result.Result, error) {
	if n < 1 {
		return nil, errors.New("experiment: the number of seeds must be at least 1")
	}
	workers := opt.Workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	rep := &replicator{
		ctx: ctx, sc: sc, opt: opt,
		short: make([]*result.Replication, n), errs: make([]error, n), clock: newClock(n, sc, opt),
	}
	numbers := make(chan int, n)
	for i := range n {
		numbers <- i
	}
	close(numbers)
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for i := range numbers {
				rep.one(i)
			}
		})
	}
	all.Wait()
	return rep.merge()
}

type replicator struct {
	ctx   context.Context
	sc    *scenario.Scenario
	opt   Options
	clock *clock
	// Each run writes only where its number is.
	first *result.Result
	short []*result.Replication
	errs  []error
}

func (rep *replicator) one(i int) {
	if i > 0 && rep.ctx.Err() != nil {
		return
	}
	opt := rep.opt
	opt.Seed += uint64(i)
	opt.Progress = rep.clock.of(i)
	r, share, err := run(rep.ctx, rep.sc, opt)
	if rep.errs[i] = err; err != nil {
		return
	}
	if i == 0 {
		rep.first = r
	}
	if !r.Partial {
		rep.short[i] = shortForm(r, share)
	}
}

func shortForm(r *result.Result, goodputShare float64) *result.Replication {
	var failed []result.Claim
	for _, c := range r.Expectations {
		if !c.Held {
			failed = append(failed, c)
		}
	}
	return &result.Replication{
		Seed: r.Scenario.Seed, Verdict: r.Verdict.Word, Digest: r.Digest,
		RecoveredAfterTriggerS: r.Verdict.RecoveredAfterTriggerS, GoodputShare: goodputShare,
		AmplificationMax: r.Verdict.AmplificationMax, ExpectationsHeld: failed == nil, Failed: failed,
	}
}

func (rep *replicator) merge() (*result.Result, error) {
	for _, err := range rep.errs {
		if err != nil {
			return nil, err
		}
	}
	r := rep.first
	for _, one := range rep.short {
		if one == nil {
			r.Partial = true
			continue
		}
		r.Replications = append(r.Replications, *one)
	}
	return r, nil
}

// clock adds up the progress of runs that go on at once.
type clock struct {
	mu     sync.Mutex
	tell   func(done, total time.Duration, events uint64)
	total  time.Duration
	done   []time.Duration
	events []uint64
}

func newClock(n int, sc *scenario.Scenario, opt Options) *clock {
	c := &clock{tell: opt.Progress, total: time.Duration(n) * sc.Duration, done: make([]time.Duration, n), events: make([]uint64, n)}
	if opt.Control && len(sc.Faults) > 0 {
		c.total *= 2
	}
	return c
}

func (c *clock) of(i int) func(done, total time.Duration, events uint64) {
	if c.tell == nil {
		return nil
	}
	return func(done, _ time.Duration, events uint64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.done[i], c.events[i] = done, events
		var sum time.Duration
		var n uint64
		for k := range c.done {
			sum += c.done[k]
			n += c.events[k]
		}
		c.tell(sum, c.total, n)
	}
}
