package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/throttle"
)

// soakCalls is how many calls each of the four soaks makes: a share of what is asked for by
// the environment, or of what a short run, the race detector and an ordinary run can bear.
func soakCalls(t *testing.T) int {
	if text := os.Getenv("RESILSIM_SOAK"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 4 {
			t.Fatalf("RESILSIM_SOAK is %q, not a number of calls", text)
		}
		return n / 4
	}
	if testing.Short() {
		return soakShort / 4
	}
	return soakUsual / 4
}

// TestSoak makes calls through every pattern from two thousand goroutines, with answers,
// errors, panics, Goexit, callers who give up and functions that do not listen, and an
// outage one fifth of the time. Each call must end once, with its own answer; and when all
// have, the cores are held against a recount: what the functions themselves counted,
// what the listener was told, and what a pipeline shows that nobody has used. A
// goroutine that stays behind keeps the bubble from ending.
//
// RESILSIM_SOAK is the number of calls; "make soak" makes a million.
func TestSoak(t *testing.T) {
	for _, row := range []struct {
		name     string
		policies []Policy
		longest  time.Duration // that a call may take
		quiet    bool          // no listener
	}{
		{"plain", soakPlain(), soakTimeout + 3*soakLongest, false},
		{"detached", soakDetached(), soakTimeout, false},
		{"hedged", soakHedged(), soakTimeout + 3*soakLongest, false},
		{"straight", soakStraight(), 10 * soakLongest, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			calls := soakCalls(t)
			synctest.Test(t, func(t *testing.T) {
				s := &soak{
					t: t, calls: calls, policies: row.policies, longest: row.longest, quiet: row.quiet,
					states: map[int]breaker.State{}, openings: map[int]int64{}, refused: map[int]map[patterns.Reason]int64{},
				}
				if s.p = mustNew(t, row.policies); !row.quiet {
					s.p = mustNew(t, row.policies, WithListener(s.hear))
				}
				s.run()
				s.settle()
				s.recount()
				s.again()
			})
		})
	}
}

// soakLayers are the stages that stand in every soak, from retry to bulkhead.
func soakLayers() []Policy {
	limit := adaptive.Defaults(adaptive.Vegas)
	limit.InitialLimit, limit.MinLimit, limit.MaxLimit = 120, 90, 150
	shy := throttle.Defaults()
	shy.SamplingWindow, shy.K = patterns.Duration(2*time.Second), 2.5
	outer, inner := retryOf(2, 20), retryOf(2, 5)
	window, busy := budget.Defaults(), budget.DefaultsOf(budget.Concurrency)
	outer.Retry.Budget, inner.Retry.Budget = &window, &busy
	brk := breakerOf(100, 200)
	brk.CircuitBreaker.PermittedNumberOfCallsInHalfOpenState = 5
	brk.CircuitBreaker.SlowCallDurationThreshold, brk.CircuitBreaker.CountRunningSlowCalls = msd(25), true
	brk.CircuitBreaker.EnableRandomizedWait, brk.CircuitBreaker.RandomizedWaitFactor = true, 0.5
	return []Policy{outer, inner, brk, {Throttle: &shy}, rateOf(500, 100, 30), {AdaptiveLimit: &limit}}
}

func soakPlain() []Policy {
	ps := append([]Policy{ladderOf("cache", "default"), timeoutOf(150)}, soakLayers()...)
	slots := bulkheadOf(70, 20)
	slots.Bulkhead.QueueCapacity = 40
	return append(ps, slots, timeoutOf(30))
}

// soakStraight has no timeout and no queue: a call whose caller does not end it either
// is nobody else's business.
func soakStraight() []Policy {
	ps := append([]Policy{ladderOf("cache", "default")}, soakLayers()...)
	ps[3].CircuitBreaker.CountRunningSlowCalls = false
	return append(ps, bulkheadOf(70, 0))
}

