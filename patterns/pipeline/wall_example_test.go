package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/timeout"
)

func within(d time.Duration) *timeout.Config {
	return &timeout.Config{TimeoutDuration: patterns.Duration(d)}
}

// opensAfter is a breaker that opens when at least half of n calls failed.
func opensAfter(n int) *breaker.Config {
	c := breaker.Defaults()
	c.SlidingWindowSize, c.MinimumNumberOfCalls = n, n
	return &c
}

var errReset = errors.New("connection reset")

// A price is asked for through a fallback, a retry, a breaker and a timeout. The
// dependency fails twice and then answers; later it fails for good, and the breaker
// opens.
func Example() {
	prices, err := pipeline.New([]pipeline.Policy{
		{Fallback: &fallback.Config{Steps: []string{"last known"}}},
		{Retry: &retry.Config{MaxAttempts: 3, WaitDuration: patterns.Duration(time.Millisecond)}},
		{Name: "prices", CircuitBreaker: opensAfter(5)},
		{Timeout: within(time.Minute)}, // of each attempt
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	attempts, healthyFrom := 0, 3
	ask := func(context.Context) (int, error) {
		if attempts++; attempts < healthyFrom {
			return 0, errReset
		}
		return 42, nil
	}
	lastKnown := func(_ context.Context, cause error) (int, error) {
		fmt.Println("  refused by the breaker:", errors.Is(cause, pipeline.ErrBreakerOpen), "after:", errors.Is(cause, errReset))
		return 40, nil
	}
	for range 2 {
		price, info, err := pipeline.DoInfo(context.Background(), prices, ask, lastKnown)
		fmt.Println(price, err, "attempts:", info.Attempts, "degraded:", info.Degraded)
		attempts, healthyFrom = 0, 1000
	}
	b, _ := prices.Breaker("prices")
	fmt.Println(b.Name(), "is", b.Snapshot().State)
	// Output:
	// 42 <nil> attempts: 3 degraded: false
	//   refused by the breaker: true after: true
	// 40 <nil> attempts: 2 degraded: true
	// prices is open
}

// A dependency hangs. Its attempt is given up, and the error says by whom.
func ExampleDo_timeout() {
	p, err := pipeline.New([]pipeline.Policy{{Timeout: within(time.Millisecond)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = pipeline.Do(context.Background(), p, func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	fmt.Println(err)
	fmt.Println(errors.Is(err, pipeline.ErrTimeout), errors.Is(err, context.DeadlineExceeded))
	fmt.Println("the caller's own deadline:", errors.Is(err, pipeline.ErrDeadline))
	// Output:
	// pipeline: timeout
	// true true
	// the caller's own deadline: false
}

// database answers like a *sql.DB whose connection is lost now and then.
type database struct{ lost int }

var errLost = errors.New("connection lost")

func (d *database) QueryContext(ctx context.Context, query string, args ...any) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if d.lost > 0 {
		d.lost--
		return nil, errLost
	}
	return []string{fmt.Sprint(query, " ", args)}, nil
}

func (d *database) ExecContext(ctx context.Context, query string, args ...any) (int64, error) {
	_, err := d.QueryContext(ctx, query, args...)
	return 1, err
}

// Reads and writes of a database go through two pipelines. A read may be tried
// again. A write that is carried out twice does harm, and a lost connection leaves
// open whether it was carried out: its pipeline has no retry.
func ExampleDo_database() {
	reads, err := pipeline.New([]pipeline.Policy{
		{Timeout: within(time.Minute)}, // of all attempts together
		{Retry: &retry.Config{MaxAttempts: 3}},
		{CircuitBreaker: opensAfter(20)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	writes, err := pipeline.New([]pipeline.Policy{{CircuitBreaker: opensAfter(20)}, {Timeout: within(time.Minute)}})
	if err != nil {
		fmt.Println(err)
		return
	}
	db := &database{lost: 2}
	rows, err := pipeline.Do(context.Background(), reads, func(ctx context.Context) ([]string, error) {
		return db.QueryContext(ctx, "SELECT name FROM users WHERE id = $1", 7)
	})
	fmt.Println(rows, err)
	db.lost = 1
	_, info, err := pipeline.DoInfo(context.Background(), writes, func(ctx context.Context) (int64, error) {
		return db.ExecContext(ctx, "UPDATE accounts SET cents = cents - 100 WHERE id = $1", 7)
	})
	fmt.Println("lost:", errors.Is(err, errLost), "attempts:", info.Attempts)
	// Output:
	// [SELECT name FROM users WHERE id = $1 [7]] <nil>
	// lost: true attempts: 1
}

// What a pipeline does is heard and can be counted: one line for each event.
func ExampleWithListener() {
	p, err := pipeline.New([]pipeline.Policy{
		{Name: "again", Retry: &retry.Config{MaxAttempts: 2}},
		{Name: "guard", CircuitBreaker: opensAfter(2)},
	}, pipeline.WithListener(func(e pipeline.Event) {
		switch e.Kind {
		case pipeline.BreakerChanged:
			fmt.Println(e.Name, e.Kind, "from", e.From, "to", e.To)
		default:
			fmt.Println(e.Name, e.Kind, "because of", e.Reason)
		}
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fail := func(context.Context) (int, error) { return 0, errors.New("no route to host") }
	for range 2 {
		_, err := pipeline.Do(context.Background(), p, fail)
		fmt.Println("  refused:", errors.Is(err, pipeline.ErrBreakerOpen))
	}
	// Output:
	// again retry scheduled because of failed
	// guard breaker changed from closed to open
	//   refused: false
	// guard refused because of breaker_open
	//   refused: true
}
