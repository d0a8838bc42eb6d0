package gate

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/codel"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/priority"
	"github.com/resilsim/resilsim/patterns/ratelimit"
)

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func msd(n int) patterns.Duration { return patterns.Duration(ms(n)) }

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func slotsOf(t testing.TB, n, wait int) *Slots {
	return NewSlots(must[*bulkhead.Settings](t)(bulkhead.Compile(bulkhead.Config{MaxConcurrentCalls: n, MaxWaitDuration: msd(wait)})), nil)
}

func enter(t testing.TB, g *Gate) *Pass {
	t.Helper()
	return must[*Pass](t)(g.Enter(t.Context(), Request{}))
}

var success = patterns.Result{Outcome: patterns.Success}

// TestEmptyGateAdmits: a gate without stages admits, and its pass is good once.
func TestEmptyGateAdmits(t *testing.T) {
	p := enter(t, New())
	if !p.Leave(success) || p.Leave(success) {
		t.Error("a pass was given back never or twice")
	}
}

// TestEndedContextIsRefused: before any stage is asked, with the cause of the end.
func TestEndedContextIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := false
		g := New(Decide(patterns.Shed, func(patterns.Instant, Request) (bool, time.Duration) { asked = true; return true, 0 }))
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(gone)
		if _, err := g.Enter(ctx, Request{}); !errors.Is(err, pipeline.ErrCancelled) || !errors.Is(err, gone) {
			t.Error(err)
		}
		timed, stop := context.WithTimeout(t.Context(), ms(1))
		defer stop()
		time.Sleep(ms(1))
		if _, err := g.Enter(timed, Request{}); !errors.Is(err, pipeline.ErrDeadline) || !errors.Is(err, context.DeadlineExceeded) || asked {
			t.Error(err, asked)
		}
	})
}

// TestRefusalInsideGivesBackOutside: the second stage refuses; the slot of the
// first is free again.
func TestRefusalInsideGivesBackOutside(t *testing.T) {
	slots := slotsOf(t, 1, 0)
	g := New(slots, Decide(patterns.Throttled, func(patterns.Instant, Request) (bool, time.Duration) { return false, ms(7) }))
	for range 3 {
		_, err := g.Enter(t.Context(), Request{})
		var e *pipeline.Error
		if !errors.As(err, &e) || e.Reason != patterns.Throttled || e.RetryAfter != ms(7) || slots.Snapshot().InUse != 0 {
			t.Errorf("%v %+v", err, slots.Snapshot())
		}
	}
}

// TestForeignRefusalIsPassedOn: a stage of the user's own may refuse with any error.
func TestForeignRefusalIsPassedOn(t *testing.T) {
	no := errors.New("no")
	slots := slotsOf(t, 1, 0)
	if _, err := New(slots, foreign{no}).Enter(t.Context(), Request{}); err != no || slots.Snapshot().InUse != 0 {
		t.Error(err)
	}
}

type foreign struct{ err error }

func (f foreign) Enter(context.Context, Request) (func(patterns.Result), error) { return nil, f.err }

// TestSlotsServeInOrder: one slot, four requests of 100 ms: they end one after
// the other, and a fifth whose patience is over is refused at its instant.
func TestSlotsServeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := slotsOf(t, 1, 350)
		g := New(slots)
		start := time.Now()
		var wg sync.WaitGroup
		for i := range 5 {
			time.Sleep(ms(1))
			wg.Go(func() {
				err := g.Run(t.Context(), Request{}, func(context.Context) error { time.Sleep(ms(100)); return nil })
				at := time.Since(start)
				if i < 4 && (err != nil || at != ms(100*(i+1)+1)) {
					t.Errorf("%d: %v at %v", i, err, at)
				}
				if i == 4 && (!errors.Is(err, pipeline.ErrBulkheadTimeout) || at != ms(355)) {
					t.Errorf("%d: %v at %v", i, err, at)
				}
			})
		}
		wg.Wait()
		if s := slots.Snapshot(); s.InUse != 0 || s.Waiting != 0 || s.GaveUp != 1 {
			t.Errorf("%+v", s)
		}
	})
}