func soakDetached() []Policy {
	whole, each := timeoutOf(150), timeoutOf(30)
	whole.Timeout.Detached, each.Timeout.Detached = true, true
	pool := Policy{ThreadPoolBulkhead: &bulkhead.PoolConfig{CoreThreadPoolSize: 40, MaxThreadPoolSize: 70, QueueCapacity: 20}}
	return append(append([]Policy{whole, ladderOf("cache", "default")}, soakLayers()...), pool, each)
}

func soakHedged() []Policy {
	h := hedge.Defaults()
	h.MaxHedges, h.Delay, h.DelayPercentile, h.HedgeOnFailure = 2, msd(5), patterns.PercentOf(80), true
	paid := budget.DefaultsOf(budget.Tokens)
	paid.Capacity = 1000
	h.Budget = &paid
	q := bulkhead.QueueDefaults()
	q.Order, q.Levels, q.MaxConcurrentCalls, q.QueueCapacity = bulkhead.Priority, 4, 70, 40
	q.MaxWaitDuration, q.MinRemainingDuration = msd(20), msd(3)
	ps := append([]Policy{ladderOf("cache", "default"), timeoutOf(150), {Hedge: &h}}, soakLayers()...)
	return append(ps, Policy{QueuedBulkhead: &q}, timeoutOf(30))
}

const (
	soakSlots   = 70                     // most functions that run at one time
	soakWorkers = 2000                   // goroutines that call
	soakLongest = 60 * time.Millisecond  // a function that does not listen
	soakTimeout = 150 * time.Millisecond // of a call
)

// soak is one run with what was counted outside the pipeline.
type soak struct {
	t        *testing.T
	calls    int
	longest  time.Duration
	quiet    bool
	p        *Pipeline
	policies []Policy

	begun, returned, running, most atomic.Int64 // functions
	ends                           [endings]atomic.Int64
	reasons                        [16]atomic.Int64 // of the calls that a pattern ended

	// What the listener was told, one event at a time.
	events   [HedgeStarted + 1]int64
	refused  map[int]map[patterns.Reason]int64 // by stage
	states   map[int]breaker.State
	openings map[int]int64
}

// ending is how a call came back.
type ending int

const (
	exited ending = iota // Goexit, unless another is found
	blewUp
	answered
	degraded
	refusedOrFailed
	endings
)

func (s *soak) hear(ev Event) {
	s.events[ev.Kind]++
	switch ev.Kind {
	case Refused:
		if s.refused[ev.Stage] == nil {
			s.refused[ev.Stage] = map[patterns.Reason]int64{}
		}
		s.refused[ev.Stage][ev.Reason]++
	case BreakerChanged:
		if ev.From != s.states[ev.Stage] {
			s.t.Errorf("breaker at %d went from %s, but it was %s", ev.Stage, ev.From, s.states[ev.Stage])
		}
		if s.states[ev.Stage] = ev.To; ev.To == breaker.Open {
			s.openings[ev.Stage]++
		}
		s.p.Breakers() // a listener may ask the pipeline
	}
}

// run makes the calls, each goroutine its share one after the other.
func (s *soak) run() {
	calls := s.calls
	var workers sync.WaitGroup
	for w := range min(soakWorkers, calls) {
		share := calls / soakWorkers
		if w < calls%soakWorkers {
			share++
		}
		workers.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(w)))
			for range share {
				time.Sleep(time.Duration(r.ExpFloat64() * float64(150*time.Millisecond)))
				if seed := r.Uint64() | 1; seed>>32%50 == 0 {
					var other sync.WaitGroup // Goexit ends a goroutine: one that is not needed
					other.Go(func() { s.call(seed, true) })
					other.Wait()
				} else {
					s.call(seed, false)
				}
			}
		})
	}
	workers.Wait()
}

// boom is what panics: whoever recovers it knows whose it was.
type boom uint64

