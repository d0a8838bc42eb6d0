package benchmarks

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/eapache/go-resiliency/retrier"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/retry"
)

func answer(context.Context) (int, error) { return 42, nil }

func fail(context.Context) (int, error) { return 0, errDown }

// through returns a call of answer through the policies.
func through(b testing.TB, policies ...pipeline.Policy) func() {
	p := must[*pipeline.Pipeline](b)(pipeline.New(policies))
	ctx := context.Background()
	return func() {
		if v, err := pipeline.Do(ctx, p, answer); v != 42 || err != nil {
			b.Error(v, err)
		}
	}
}

// rolling is gobreaker with a rolling window, the kind that is nearest to ours.
func rolling() *gobreaker.CircuitBreaker[int] {
	return gobreaker.NewCircuitBreaker[int](gobreaker.Settings{
		Interval: 10 * time.Second, BucketPeriod: time.Second, Timeout: time.Hour,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.Requests >= 100 && c.TotalFailures*2 >= c.Requests
		},
	})
}

// BenchmarkBreaker: an answered call through a closed breaker. Ours has a count window
// of 100 calls and judges failures and slow calls; theirs counts failures in ten buckets.
func BenchmarkBreaker(b *testing.B) {
	c, theirs := breaker.Defaults(), rolling()
	pair{
		ours: through(b, pipeline.Policy{CircuitBreaker: &c}),
		theirs: func() {
			if v, err := theirs.Execute(func() (int, error) { return 42, nil }); v != 42 || err != nil {
				b.Error(v, err)
			}
		},
	}.run(b)
}

// BenchmarkBreakerCore is the same without the pipeline: Acquire and Report behind a
// mutex, with the two clock reads that they need. Beside it gobreaker's two steps.
func BenchmarkBreakerCore(b *testing.B) {
	core := breaker.New(must[*breaker.Settings](b)(breaker.Compile(breaker.Defaults())))
	theirs := gobreaker.NewTwoStepCircuitBreaker[int](gobreaker.Settings{Interval: 10 * time.Second, BucketPeriod: time.Second})
	var mu sync.Mutex
	now := clock()
	pair{
		ours: func() {
			mu.Lock()
			permit, _ := core.Acquire(now(), 0, nil)
			mu.Unlock()
			mu.Lock()
			core.Report(now(), permit, patterns.Success, 0, nil)
			mu.Unlock()
		},
		theirs: func() {
			done, err := theirs.Allow()
			if err != nil {
				b.Error(err)
			}
			done(nil)
		},
	}.run(b)
}

// BenchmarkBreakerRefusal: a call refused by an open breaker.
func BenchmarkBreakerRefusal(b *testing.B) {
	c := breaker.Defaults()
	c.SlidingWindowSize, c.WaitDurationInOpenState = 1, patterns.Duration(time.Hour)
	p := must[*pipeline.Pipeline](b)(pipeline.New([]pipeline.Policy{{CircuitBreaker: &c}}))
	theirs := rolling()
	for range 100 {
		_, _ = pipeline.Do(context.Background(), p, fail)
		_, _ = theirs.Execute(func() (int, error) { return 0, errDown })
	}
	pair{
		ours: func() {
			if _, err := pipeline.Do(context.Background(), p, answer); !errors.Is(err, pipeline.ErrBreakerOpen) {
				b.Error(err)
			}
		},
		theirs: func() {
			if _, err := theirs.Execute(func() (int, error) { return 42, nil }); !errors.Is(err, gobreaker.ErrOpenState) {
				b.Error(err)
			}
		},
	}.run(b)
}

// BenchmarkRetry: a call that succeeds at once, through a retry of three attempts.
func BenchmarkRetry(b *testing.B) {
	c := retry.Defaults()
	theirs := retrier.New(retrier.ConstantBackoff(2, 500*time.Millisecond), nil)
	work := func(ctx context.Context) error { _, err := answer(ctx); return err }
	pair{
		ours: through(b, pipeline.Policy{Retry: &c}),
		theirs: func() {
			if err := theirs.RunCtx(context.Background(), work); err != nil {
				b.Error(err)
			}
		},
	}.run(b)
}

const slots = 100

// BenchmarkBulkhead: a slot is taken and given back, by a call through the pipeline.
func BenchmarkBulkhead(b *testing.B) {
	pair{
		ours:   through(b, pipeline.Policy{Bulkhead: &bulkhead.Config{MaxConcurrentCalls: slots}}),
		theirs: semaphoreCall(b),
	}.run(b)
}

// BenchmarkBulkheadCore is the same by the core behind a mutex. A core without a
// waiting call is told the instant but has no use for it, so none is read.
func BenchmarkBulkheadCore(b *testing.B) {
	core := bulkhead.New(must[*bulkhead.Settings](b)(bulkhead.Compile(bulkhead.Config{MaxConcurrentCalls: slots})))
	var mu sync.Mutex
	pair{
		ours: func() {
			mu.Lock()
			ticket, how := core.Enter(0, 1)
			mu.Unlock()
			if how != bulkhead.Granted {
				b.Error(how)
			}
			mu.Lock()
			core.Leave(0, ticket, nil)
			mu.Unlock()
		},
		theirs: semaphoreCall(b),
	}.run(b)
}

func semaphoreCall(b *testing.B) func() {
	theirs := semaphore.NewWeighted(slots)
	return func() {
		if !theirs.TryAcquire(1) {
			b.Error("refused")
		}
		theirs.Release(1)
	}
}

// plenty is a token bucket that never refuses.
func plenty() *ratelimit.Config {
	return &ratelimit.Config{
		Type: ratelimit.TokenBucket, LimitForPeriod: 1e9, Burst: 1e9,
		LimitRefreshPeriod: patterns.Duration(time.Second),
	}
}

// BenchmarkLimiter: one permit of a token bucket, admitted, for a call through the
// pipeline. Theirs is given a clock read, as its Allow does it.
func BenchmarkLimiter(b *testing.B) {
	pair{ours: through(b, pipeline.Policy{RateLimiter: plenty()}), theirs: allowed(b)}.run(b)
}

func allowed(b *testing.B) func() {
	theirs := rate.NewLimiter(1e9, 1e9)
	return func() {
		if !theirs.AllowN(time.Now(), 1) {
			b.Error("refused")
		}
	}
}

// BenchmarkLimiterCore: the same by the core behind a mutex, with one clock read. Theirs
// holds its mutex itself.
func BenchmarkLimiterCore(b *testing.B) {
	core := ratelimit.New(must[*ratelimit.Settings](b)(ratelimit.Compile(*plenty())))
	var mu sync.Mutex
	now := clock()
	pair{
		ours: func() {
			at := now()
			mu.Lock()
			v := core.Try(at, 1)
			mu.Unlock()
			if !v.OK {
				b.Error("refused")
			}
		},
		theirs: allowed(b),
	}.run(b)
}

// clock returns the time since now as a driver tells it to a core.
func clock() func() patterns.Instant {
	origin := time.Now()
	return func() patterns.Instant { return patterns.Instant(time.Since(origin)) }
}
