package ratelimit_test

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/ratelimit"
)

// Two calls a second are agreed, three may come together, and a call waits at most
// 600 ms for its turn.
func Example() {
	settings, err := ratelimit.Compile(ratelimit.Config{
		Type: ratelimit.TokenBucket, LimitForPeriod: 2, Burst: 3,
		LimitRefreshPeriod: patterns.Duration(time.Second),
		TimeoutDuration:    patterns.Duration(600 * time.Millisecond),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	l := ratelimit.New(settings)
	const now = patterns.Instant(0)
	for range 5 {
		if r, v := l.Reserve(now, 1, l.MaxWait()); v.OK {
			fmt.Println("go in", r.At.Sub(now))
		} else {
			fmt.Println("refused, ask again in", v.RetryAfter)
		}
	}
	// Output:
	// go in 0s
	// go in 0s
	// go in 0s
	// go in 500ms
	// refused, ask again in 400ms
}

// A caller that gives up before its turn lets the next one have it.
func ExampleLimiter_Cancel() {
	settings, err := ratelimit.Compile(ratelimit.Config{
		Type: ratelimit.Smooth, LimitForPeriod: 1, LimitRefreshPeriod: patterns.Duration(time.Second),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	l := ratelimit.New(settings)
	l.Try(0, 1)
	r, _ := l.Reserve(0, 1, time.Minute)
	fmt.Println(r.At.Sub(0), "next", l.NextFree(0, 1).Sub(0))
	fmt.Println(l.Cancel(0, &r), "back, next", l.NextFree(0, 1).Sub(0))
	// Output:
	// 1s next 2s
	// 1 back, next 1s
}

// Each client has a rate of its own, in the memory of two. The third client finds
// the place of one that has not called for a while.
func ExampleKeyed() {
	settings, err := ratelimit.CompileKeyed(ratelimit.KeyedConfig{
		Config: ratelimit.Config{
			Type: ratelimit.TokenBucket, LimitForPeriod: 1, LimitRefreshPeriod: patterns.Duration(time.Second),
		},
		MaxKeys: 2, Overflow: ratelimit.Refuse,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	k := ratelimit.NewKeyed[string](settings)
	for _, client := range []string{"ann", "bob", "ann", "cid"} {
		v := k.Try(0, client, 1)
		fmt.Println(client, v.OK, v.RetryAfter)
	}
	v := k.Try(patterns.Instant(time.Second), "cid", 1)
	fmt.Println("cid", v.OK, k.Snapshot().Evicted)
	// Output:
	// ann true 0s
	// bob true 0s
	// ann false 1s
	// cid false 1s
	// cid true 1
}
