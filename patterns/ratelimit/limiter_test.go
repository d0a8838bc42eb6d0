package ratelimit

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

const (
	ms     = patterns.Instant(time.Millisecond)
	second = patterns.Instant(time.Second)
)

func perSecond(t Type, n int) Config {
	return Config{Type: t, LimitForPeriod: n, LimitRefreshPeriod: patterns.Duration(time.Second)}
}

// waits reserves one permit n times at once and returns how long each waits in ms,
// -1 for the refused.
func waits(l *Limiter, now patterns.Instant, n int, most time.Duration) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = -1
		if r, v := l.Reserve(now, 1, most); v.OK {
			list[i] = r.At.Sub(now).Milliseconds()
		}
	}
	return list
}

func sameWaits(t *testing.T, what string, got []int64, want ...int64) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if len(got) != len(want) || got[i] != want[i] {
			t.Errorf("%s: waits %v ms, want %v", what, got, want)
			return
		}
	}
}

// TestH18_CyclesToWaitAreRoundedUp: 3 permits per 10 s and 12 s of patience. Of 7
// that ask at once 3 go now, 3 in the next cycle, and the 7th is refused: it would
// be the 4th there.
func TestH18_CyclesToWaitAreRoundedUp(t *testing.T) {
	l := New(compile(t, Config{LimitForPeriod: 3, LimitRefreshPeriod: patterns.Duration(10 * time.Second),
		TimeoutDuration: patterns.Duration(12 * time.Second)}))
	sameWaits(t, "7 at once", waits(&l, 0, 7, l.MaxWait()), 0, 0, 0, 10_000, 10_000, 10_000, -1)
	if v := l.Try(0, 1); v.RetryAfter != 20*time.Second {
		t.Errorf("the 7th may come back after %s, want 20s", v.RetryAfter)
	}
}

// TestH19_OlderClockRefillsNothing: a permit is taken at 1 s, then callers ask with
// the clocks 0 and 1 s in turn. None of them passes, in any type.
func TestH19_OlderClockRefillsNothing(t *testing.T) {
	for _, c := range []Config{perSecond(TokenBucket, 1), perSecond(Cycle, 1), perSecond(Smooth, 1)} {
		l := New(compile(t, c))
		l.Try(second, 1)
		for _, now := range []patterns.Instant{0, second, -second, second, 0} {
			if v := l.Try(now, 1); v.OK || v.RetryAfter != time.Second {
				t.Errorf("%s: at %d %+v, want a refusal for 1s", c.Type, now, v)
			}
		}
	}
}

// TestTypesBySight asks for one permit after the other at 0.6 s, with none used
// before, at 4 a second: the waits are those of the picture in the package comment.
func TestTypesBySight(t *testing.T) {
	bucket := perSecond(TokenBucket, 4)
	bucket.Burst = 2
	slack := perSecond(Smooth, 4)
	slack.Slack = 2
	for _, row := range []struct {
		what string
		c    Config
		want []int64
	}{
		{"cycle", perSecond(Cycle, 4), []int64{0, 0, 0, 0, 400, 400, 400, 400, 1400, 1400}},
		{"token_bucket", perSecond(TokenBucket, 4), []int64{0, 0, 0, 0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000}},
		{"token_bucket, burst 2", bucket, []int64{0, 0, 250, 500, 750, 1000}},
		{"smooth", perSecond(Smooth, 4), []int64{0, 150, 400, 650, 900}},
		{"smooth, slack 2", slack, []int64{0, 0, 0, 150, 400, 650, 900}},
	} {
		l := New(compile(t, row.c))
		sameWaits(t, row.what, waits(&l, 600*ms, len(row.want), time.Minute), row.want...)
	}
}

// TestNothingDrifts: callers queue up for one permit after the other, three in 10 ns,
// and the number of those let in before each later instant is known, to the ns.
func TestNothingDrifts(t *testing.T) {
	for _, row := range []struct {
		c    Config
		when func(i int64) int64
	}{
		{Config{Type: TokenBucket, LimitForPeriod: 3, LimitRefreshPeriod: 10, Burst: 1}, func(i int64) int64 { return (i*10 + 2) / 3 }},
		{Config{Type: Cycle, LimitForPeriod: 3, LimitRefreshPeriod: 10}, func(i int64) int64 { return i / 3 * 10 }},
		{Config{Type: Smooth, LimitForPeriod: 3, LimitRefreshPeriod: 10}, func(i int64) int64 { return (i*10 + 2) / 3 }},
	} {
		l := New(compile(t, row.c))
		for i := range int64(300_000) {
			if r, v := l.Reserve(0, 1, time.Hour); !v.OK || int64(r.At) != row.when(i) {
				t.Fatalf("%s: permit %d at %d, want %d", row.c.Type, i, r.At, row.when(i))
			}
		}
	}
}

// TestCancelOfTheLastUndoesIt: reservations that are cancelled from the newest to
// the oldest leave the limiter as it was before the first of them.
func TestCancelOfTheLastUndoesIt(t *testing.T) {
	for k := range byte(240) {
		c := configOf(k, k/5, k/7)
		l := New(compile(t, c))
		r := rand.New(rand.NewPCG(uint64(k), 1))
		for range 20 {
			l.Reserve(patterns.Instant(r.IntN(200)), 1+r.IntN(3), 100)
		}
		now := l.seen
		before := l.account
		l.Try(now, 0) // settle the clock
		var list []Reservation
		for range 10 {
			if r, v := l.Reserve(now, 1+r.IntN(5), 1000); v.OK {
				list = append(list, r)
			}
		}
		for i := len(list) - 1; i >= 0; i-- {
			want := list[i].Permits()
			if got := l.Cancel(now, &list[i]); got != want {
				t.Fatalf("%+v: %d of %d came back", c, got, want)
			}
		}
		undone := New(l.settings)
		undone.account, undone.seen = before, now
		for after := range patterns.Instant(100) {
			if a, b := l.Snapshot(now+after), undone.Snapshot(now+after); a.Permits != b.Permits || a.Free != b.Free {
				t.Fatalf("%+v: %d ns later %d permits, next at %d; want %d, %d", c, after, a.Permits, a.Free, b.Permits, b.Free)
			}
		}
	}
}