// TestFullSlotsRefuseAtOnce, and growing admits again.
func TestFullSlotsRefuseAtOnce(t *testing.T) {
	slots := slotsOf(t, 1, 0)
	g := New(slots)
	p := enter(t, g)
	if _, err := g.Enter(t.Context(), Request{}); !errors.Is(err, pipeline.ErrBulkheadFull) {
		t.Error(err)
	}
	slots.Resize(2)
	q := enter(t, g)
	p.Leave(success)
	q.Leave(success)
	if s := slots.Snapshot(); s.InUse != 0 || s.Slots != 2 {
		t.Errorf("%+v", s)
	}
}

// TestWaitingRequestMayGo: a caller that goes while it waits leaves nothing
// behind, and its deadline ends the wait as a deadline.
func TestWaitingRequestMayGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := slotsOf(t, 1, 1000)
		g := New(slots)
		p := enter(t, g)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(ms(10), cancel)
		if _, err := g.Enter(ctx, Request{}); !errors.Is(err, pipeline.ErrCancelled) {
			t.Error(err)
		}
		timed, stop := context.WithTimeout(t.Context(), ms(10))
		defer stop()
		if _, err := g.Enter(timed, Request{}); !errors.Is(err, pipeline.ErrDeadline) {
			t.Error(err)
		}
		p.Leave(success)
		if s := slots.Snapshot(); s.InUse != 0 || s.Waiting != 0 || s.GaveUp != 2 {
			t.Errorf("%+v", s)
		}
	})
}

// TestGrantForOneThatHasGoneGoesOn: caller gone and slot granted at one instant,
// many times: whichever is seen first, the slot is free in the end.
func TestGrantForOneThatHasGoneGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := slotsOf(t, 1, 1000)
		g := New(slots)
		for range 200 {
			p := enter(t, g)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				if q, err := g.Enter(ctx, Request{}); err == nil {
					q.Leave(success)
				}
			}()
			synctest.Wait()
			p.Leave(success)
			cancel()
			<-done
			if s := slots.Snapshot(); s.InUse != 0 || s.Waiting != 0 {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// TestSlotAtTheEndOfPatience: the slot comes free in the very instant at which the
// wait ends: it is taken or it is free, and never lost.
func TestSlotAtTheEndOfPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := slotsOf(t, 1, 100)
		g := New(slots)
		for range 100 {
			p := enter(t, g)
			time.AfterFunc(ms(100), func() { p.Leave(success) })
			if q, err := g.Enter(t.Context(), Request{}); err == nil {
				q.Leave(success)
			} else if !errors.Is(err, pipeline.ErrBulkheadTimeout) {
				t.Fatal(err)
			}
			synctest.Wait()
			if s := slots.Snapshot(); s.InUse != 0 || s.Waiting != 0 {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// TestQueueWithDeadlines: with less left than a request needs it is refused as
// too late, at once or when it has waited that long.
func TestQueueWithDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := bulkhead.QueueConfig{Config: bulkhead.Config{MaxConcurrentCalls: 1, MaxWaitDuration: msd(100), QueueCapacity: 1, Order: bulkhead.Priority}, Levels: 2}
		slots := NewSlots(must[*bulkhead.Settings](t)(bulkhead.CompileQueue(c)), nil)
		g := New(slots)
		p := enter(t, g)
		ctx, cancel := context.WithTimeout(t.Context(), ms(50))
		defer cancel()
		if _, err := g.Enter(ctx, Request{}); !errors.Is(err, pipeline.ErrDeadline) {
			t.Error(err)
		}
		// A request of a higher class takes the place of one that waits.
		low := make(chan error)
		go func() { _, err := g.Enter(t.Context(), Request{Class: 0}); low <- err }()
		synctest.Wait()
		high := make(chan error)
		go func() {
			q, err := g.Enter(t.Context(), Request{Class: 1})
			if err == nil {
				q.Leave(success)
			}
			high <- err
		}()
		if err := <-low; !errors.Is(err, pipeline.ErrShed) {
			t.Error(err)
		}
		p.Leave(success)
		if err := <-high; err != nil {
			t.Error(err)
		}
	})
}

