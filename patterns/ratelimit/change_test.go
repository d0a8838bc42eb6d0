package ratelimit

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// TestChangeLetsNobodyOvertake: 400 random limiters with waiting calls get
// other settings, often of another type. Every call that asks afterwards comes after
// the last that waits; if none waits there are no more permits than before, unless
// the limiter was full, and as many if there is room. Then it obeys the new law.
func TestChangeLetsNobodyOvertake(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	kept, waited, full := 0, 0, 0
	for range 400 {
		old := compile(t, configOf(byte(r.Int()), byte(r.Int()), byte(r.Int())))
		nc := configOf(byte(r.Int()), byte(r.Int()), byte(r.Int()))
		l := New(old)
		now, last := patterns.Instant(r.IntN(300)), patterns.Instant(0)
		for range r.IntN(9) {
			now += patterns.Instant(r.IntN(20))
			if b, v := l.Reserve(now, 1+r.IntN(3), time.Duration(r.IntN(60))); v.OK {
				last = max(last, b.At)
			}
		}
		now += patterns.Instant(r.IntN(40))
		before, was := l.Snapshot(now).Permits, old.idle(&l.account) <= now
		l.Change(now, compile(t, nc))
		after, room := l.Snapshot(now).Permits, New(l.settings).settings.available(&account{}, now)
		switch {
		case was:
			full++
			if after != room {
				t.Fatalf("a full limiter has %d permits of %d", after, room)
			}
		case last > now:
			waited++
			if free := l.NextFree(now, 1); free <= last {
				t.Fatalf("%+v: free at %d, while a call waits until %d", nc, free, last)
			}
		default:
			kept++
			if after != min(before, room) {
				t.Fatalf("%+v: %d permits, had %d and room for %d", nc, after, before, room)
			}
		}
		w := twin{c: nc}
		for range 15 {
			if b, v := l.Reserve(now, 1, 300); v.OK {
				w.history = append(w.history, event{n: 1, at: b.At})
			}
		}
		checkWindows(t, w)
	}
	if kept < 20 || waited < 20 || full < 20 {
		t.Errorf("%d kept, %d waited, %d full: the run did not go as meant", kept, waited, full)
	}
}

// TestRateThatChangesAllTheTimeIsStillARate sets a bucket to the rate that it has,
// every 10 ms, as an adaptive client does: the part of a permit that has come is not
// lost, so that in 100 s as many pass as without, one a second.
func TestRateThatChangesAllTheTimeIsStillARate(t *testing.T) {
	c := perSecond(TokenBucket, 1)
	same := compile(t, c)
	c.LimitForPeriod, c.LimitRefreshPeriod = 7, patterns.Duration(7*time.Second)
	c.Burst = 1
	other := compile(t, c)
	l, passed := New(same), 0
	for now := patterns.Instant(0); now < 100*second; now += 10 * ms {
		if l.Try(now, 1).OK {
			passed++
		}
		l.Change(now, []*Settings{other, same}[passed%2])
	}
	if passed != 100 {
		t.Errorf("%d passed, want 100", passed)
	}
}

// TestRateOfABucketChangesAtOnce: half a permit has come at one a second; at ten a
// second the other half takes 50 ms. A bucket that shrinks loses what it has no room
// for, one that grows is not filled.
func TestRateOfABucketChangesAtOnce(t *testing.T) {
	l := New(compile(t, perSecond(TokenBucket, 1)))
	l.Try(0, 1)
	fast := perSecond(TokenBucket, 10)
	l.Change(second/2, compile(t, fast))
	if got := l.NextFree(second/2, 1); got != second/2+50*ms {
		t.Errorf("free at %d, want 550 ms", got)
	}
	l.Change(second, compile(t, fast)) // 5 are there
	small := fast
	small.Burst = 2
	if l.Change(second, compile(t, small)); l.Snapshot(second).Permits != 2 {
		t.Errorf("%d permits, want 2", l.Snapshot(second).Permits)
	}
	l.Try(second, 1)
	if l.Change(second, compile(t, fast)); l.Snapshot(second).Permits != 1 {
		t.Errorf("%d permits, want 1", l.Snapshot(second).Permits)
	}
}

// TestReservationOfAnotherEraIsNotGivenBack: its instant was promised under other
// settings, and the new ones already count with it.
func TestReservationOfAnotherEraIsNotGivenBack(t *testing.T) {
	l := New(compile(t, perSecond(Cycle, 1)))
	l.Try(0, 1)
	r, _ := l.Reserve(0, 1, time.Second)
	l.Change(0, compile(t, perSecond(Cycle, 5)))
	if got := l.Cancel(0, &r); got != 0 || l.NextFree(0, 1) != 2*second {
		t.Errorf("%d came back, free at %d", got, l.NextFree(0, 1))
	}
}

// TestChangeAtTheEndOfTime: a bucket that would be full only after the last instant
// is changed and emptied there, and refuses instead of turning over.
func TestChangeAtTheEndOfTime(t *testing.T) {
	slow := compile(t, Config{Type: TokenBucket, LimitForPeriod: 1, LimitRefreshPeriod: patterns.Duration(periodMax), Burst: 100})
	end := patterns.Never - 1000
	for _, first := range []Config{perSecond(Cycle, 1), perSecond(TokenBucket, 5)} {
		first.LimitRefreshPeriod = 100
		l := New(compile(t, first))
		l.Try(end, 1)
		l.Change(end, slow)
		l.Drain(end)
		if v := l.Try(end, 100); v.OK || l.Try(patterns.Never, 1).OK {
			t.Errorf("%s: %+v", first.Type, v)
		}
	}
}