func (s *soak) call(seed uint64, mayExit bool) {
	how, start := exited, time.Now()
	ctx, stop := soakContext(seed)
	defer stop()
	defer func() {
		if v := recover(); v != nil {
			how = blewUp
			if v != boom(seed) {
				s.t.Errorf("panic of another: %v", v)
			}
		}
		s.ends[how].Add(1)
		if took := time.Since(start); took > s.longest {
			s.t.Errorf("a call took %s", took)
		}
	}()
	var n atomic.Uint64
	act := func(ctx context.Context) (uint64, error) {
		return s.act(ctx, seed, mixed(seed+n.Add(1)), mayExit)
	}
	v, info, err := DoInfo(ctx, s.p, func(ctx context.Context) (uint64, error) {
		s.begun.Add(1)
		raise(&s.most, s.running.Add(1))
		defer s.returned.Add(1)
		defer s.running.Add(-1)
		return act(ctx)
	}, func(ctx context.Context, err error) (uint64, error) {
		return 0, errBoom
	}, func(ctx context.Context, err error) (uint64, error) {
		if err == nil {
			s.t.Error("a step that answers for nothing")
		}
		v, err := act(ctx)
		return ^v, err
	})
	how = s.judge(seed, v, info, err)
}

func (s *soak) judge(seed, v uint64, info Info, err error) ending {
	var e *Error
	switch {
	case err == nil && !info.Degraded && v == seed:
		return answered
	case err == nil && info.Degraded && v == ^seed:
		return degraded
	case errors.As(err, &e) && e.Reason == info.Reason && v == 0:
		s.reasons[e.Reason].Add(1)
	case err == errBoom && info.Reason == patterns.Failed && v == 0:
		s.reasons[patterns.Failed].Add(1)
	default:
		s.t.Errorf("%x: value %x, %+v, error %v", seed, v, info, err)
	}
	return refusedOrFailed
}

// soakContext is one of a caller: with a deadline, cancelled at some time, before the
// call even, with marks, or with nothing.
func soakContext(seed uint64) (context.Context, func()) {
	ctx, after := context.Background(), time.Duration(mixed(seed)>>40%200)*time.Millisecond
	if seed>>8%16 == 0 {
		ctx = NonIdempotent(ctx)
	}
	ctx = WithLevel(ctx, int(seed>>12%4))
	switch seed >> 16 % 10 {
	case 0:
		return context.WithTimeout(ctx, after)
	case 1:
		ctx, cancel := context.WithCancel(ctx)
		timer := time.AfterFunc(after, cancel)
		return ctx, func() { timer.Stop(); cancel() }
	}
	return ctx, func() {}
}

// act is what a function does: fate is its own, seed the call's.
func (s *soak) act(ctx context.Context, seed, fate uint64, mayExit bool) (uint64, error) {
	takes := time.Duration(fate >> 20 % 20_000_000)
	kind := fate % 100
	if s.p.now()/ms(400)%5 == 2 && kind < 60 {
		kind = 62 // the outage
	}
	if mayExit && kind > 40 {
		kind = 99
	}
	switch {
	case kind < 60:
		return seed, rest(ctx, takes)
	case kind < 70:
		return 0, errBoom
	case kind < 78:
		if err := rest(ctx, takes); err != nil {
			return 0, err
		}
		return 0, errBoom
	case kind < 84:
		time.Sleep(min(3*takes, soakLongest)) // it does not listen
		return seed, nil
	case kind < 90 && ctx.Done() != nil:
		<-ctx.Done()
		return 0, ctx.Err()
	case kind < 92:
		if kind == 91 {
			time.Sleep(takes)
		}
		panic(boom(seed))
	case mayExit:
		runtime.Goexit()
	}
	return seed, nil
}