// TestCodelDropsFromAStandingQueue: requests come faster than one slot serves
// them; with codel some are shed, and those that are served waited less.
func TestCodelDropsFromAStandingQueue(t *testing.T) {
	served := func(c *codel.Settings) (ok, shed, timeouts int64) {
		synctest.Test(t, func(t *testing.T) {
			slots := NewSlots(must[*bulkhead.Settings](t)(bulkhead.Compile(bulkhead.Config{MaxConcurrentCalls: 1, MaxWaitDuration: msd(1000)})), c)
			g := New(slots)
			var wg sync.WaitGroup
			for range 300 {
				time.Sleep(ms(5))
				wg.Go(func() {
					err := g.Run(t.Context(), Request{}, func(context.Context) error { time.Sleep(ms(10)); return nil })
					switch {
					case err == nil:
						atomic.AddInt64(&ok, 1)
					case errors.Is(err, pipeline.ErrShed):
						atomic.AddInt64(&shed, 1)
					default:
						atomic.AddInt64(&timeouts, 1)
					}
				})
			}
			wg.Wait()
			if s := slots.Snapshot(); s.InUse != 0 || s.Waiting != 0 {
				t.Errorf("%+v", s)
			}
		})
		return
	}
	if ok, shed, _ := served(nil); shed != 0 || ok == 0 {
		t.Errorf("without: %d served, %d shed", ok, shed)
	}
	ok, shed, timeouts := served(must[*codel.Settings](t)(codel.Compile(codel.Defaults())))
	if shed < 100 || ok < 100 || timeouts != 0 || ok+shed != 300 {
		t.Errorf("%d served, %d shed, %d timed out", ok, shed, timeouts)
	}
}

// TestLimitFollowsItsSignals: drops lower an aimd limit, and each refusal beyond
// it says that the limit is reached.
func TestLimitFollowsItsSignals(t *testing.T) {
	c := adaptive.Defaults(adaptive.AIMD)
	c.InitialLimit, c.MinLimit = 4, 1
	c.Partitions = []adaptive.Partition{{Name: "live", Share: patterns.PercentOf(50)}}
	l := NewLimit(must[*adaptive.Settings](t)(adaptive.Compile(c)))
	g := New(l)
	var passes []*Pass
	for range 4 {
		passes = append(passes, must[*Pass](t)(g.Enter(t.Context(), Request{Partition: "live"})))
	}
	if _, err := g.Enter(t.Context(), Request{}); !errors.Is(err, pipeline.ErrLimitReached) {
		t.Error(err)
	}
	for _, p := range passes {
		p.Leave(patterns.Result{Outcome: patterns.Failure, Reason: patterns.DeadlineExceeded})
	}
	if s := l.Snapshot(); s.InFlight != 0 || s.Limit >= 4 || s.Dropped != 4 {
		t.Errorf("%+v", s)
	}
}

func rateOf(wait int) ratelimit.Config {
	return ratelimit.Config{LimitForPeriod: 2, LimitRefreshPeriod: msd(100), TimeoutDuration: msd(wait)}
}

// TestRateRefusesWithATime: two permits each 100 ms; the third request is told
// when the next ones come.
func TestRateRefusesWithATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(NewRate(must[*ratelimit.Settings](t)(ratelimit.Compile(rateOf(0)))))
		time.Sleep(ms(30))
		enter(t, g)
		enter(t, g)
		_, err := g.Enter(t.Context(), Request{})
		var e *pipeline.Error
		if !errors.Is(err, pipeline.ErrRateLimited) || !errors.As(err, &e) || e.RetryAfter != ms(70) {
			t.Error(err)
		}
	})
}

// TestRateLetsWait: up to its patience, not into a deadline, and what a caller
// that has gone had reserved is there for others.
func TestRateLetsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(NewRate(must[*ratelimit.Settings](t)(ratelimit.Compile(rateOf(100)))))
		start := time.Now()
		enter(t, g)
		enter(t, g)
		timed, stop := context.WithTimeout(t.Context(), ms(100))
		defer stop()
		if _, err := g.Enter(timed, Request{}); !errors.Is(err, pipeline.ErrRateLimited) || time.Since(start) != 0 {
			t.Error(err, time.Since(start))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(ms(50), cancel)
		if _, err := g.Enter(ctx, Request{}); !errors.Is(err, pipeline.ErrCancelled) || time.Since(start) != ms(50) {
			t.Error(err, time.Since(start))
		}
		for range 2 {
			enter(t, g)
		}
		if time.Since(start) != ms(100) {
			t.Error(time.Since(start))
		}
	})
}