// TestCancelKeepsWhatLaterOnesReserved walks through the rule: a bucket of five at
// one a second is emptied, then 5, 2 and 1 are reserved. Cancelling the five brings
// back all but the three that came later. Next, each rule once for a cycle.
func TestCancelKeepsWhatLaterOnesReserved(t *testing.T) {
	c := perSecond(TokenBucket, 1)
	c.Burst = 5
	l := New(compile(t, c))
	l.Try(0, 5)
	first, _ := l.Reserve(0, 5, time.Minute)
	l.Reserve(0, 2, time.Minute)
	last, _ := l.Reserve(0, 1, time.Minute)
	if first.At != 5*second || last.At != 8*second {
		t.Fatalf("reserved for %d and %d", first.At, last.At)
	}
	if got := l.Cancel(0, &first); got != 2 {
		t.Errorf("%d came back, want 5 - 3", got)
	}
	if got := l.Cancel(0, &first); got != 0 {
		t.Errorf("cancelled twice: %d more came back", got)
	}
	if got := l.Cancel(9*second, &last); got != 0 {
		t.Errorf("%d of a permit that had been there came back", got)
	}

	cycle := New(compile(t, perSecond(Cycle, 4)))
	cycle.Try(0, 4)
	a, _ := cycle.Reserve(0, 2, time.Minute)
	b, _ := cycle.Reserve(0, 1, time.Minute)
	if got := cycle.Cancel(0, &a); got != 2 || b.At != second {
		t.Errorf("%d came back of one cycle, want 2", got)
	}
	d, _ := cycle.Reserve(0, 1, time.Minute)
	cycle.Reserve(0, 4, time.Minute)
	if got := cycle.Cancel(0, &d); got != 0 {
		t.Errorf("%d came back although the next cycle is promised, want 0", got)
	}
}

// TestCancelOfOneThatWasUndoneDoesNothing: a copy of a reservation whose permits
// have come back is behind the account, and is noticed.
func TestCancelOfOneThatWasUndoneDoesNothing(t *testing.T) {
	l := New(compile(t, perSecond(Cycle, 4)))
	r, _ := l.Reserve(0, 1, 0)
	again := r
	if l.Cancel(0, &r) != 1 || l.Cancel(0, &again) != 0 || l.Snapshot(0).Permits != 4 {
		t.Errorf("%d permits, want 4", l.Snapshot(0).Permits)
	}
	var none Reservation
	if l.Cancel(0, &none) != 0 {
		t.Error("the zero reservation brought something")
	}
}

// TestDrainLeavesReservationsAlone: after an answer that says the limit is reached
// nothing is there until the next permit comes; who waits still comes in time.
func TestDrainLeavesReservationsAlone(t *testing.T) {
	for _, row := range []struct {
		c    Config
		got  int64
		free patterns.Instant
	}{
		{perSecond(TokenBucket, 4), 4, 350 * ms}, {perSecond(Cycle, 4), 4, second}, {perSecond(Smooth, 4), 1, 250 * ms},
	} {
		l := New(compile(t, row.c))
		if got := l.Drain(100 * ms); got != row.got {
			t.Errorf("%s: %d drained, want %d", row.c.Type, got, row.got)
		}
		if got := l.NextFree(100*ms, 1); got != row.free {
			t.Errorf("%s: free at %d, want %d", row.c.Type, got, row.free)
		}
		l.Reserve(100*ms, 1, time.Minute)
		l.Reserve(100*ms, 1, time.Minute)
		before := l.Snapshot(100 * ms)
		if got := l.Drain(100 * ms); got != 0 {
			t.Errorf("%s: %d drained of what is reserved", row.c.Type, got)
		}
		if after := l.Snapshot(100 * ms); after != before {
			t.Errorf("%s: %+v, was %+v", row.c.Type, after, before)
		}
	}
}

// TestNothingIsAskedForAndGiven: no permits are had at once, and cost nothing.
func TestNothingIsAskedForAndGiven(t *testing.T) {
	l := New(compile(t, perSecond(Smooth, 1)))
	l.Try(0, 1)
	r, v := l.Reserve(5, -3, 0)
	if !v.OK || r.At != 5 || r.Permits() != 0 || l.NextFree(5, 0) != 5 || l.Snapshot(5).Permits != 0 {
		t.Errorf("%+v at %d", v, r.At)
	}
}

// TestSnapshotTellsOfAll: one call of each kind.
func TestSnapshotTellsOfAll(t *testing.T) {
	l := New(compile(t, perSecond(Cycle, 2)))
	l.Try(0, 1)
	r, _ := l.Reserve(0, 2, time.Second)
	l.Try(0, 1)
	want := Snapshot{Permits: -1, Free: second, Granted: 2, Waited: 1, Rejected: 1}
	if got := l.Snapshot(0); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	l.Cancel(0, &r)
	l.Drain(0)
	want = Snapshot{Free: second, Granted: 2, Waited: 1, Rejected: 1, Cancelled: 1, Restored: 2, Drained: 1}
	if got := l.Snapshot(0); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