// rest waits so long, or until the context ends.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// mixed is SplitMix64's finaliser: neighbours become strangers.
func mixed(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// settle waits until what was left behind has returned, and then a day, in which
// nothing may happen any more: a timer that was forgotten, or a slot that comes late,
// would step its call and be on the tape.
func (s *soak) settle() {
	time.Sleep(2 * soakLongest)
	synctest.Wait()
	if a, b, r := s.begun.Load(), s.returned.Load(), s.running.Load(); a != b || r != 0 {
		s.t.Errorf("%d functions were begun, %d have returned", a, b)
	}
	s.p.tape = &Tape{}
	time.Sleep(24 * time.Hour)
	synctest.Wait()
	if left := s.p.tape.Entries(); len(left) > 0 {
		s.t.Errorf("%d steps after the end, the first: %+v", len(left), left[0])
	}
	s.p.tape = nil
	if n := len(s.p.calls); n != 0 {
		s.t.Errorf("%d calls are still known", n)
	}
	if s.quiet {
		return
	}
	if n := len(s.p.out.events); n != 0 || s.p.out.busy {
		s.t.Errorf("%d events were not told", n)
	}
}

// recount holds what the cores show against what was counted outside.
func (s *soak) recount() {
	t, p, sum := s.t, s.p, int64(0)
	for i := range s.ends {
		n := s.ends[i].Load()
		if sum += n; n == 0 {
			s.missed("call that ended as %d", i)
		}
	}
	if sum != int64(s.calls) {
		t.Errorf("%d calls, %d ends", s.calls, sum)
	}
	if most := s.most.Load(); most > soakSlots {
		t.Errorf("%d functions at one time, with %d slots", most, soakSlots)
	} else if most < soakSlots {
		s.missed("full bulkhead: at most %d functions at one time", most)
	}
	for _, b := range p.Breakers() {
		c := b.Snapshot()
		if c.InFlight != 0 {
			t.Errorf("breaker: %+v", c)
		}
		if c.Openings == 0 {
			s.missed("opening of a breaker")
		}
	}
	s.recountRefusals()
	fresh := mustNew(t, s.policies)
	if got, want := fmt.Sprint(p.Budgets()), fmt.Sprint(fresh.Budgets()); got != want {
		t.Errorf("budgets %s; of one that nobody used: %s", got, want)
	}
	if !s.quiet {
		s.recountEvents()
	}
	t.Logf("ends %v, reasons %v, events %v, refused %v, at most %d at one time, %s", counts(s.ends[:]), counts(s.reasons[:]), s.events, s.refused, s.most.Load(), s.p.now().Sub(0)-24*time.Hour)
}

func (s *soak) recountEvents() {
	t := s.t
	for _, b := range s.p.Breakers() {
		i, c := int(b.stage), b.Snapshot()
		if int64(c.Openings) != s.openings[i] {
			t.Errorf("breaker: %+v; told of %d openings", c, s.openings[i])
		}
		// In the day an open wait or a half-open stay has ended, and nobody was told: nobody asked.
		if (c.State == breaker.Closed) != (s.states[i] == breaker.Closed) {
			t.Errorf("breaker: %s, told of %s", c.State, s.states[i])
		}
	}
	if s.events[FallbackUsed] < s.ends[degraded].Load() {
		t.Errorf("events %v, but %d calls were answered by a fallback", s.events, s.ends[degraded].Load())
	}
	for kind, n := range s.events {
		if n == 0 && (EventKind(kind) != HedgeStarted || len(s.p.Hedges()) > 0) {
			s.missed("event: %s", EventKind(kind))
		}
	}
}

// missed says what did not come up, though it should in so many calls.
func (s *soak) missed(format string, args ...any) {
	if s.calls >= 50_000 {
		s.t.Errorf("there was no "+format, args...)
	}
}

// recountRefusals holds each stage's own count of refusals against the events, and
// what it gave out against nothing.
func (s *soak) recountRefusals() {
	t, p := s.t, s.p
	for _, b := range p.Bulkheads() {
		if b.InUse != 0 || b.Waiting != 0 {
			t.Errorf("bulkhead: %+v", b)
		}
		if b.Rejected == 0 || b.Queued == 0 && !s.quiet {
			s.missed("wait or refusal at the bulkhead: %+v", b)
		}
		n := b.Rejected + b.Displaced + b.Late
		s.told(b, n, n, kindBulkhead, patterns.BulkheadFull, patterns.Shed, patterns.DeadlineExceeded)
		// Who gave up was impatient, or its caller was, which is no refusal.
		s.told(b, b.Impatient, b.Impatient+b.GaveUp, kindBulkhead, patterns.BulkheadTimeout)
	}
	for _, l := range p.AdaptiveLimits() {
		if l.InFlight != 0 {
			t.Errorf("adaptive limit: %+v", l)
		}
		s.told(l, l.Refused, l.Refused, kindLimit, patterns.LimitReached)
	}
	for _, l := range p.Throttles() {
		if l.InFlight != 0 || l.Requests != 0 || l.Probability != 0 {
			t.Errorf("throttle: %+v", l)
		}
		s.told(l, l.Rejected, l.Rejected, kindThrottle, patterns.Throttled)
	}
	for _, r := range p.RateLimiters() {
		l := r.Snapshot()
		periods := int64(p.now()-patterns.Instant(24*time.Hour))/int64(100*time.Millisecond) + 1
		if l.Permits != 500 || l.Granted-l.Cancelled > 500*periods {
			t.Errorf("rate limiter: %+v in %d periods", l, periods)
		}
		// Whose wait would have passed its deadline gave its permit back at once.
		s.told(l, l.Rejected, l.Rejected+l.Cancelled, kindRate, patterns.RateLimited)
	}
	for _, h := range p.Hedges() {
		if h.Started != s.events[HedgeStarted] || h.Won > h.Started {
			t.Errorf("hedge: %+v; told of %d", h, s.events[HedgeStarted])
		}
	}
}

// told checks that the listener has heard of so many refusals for these reasons by the
// stage that shows what it counted.
func (s *soak) told(shows any, least, most int64, k kind, why ...patterns.Reason) {
	n := int64(0)
	for _, i := range s.p.stages(k) {
		for _, r := range why {
			n += s.refused[int(i)][r]
		}
	}
	if !s.quiet && (n < least || n > most) {
		s.t.Errorf("told of %d refusals for %v by %+v", n, why, shows)
	}
}

// again shows that nothing was used up: one call after the other goes through, the
// breaker closes, and its window is what the last hundred calls were.
func (s *soak) again() {
	s.p.SwitchRetries(false)
	for i := range 200 {
		time.Sleep(10 * time.Millisecond)
		bad := i >= 100 && i%10 < 3
		before := s.begun.Load()
		v, err := Do(context.Background(), s.p, func(context.Context) (uint64, error) {
			s.begun.Add(1)
			if bad {
				return 0, errBoom
			}
			return 7, nil
		}, func(_ context.Context, err error) (uint64, error) { return 8, nil }, nil)
		if err != nil || (v == 8) != bad || s.begun.Load() != before+1 {
			s.t.Fatalf("call %d after the soak: %d, %v, attempts %d", i, v, err, s.begun.Load()-before)
		}
	}
	for _, b := range s.p.Breakers() {
		if c := b.Snapshot(); c.State != breaker.Closed || c.Buffered != 100 || c.Failed != 30 || c.Slow != 0 || c.InFlight != 0 {
			s.t.Errorf("breaker: %+v", c)
		}
	}
	for _, b := range s.p.Bulkheads() {
		if b.InUse != 0 || b.Waiting != 0 {
			s.t.Errorf("bulkhead: %+v", b)
		}
	}
}

func raise(most *atomic.Int64, n int64) {
	for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
	}
}

func counts(list []atomic.Int64) (all []int64) {
	for i := range list {
		all = append(all, list[i].Load())
	}
	return all
}