// TestRateOfEachKey: one key's requests do not use up another's permits.
func TestRateOfEachKey(t *testing.T) {
	c := ratelimit.KeyedConfig{Config: rateOf(0), MaxKeys: 10}
	c.LimitRefreshPeriod = msd(3600000)
	g := New(NewKeyedRate(must[*ratelimit.KeyedSettings](t)(ratelimit.CompileKeyed(c))))
	for _, key := range []string{"a", "b"} {
		for i := range 3 {
			if _, err := g.Enter(t.Context(), Request{Key: key}); errors.Is(err, pipeline.ErrRateLimited) != (i == 2) {
				t.Errorf("%s %d: %v", key, i, err)
			}
		}
	}
}

// TestLevelsShedTheLowest: half is to be shed; after an interval the low class is
// refused with a time, the high one passes.
func TestLevelsShedTheLowest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := priority.Defaults()
		c.Classes = 2
		s := must[*priority.Settings](t)(priority.Compile(c))
		wanted := NewLevels(s, nil)
		wanted.Want(0.5)
		for _, l := range []*Levels{wanted, NewLevels(s, func() float64 { return 0.5 })} {
			g := New(l)
			for range 100 {
				for class := range 2 {
					g.Enter(t.Context(), Request{Class: class})
				}
				time.Sleep(ms(10))
			}
			_, err := g.Enter(t.Context(), Request{Class: 0})
			var e *pipeline.Error
			if !errors.As(err, &e) || e.Reason != patterns.Shed || e.RetryAfter <= 0 {
				t.Errorf("%v", err)
			}
			if _, err := g.Enter(t.Context(), Request{Class: 1}); err != nil {
				t.Error(err)
			}
			if f := l.Snapshot(); f.Shed != 1 || f.Share != 0.5 {
				t.Errorf("%+v", f)
			}
		}
	})
}

// TestRunSettlesOnEveryWayOut: return, error, panic and Goexit each give the slot
// back once, and the stage hears what happened.
func TestRunSettlesOnEveryWayOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New("boom")
		var heard []patterns.Result
		slots := slotsOf(t, 1, 0)
		g := New(slots, listener{&heard})
		run := func(work func(context.Context) error) error {
			ctx, cancel := context.WithTimeout(t.Context(), ms(100))
			defer cancel()
			return g.Run(ctx, Request{}, work)
		}
		if err := run(func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
		if err := run(func(context.Context) error { return boom }); err != boom {
			t.Error(err)
		}
		if err := run(func(context.Context) error { time.Sleep(ms(200)); return boom }); err != boom {
			t.Error(err)
		}
		func() {
			defer func() { recover() }()
			run(func(context.Context) error { panic("oops") })
		}()
		var wg sync.WaitGroup
		wg.Go(func() { run(func(context.Context) error { runtime.Goexit(); return nil }) })
		wg.Wait()
		want := []patterns.Reason{patterns.None, patterns.Failed, patterns.DeadlineExceeded, patterns.Panicked, patterns.Panicked}
		for i, r := range heard {
			if r.Reason != want[i] {
				t.Errorf("%d: %+v", i, r)
			}
		}
		if len(heard) != len(want) || slots.Snapshot().InUse != 0 {
			t.Errorf("%+v %+v", heard, slots.Snapshot())
		}
		slots.Enter(t.Context(), Request{})
		if err := run(func(context.Context) error { return nil }); !errors.Is(err, pipeline.ErrBulkheadFull) {
			t.Error(err)
		}
	})
}

type listener struct{ heard *[]patterns.Result }

func (l listener) Enter(context.Context, Request) (func(patterns.Result), error) {
	return func(r patterns.Result) { *l.heard = append(*l.heard, r) }, nil
}
