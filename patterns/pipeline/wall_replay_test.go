package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/retry"
)

func replayPlans() map[string][]Policy {
	jittered := Policy{Retry: &retry.Config{MaxAttempts: 4, WaitDuration: msd(20), Jitter: retry.Full, Budget: &budget.Config{Ratio: 0.5, Capacity: 20, Deposit: budget.PerCall}}}
	wide := breakerOf(6, 200)
	wide.CircuitBreaker.EnableRandomizedWait, wide.CircuitBreaker.RandomizedWaitFactor = true, 0.5
	detached := timeoutOf(60)
	detached.Timeout.Detached = true
	hedged := hedgeOf(2, 15)
	hedged.Hedge.HedgeOnFailure = true
	hedged.Hedge.DelayPercentile, hedged.Hedge.WindowSize, hedged.Hedge.MinimumNumberOfCalls = patterns.PercentOf(80), 20, 5
	hedged.Hedge.Budget = &budget.Config{Ratio: 0.5, Capacity: 20, Deposit: budget.PerCall}
	return map[string][]Policy{
		"queued":        {jittered, queueOf(2, 30, bulkhead.Priority), wide, queueOf(1, 20, bulkhead.AdaptiveLIFO), timeoutOf(50)},
		"hedged":        {ladderOf("default"), jittered, timeoutOf(70), hedged, wide, bulkheadOf(4, 30), timeoutOf(50)},
		"usual order":   {ladderOf("default"), jittered, wide, bulkheadOf(3, 40), timeoutOf(50)},
		"breaker first": {wide, timeoutOf(150), jittered, bulkheadOf(2, 0), timeoutOf(50)},
		"detached":      {jittered, detached, wide, bulkheadOf(2, 30)},
		"ladder inside": {jittered, timeoutOf(45), detached, ladderOf("default"), wide, bulkheadOf(2, 30)},
	}
}

// TestWallClockRunReplaysOnTheCore records goroutines, contexts, timers and
// panics under a fake clock, feeds the inputs to fresh cores, and finds the same
// actions, events, grants and timers for every single input.
func TestWallClockRunReplaysOnTheCore(t *testing.T) {
	for name, ps := range replayPlans() {
		for seed := range uint64(8) {
			synctest.Test(t, func(t *testing.T) {
				var tape Tape
				r := rand.New(rand.NewPCG(seed, 7))
				p := mustNew(t, ps, WithTape(&tape))
				p.draw = r.Float64 // steps run one at a time while a tape runs
				crowd(t, p, rand.New(rand.NewPCG(seed, 8)))
				entries := tape.Entries()
				if len(entries) < 300 {
					t.Errorf("%s: only %d entries", name, len(entries))
				}
				if err := Replay(ps, entries); err != nil {
					t.Errorf("%s, seed %d: %v", name, seed, err)
				}
				for forged, forge := range forgeries {
					if err := Replay(ps, forge(entries)); err == nil {
						t.Errorf("%s: %s: not noticed", name, forged)
					}
				}
			})
		}
	}
}

// forgeries change one entry in a copy of a tape: the first one from the middle on
// that can be forged so.
var forgeries = map[string]func([]Entry) []Entry{
	"another timer":   forgery(anyEntry, func(e *Entry) { e.Timer++ }),
	"another action":  forgery(anyEntry, func(e *Entry) { e.Action.Attempt++ }),
	"another purpose": forgery(drew, func(e *Entry) { e.Draws[0].Purpose ^= DrawWait ^ DrawOpen }),
	"another stage":   forgery(drew, func(e *Entry) { e.Draws[0].Stage++ }),
	"another number":  forgery(drew, func(e *Entry) { e.Draws[0].N++ }),
	"a draw too many": forgery(anyEntry, func(e *Entry) { e.Draws = append(e.Draws, Draw{Purpose: DrawWait}) }),
	"a draw too few":  forgery(drew, func(e *Entry) { e.Draws = e.Draws[1:] }),
	"another draw":    forgery(waits, func(e *Entry) { e.Draws[len(e.Draws)-1].Value /= 2 }),
}

func anyEntry(Entry) bool { return true }

func drew(e Entry) bool { return len(e.Draws) > 0 }

// waits: a retry's wait was drawn, and begun.
func waits(e Entry) bool {
	return drew(e) && e.Draws[len(e.Draws)-1].Purpose == DrawWait && e.Action == Action{} && e.Timer != patterns.Never
}

func forgery(which func(Entry) bool, forge func(*Entry)) func([]Entry) []Entry {
	return func(entries []Entry) []Entry {
		all := slices.Clone(entries)
		for k := range all {
			i := (len(all)/2 + k) % len(all)
			if which(all[i]) {
				all[i].Draws = slices.Clone(all[i].Draws)
				forge(&all[i])
				return all
			}
		}
		return all
	}
}

