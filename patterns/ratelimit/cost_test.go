package ratelimit

import (
	"testing"
	"time"
	"unsafe"

	"github.com/resilsim/resilsim/patterns"
)

func kinds() map[string]Config {
	return map[string]Config{
		"cycle": perSecond(Cycle, 100), "token_bucket": perSecond(TokenBucket, 100), "smooth": perSecond(Smooth, 100),
	}
}

// TestLimitersDoNotAllocate: granted, waiting, refused and cancelled calls.
func TestLimitersDoNotAllocate(t *testing.T) {
	for name, c := range kinds() {
		l := New(compile(t, c))
		now := patterns.Instant(0)
		if n := testing.AllocsPerRun(1000, func() {
			now += 3 * ms
			l.Try(now, 1)
			r, _ := l.Reserve(now, 2, time.Second)
			l.Cancel(now, &r)
			l.Drain(now)
			l.Snapshot(now)
		}); n != 0 {
			t.Errorf("%s: %v allocations, want 0", name, n)
		}
	}
}

// TestKnownKeysDoNotAllocate: a thousand keys in turn. Nor do new keys that take the
// places of idle ones, once the map has its size.
func TestKnownKeysDoNotAllocate(t *testing.T) {
	k := NewKeyed[int](compileKeyed(t, KeyedConfig{Config: perSecond(TokenBucket, 100), MaxKeys: 1000}))
	now, key := patterns.Instant(0), 0
	call := func() {
		now += ms
		key++
		r, _ := k.Reserve(now, key%1000, 1, time.Second)
		k.Cancel(now, key%1000, &r)
		k.Try(now, key%1000, 1)
	}
	for range 2000 {
		call()
	}
	if n := testing.AllocsPerRun(5000, call); n != 0 {
		t.Errorf("%v allocations for a known key, want 0", n)
	}
}

// TestSizesAreSmall holds the sizes that a table of a million keys counts on.
func TestSizesAreSmall(t *testing.T) {
	if got := unsafe.Sizeof(account{}); got > 32 {
		t.Errorf("a key takes %d B beside itself, want at most 32", got)
	}
	if got := unsafe.Sizeof(Limiter{}); got > 104 {
		t.Errorf("a limiter takes %d B, want at most 104", got)
	}
}

func BenchmarkTry(b *testing.B) {
	for name, c := range kinds() {
		s := compile(b, c)
		b.Run(name+"/granted", func(b *testing.B) {
			b.ReportAllocs()
			l := New(s)
			for i := range b.N {
				l.Try(patterns.Instant(i)*10*ms, 1)
			}
		})
		b.Run(name+"/refused", func(b *testing.B) {
			b.ReportAllocs()
			l := New(s)
			l.Drain(0)
			for range b.N {
				l.Try(0, 1)
			}
		})
	}
}

func BenchmarkReserveCancel(b *testing.B) {
	for name, c := range kinds() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			l := New(compile(b, c))
			l.Drain(0)
			for range b.N {
				r, _ := l.Reserve(0, 1, time.Minute)
				l.Cancel(0, &r)
			}
		})
	}
}

func BenchmarkKeyed(b *testing.B) {
	s := compileKeyed(b, KeyedConfig{Config: perSecond(TokenBucket, 100), MaxKeys: 10_000})
	b.Run("known", func(b *testing.B) {
		b.ReportAllocs()
		k := NewKeyed[uint64](s)
		for i := range b.N {
			k.Try(patterns.Instant(i)*ms/1000, uint64(i%10_000), 1)
		}
	})
	b.Run("new-evicts", func(b *testing.B) {
		b.ReportAllocs()
		k := NewKeyed[uint64](s)
		for i := range b.N {
			k.Try(patterns.Instant(i)*ms, uint64(i), 1)
		}
	})
	b.Run("new-crowded", func(b *testing.B) {
		b.ReportAllocs()
		k := NewKeyed[uint64](s)
		for i := range b.N {
			k.Try(0, uint64(i), 1)
		}
	})
}
