package ratelimit

import (
	"math"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

func compileKeyed(t testing.TB, c KeyedConfig) *KeyedSettings {
	t.Helper()
	s, err := CompileKeyed(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// many has a limiter for each key, for ever.
type many struct {
	s        *Settings
	limiters map[byte]*Limiter
	overflow Limiter
}

func (m *many) of(key byte) *Limiter {
	if m.limiters[key] == nil {
		l := New(m.s)
		m.limiters[key] = &l
	}
	return m.limiters[key]
}

// busy counts the keys whose limiter is not full.
func (m *many) busy(now patterns.Instant) int {
	n := 0
	for _, l := range m.limiters {
		if m.s.idle(&l.account) > now {
			n++
		}
	}
	return n
}

// booked is what a key had reserved, in both worlds.
type booked struct {
	key       byte
	here, own Reservation
	crowded   bool
}

// FuzzEvictionChangesNothing plays calls of many keys on few places, and on limiters
// that are never evicted. Every answer is the same, but for calls that found no
// place: then as many keys as there are places were busy, no fewer. So an idle key
// is always found, and that it was evicted is never seen.
func FuzzEvictionChangesNothing(f *testing.F) {
	seeds(f, 90, 400)
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 4 {
			return
		}
		kc := KeyedConfig{Config: configOf(tape[0], tape[1], tape[2]), MaxKeys: 1 + int(tape[3]&7)}
		if tape[3] > 127 {
			kc.Overflow = Refuse
		}
		kc.TimeoutDuration = 50
		ks := compileKeyed(t, kc)
		p := play{t: t, k: NewKeyed[byte](ks), m: many{s: ks.each, limiters: map[byte]*Limiter{}, overflow: New(ks.each)}}
		p.places, p.shared = kc.MaxKeys, ks.shared
		for tape = tape[4:min(len(tape), 1200)]; len(tape) >= 2; tape = tape[2:] {
			p.step(tape[0], tape[1])
		}
	})
}

type play struct {
	t      *testing.T
	k      Keyed[byte]
	m      many
	places int
	shared bool
	now    patterns.Instant
	seen   patterns.Instant
	booked []booked
}

func (p *play) step(op, arg byte) {
	p.seen = p.k.clock(p.now) // they keep one clock; in step, so do the others
	key := arg % 16
	switch op & 7 {
	case 0, 1, 2, 3:
		p.reserve(key, 1+int(arg>>6), time.Duration(op>>4)*8)
	case 4:
		p.cancel(int(op >> 3))
	case 5:
		switch {
		case op == 5:
			p.change(arg)
		case op < 64 && p.hasRoom(key):
			if got, want := p.k.Drain(p.now, key), p.m.of(key).Drain(p.seen); got != want {
				p.t.Fatalf("drained %d of key %d, want %d", got, key, want)
			}
		}
		if got, want := p.k.NextFree(p.now, key, 2), p.m.of(key).NextFree(p.seen, 2); got != want {
			p.t.Fatalf("key %d: free at %d, want %d", key, got, want)
		}
	default:
		p.now += patterns.Instant(arg%32) - 3
	}
	if s := p.k.Snapshot(); s.Keys > p.places || len(p.k.places) != s.Keys {
		p.t.Fatalf("%d keys on %d places: %+v", len(p.k.places), p.places, s)
	}
}

// hasRoom: the key is busy, so that it must have a place, or a place can be found.
func (p *play) hasRoom(key byte) bool {
	return p.m.s.idle(&p.m.of(key).account) > p.seen || p.m.busy(p.seen) < p.places
}

func (p *play) reserve(key byte, n int, most time.Duration) {
	p.t.Helper()
	own := p.m.of(key)
	room, before, crowded := p.hasRoom(key), *own, p.k.Snapshot().Crowded
	ask := p.k.Reserve
	if most == 0 { // Try is Reserve without a wait, whose permits are not given back
		ask = func(now patterns.Instant, key byte, n int, _ time.Duration) (Reservation, Verdict) {
			v := p.k.Try(now, key, n)
			return Reservation{At: p.atOf(v)}, v
		}
	}
	r, v := ask(p.now, key, n, most)
	if p.k.Snapshot().Crowded == crowded {
		o, w := own.Reserve(p.seen, n, most)
		if v != w || r.At != o.At {
			p.t.Fatalf("key %d at %d: %+v at %d, want %+v at %d", key, p.seen, v, r.At, w, o.At)
		}
		p.book(booked{key: key, here: r, own: o})
		return
	}
	if room {
		p.t.Fatalf("key %d found no place while %d of %d are busy", key, p.m.busy(p.seen), p.places)
	}
	*own = before
	if p.shared {
		o, w := p.m.overflow.Reserve(p.seen, n, most)
		if v != w || r.At != o.At {
			p.t.Fatalf("key %d in the overflow: %+v, want %+v", key, v, w)
		}
		p.book(booked{key: key, here: r, own: o, crowded: true})
		return
	}
	if v.OK || v.RetryAfter <= 0 {
		p.t.Fatalf("no place, but %+v", v)
	}
	if p.m.busy(p.seen.Add(v.RetryAfter)) >= p.places || p.m.busy(p.seen.Add(v.RetryAfter-1)) < p.places {
		p.t.Fatalf("no place has come free after %d", v.RetryAfter)
	}
}

func (p *play) atOf(v Verdict) patterns.Instant {
	if v.OK {
		return p.seen
	}
	return 0
}

// book remembers what can be given back.
func (p *play) book(b booked) {
	if b.here.permits > 0 {
		p.booked = append(p.booked, b)
	}
}

func (p *play) cancel(i int) {
	p.t.Helper()
	if len(p.booked) == 0 {
		return
	}
	b := &p.booked[max(len(p.booked)-1-i, 0)]
	l := p.m.of(b.key)
	if b.crowded {
		l = &p.m.overflow
	}
	if got, want := p.k.Cancel(p.now, b.key, &b.here), l.Cancel(p.seen, &b.own); got != want {
		p.t.Fatalf("cancel of key %d brings %d, want %d", b.key, got, want)
	}
}

func (p *play) change(arg byte) {
	s := compile(p.t, configOf(arg, arg>>2, arg>>3))
	p.k.Change(p.now, s)
	for _, l := range p.m.limiters {
		l.Change(p.seen, s)
	}
	p.m.overflow.Change(p.seen, s)
	p.m.s = s
}

// TestKeysDoNotShare: what one key takes is not missing at another, and each key's
// counters add up in the snapshot.
func TestKeysDoNotShare(t *testing.T) {
	c := KeyedDefaults()
	c.LimitForPeriod, c.LimitRefreshPeriod = 2, patterns.Duration(time.Second)
	k := NewKeyed[string](compileKeyed(t, c))
	if k.MaxWait() != 5*time.Second {
		t.Errorf("waits at most %s, want 5s", k.MaxWait())
	}
	for _, key := range []string{"a", "b", "a", "b"} {
		if !k.Try(0, key, 1).OK {
			t.Errorf("%s was refused", key)
		}
	}
	if v := k.Try(0, "a", 1); v.OK || v.RetryAfter != time.Second {
		t.Errorf("a third call of a: %+v", v)
	}
	r, _ := k.Reserve(0, "b", 1, time.Second)
	if r.At != patterns.Instant(time.Second) || k.Cancel(0, "b", &r) != 1 {
		t.Errorf("b waits until %d, and could not give it back", r.At)
	}
	if got := k.Drain(0, "c"); got != 2 {
		t.Errorf("%d drained of a new key, want 2", got)
	}
	want := KeyedSnapshot{Keys: 3, Granted: 5, Waited: 1, Rejected: 1, Cancelled: 1, Restored: 1, Drained: 2}
	if got := k.Snapshot(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestKeyWithoutAPlaceIsServedByTheRule: two places, both busy. A third key shares
// the overflow limiter with the fourth, or is refused until the first is idle.
func TestKeyWithoutAPlaceIsServedByTheRule(t *testing.T) {
	c := KeyedConfig{Config: Config{LimitForPeriod: 1, LimitRefreshPeriod: 100}, MaxKeys: 2}
	k := NewKeyed[int](compileKeyed(t, c))
	for key, ok := range []bool{true, true, true, false} {
		if got := k.Try(10, key, 1).OK; got != ok {
			t.Errorf("shared: key %d passed: %v", key, got)
		}
	}
	if got := k.Drain(150, 2); got != 1 || k.Snapshot().Evicted != 1 {
		t.Errorf("key 2 drained %d, %+v: it has a place now", got, k.Snapshot())
	}
	c.Overflow = Refuse
	k = NewKeyed[int](compileKeyed(t, c))
	for key, want := range []Verdict{{OK: true}, {OK: true}, {Reason: refusal, RetryAfter: 90}} {
		if got := k.Try(10, key, 1); got != want {
			t.Errorf("refuse: key %d: %+v, want %+v", key, got, want)
		}
	}
	if k.Drain(10, 2) != 0 || k.Snapshot().Keys != 2 || k.Snapshot().Crowded != 1 {
		t.Errorf("a key without a place: %+v", k.Snapshot())
	}
	if !k.Try(100, 2, 1).OK || k.Snapshot().Evicted != 1 {
		t.Errorf("key 2 has not got the place of an idle key: %+v", k.Snapshot())
	}
}

// TestOverflowIsDrainedForThoseInIt: a key in the crowd drains what they share.
func TestOverflowIsDrainedForThoseInIt(t *testing.T) {
	k := NewKeyed[int](compileKeyed(t, KeyedConfig{Config: Config{LimitForPeriod: 3, LimitRefreshPeriod: 100}, MaxKeys: 1}))
	k.Try(0, 1, 1)
	if got := k.Drain(0, 2); got != 3 || k.Try(0, 3, 1).OK {
		t.Errorf("%d drained, and another still passes", got)
	}
}

// TestRefusedKeyTakesNoPlace: a call that can never pass, and one that asks for
// nothing, leave no key behind.
func TestRefusedKeyTakesNoPlace(t *testing.T) {
	k := NewKeyed[int](compileKeyed(t, KeyedConfig{
		Config: Config{Type: TokenBucket, LimitForPeriod: 1, LimitRefreshPeriod: 100}, MaxKeys: 1,
	}))
	if k.Try(0, 1, 2).OK || !k.Try(0, 2, 0).OK || k.Snapshot().Keys != 0 {
		t.Errorf("%+v, want no key", k.Snapshot())
	}
}

// TestKeyThatIsNotItselfTakesNoPlace: a NaN is found in no map, not even to delete
// it. It is served by the overflow rule, and the map does not grow.
func TestKeyThatIsNotItselfTakesNoPlace(t *testing.T) {
	k := NewKeyed[float64](compileKeyed(t, KeyedConfig{Config: Config{LimitForPeriod: 2, LimitRefreshPeriod: 100}, MaxKeys: 1}))
	passed := 0
	for range 5 {
		if k.Try(0, math.NaN(), 1).OK {
			passed++
		}
	}
	if passed != 2 || len(k.places) != 0 || k.Drain(100, math.NaN()) != 2 {
		t.Errorf("%d passed, %d keys", passed, len(k.places))
	}
}

// TestSameCallsSameEvictions runs the same calls of a thousand keys on a hundred
// places three times: the order in which a map is walked does not show.
func TestSameCallsSameEvictions(t *testing.T) {
	c := KeyedConfig{Config: Config{Type: TokenBucket, LimitForPeriod: 3, LimitRefreshPeriod: 700}, MaxKeys: 100}
	var first []int
	for run := range 3 {
		k, now := NewKeyed[int](compileKeyed(t, c)), patterns.Instant(0)
		var keys []int
		for i := range 20_000 {
			now += patterns.Instant(i % 5)
			k.Try(now, i*i%1009, 1+i%3)
		}
		for _, e := range k.entries {
			keys = append(keys, e.key)
		}
		if run == 0 {
			first = keys
		}
		for i := range keys {
			if keys[i] != first[i] {
				t.Fatalf("run %d: place %d belongs to %d, was %d", run, i, keys[i], first[i])
			}
		}
		if k.Snapshot().Evicted == 0 || k.Snapshot().Crowded == 0 {
			t.Fatalf("%+v: the run did not go as meant", k.Snapshot())
		}
	}
}