// crowd makes 12 clients call 25 times each: answers, errors, panics, hangs,
// cancels and deadlines.
func crowd(t *testing.T, p *Pipeline, r *rand.Rand) {
	var wg sync.WaitGroup
	for range 12 {
		client := rand.New(rand.NewPCG(r.Uint64(), 9))
		wg.Go(func() {
			for range 25 {
				time.Sleep(time.Duration(client.Int64N(int64(60 * time.Millisecond))))
				oneOfTheCrowd(t, p, client)
			}
		})
	}
	wg.Wait()
	time.Sleep(time.Hour) // what was left behind returns
}

func oneOfTheCrowd(t *testing.T, p *Pipeline, r *rand.Rand) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	switch r.IntN(6) {
	case 0:
		time.AfterFunc(time.Duration(r.Int64N(int64(100*time.Millisecond))), cancel)
	case 1:
		var stop func()
		ctx, stop = context.WithTimeout(ctx, time.Duration(r.Int64N(int64(100*time.Millisecond))))
		defer stop()
	}
	takes, kind := time.Duration(r.Int64N(int64(90*time.Millisecond))), r.IntN(10)
	defer func() {
		if v := recover(); v != nil && v != "oops" {
			panic(v)
		}
	}()
	Do(WithLevel(ctx, kind%3), p, func(ctx context.Context) (int, error) {
		switch {
		case kind < 5:
			return sleeps(takes, nil)(ctx)
		case kind < 8:
			return sleeps(takes, errBoom)(ctx)
		case kind == 8:
			time.Sleep(takes) // deaf to its context
			return 1, nil
		}
		panic("oops")
	}, twos(p)...)
}

// twos is a ladder that fits the pipeline and answers 2.
func twos(p *Pipeline) []func(context.Context, error) (int, error) {
	two := func(context.Context, error) (int, error) { return 2, nil }
	return slices.Repeat([]func(context.Context, error) (int, error){two}, p.fleet.plan.rungs)
}

// story is what one caller sees, in one line per attempt and at its end.
type story []string

// TestSimulatedStoryIsTheWallClockStory goes the other way round: a script runs
// on the core in virtual time, then through Do with goroutines, contexts and
// timers; every attempt starts at the same nanosecond and every call ends alike.
func TestSimulatedStoryIsTheWallClockStory(t *testing.T) {
	dice := fixedDice(0.37)
	plans := [][]Policy{
		{retryOf(4, 20), breakerOf(6, 200), bulkheadOf(3, 0), timeoutOf(50)},
		{timeoutOf(150), retryOf(5, 30), timeoutOf(50)},
		{ladderOf("default"), breakerOf(4, 300), retryOf(3, 0), timeoutOf(40)},
	}
	for i, ps := range plans {
		for seed := range uint64(20) {
			sim := simStory(t, ps, seed, dice)
			synctest.Test(t, func(t *testing.T) {
				if wall := wallStory(t, ps, seed, dice); !slices.Equal(sim, wall) {
					t.Errorf("plan %d seed %d:\nsimulated %v\nwall clock %v", i, seed, sim, wall)
				}
			})
		}
	}
}

// attemptOf is what attempt k of call n does: fails or answers after some time.
func attemptOf(seed uint64, n int, k uint32) (takes time.Duration, fails bool) {
	r := rand.New(rand.NewPCG(seed, uint64(n)<<32|uint64(k)))
	// Odd nanoseconds keep answers off the instants of timeouts.
	return time.Duration(r.Int64N(int64(80*time.Millisecond)))*2 + 1, r.IntN(2) == 0
}

const storyCalls, storyPause = 30, 17 * time.Millisecond

func simStory(t *testing.T, ps []Policy, seed uint64, dice Dice) story {
	var s story
	b := newBench(t, ps, nil)
	b.e.Dice = dice
	for n := range storyCalls {
		b.do = func(k uint32) (patterns.Instant, patterns.Result) {
			s = append(s, fmt.Sprintf("call %d attempt %d at %d", n, k, b.e.Now))
			takes, fails := attemptOf(seed, n, k)
			if fails {
				return patterns.Instant(takes), failure
			}
			return patterns.Instant(takes), success
		}
		r := b.run(never)
		s = append(s, fmt.Sprintf("call %d ends at %d: %v degraded %v", n, b.e.Now, r.Reason, r.Degraded))
		b.e.Now += patterns.Instant(storyPause)
	}
	return s
}

func wallStory(t *testing.T, ps []Policy, seed uint64, dice fixedDice) story {
	var s story
	p := mustNew(t, ps)
	p.draw = func() float64 { return float64(dice) }
	for n := range storyCalls {
		k := uint32(0)
		_, info, _ := DoInfo(t.Context(), p, func(ctx context.Context) (int, error) {
			k++
			s = append(s, fmt.Sprintf("call %d attempt %d at %d", n, k, p.now()))
			takes, fails := attemptOf(seed, n, k)
			if fails {
				return sleeps(takes, errBoom)(ctx)
			}
			return sleeps(takes, nil)(ctx)
		}, twos(p)...)
		s = append(s, fmt.Sprintf("call %d ends at %d: %v degraded %v", n, p.now(), info.Reason, info.Degraded))
		time.Sleep(storyPause)
	}
	return s
}
