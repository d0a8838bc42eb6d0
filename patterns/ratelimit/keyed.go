package ratelimit

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Keyed has a limiter for each key (a client, a tenant, a target), in bounded
// memory. A key is given a place when its first call is admitted, and keeps it
// until another key needs one and this one is idle: its limiter is full again, so
// that a new one would answer everything in the same way. It is not safe for
// concurrent use. A copy shares its memory with the original: keep one.
type Keyed[K comparable] struct {
	settings *KeyedSettings
	each     *Settings
	places   map[K]int32
	entries  []entry[K]
	queue    dues
	overflow account
	seen     patterns.Instant
	era      uint32
	counts   counts
	evicted  int64
	crowded  int64
}

type entry[K comparable] struct {
	key     K
	account account
}

// NewKeyed returns a limiter that knows no key. Its memory grows with the keys.
func NewKeyed[K comparable](s *KeyedSettings) Keyed[K] {
	return Keyed[K]{settings: s, each: s.each, places: make(map[K]int32)}
}

// MaxWait returns timeoutDuration, which callers give to Reserve.
func (k *Keyed[K]) MaxWait() time.Duration { return k.each.maxWait }

// Try is Limiter.Try for one key.
func (k *Keyed[K]) Try(now patterns.Instant, key K, n int) Verdict {
	now = k.clock(now)
	if i, ok := k.places[key]; ok {
		v := k.each.try(&k.entries[i].account, now, int64(n))
		k.counts.noteTry(v)
		return v
	}
	_, v := k.Reserve(now, key, n, 0)
	return v
}

// Reserve is Limiter.Reserve for one key. It is O(1) for a key that has a place;
// a new key at the bound takes O(log keys) to find an idle one, amortised over the
// calls that were admitted. A key that has no place and gets none is served by the
// overflow rule; if it is refused for that alone, RetryAfter tells when the first
// place comes free.
func (k *Keyed[K]) Reserve(now patterns.Instant, key K, n int, maxWait time.Duration) (Reservation, Verdict) {
	now = k.clock(now)
	r, v := k.reserve(now, key, int64(n), maxWait)
	r.era = k.era
	k.counts.note(now, r, v)
	return r, v
}

func (k *Keyed[K]) reserve(now patterns.Instant, key K, n int64, maxWait time.Duration) (Reservation, Verdict) {
	if i, ok := k.places[key]; ok {
		return k.each.reserve(&k.entries[i].account, now, n, maxWait)
	}
	var fresh account
	r, v := k.each.reserve(&fresh, now, n, maxWait)
	if !v.OK || n < 1 {
		return r, v // what changes nothing needs no place
	}
	i, wait := k.place(now, key)
	switch {
	case i >= 0:
		k.entries[i].account = fresh
		k.queue.set(i, k.each.idle(&fresh))
		return r, v
	case k.settings.shared:
		k.crowded++
		r, v = k.each.reserve(&k.overflow, now, n, maxWait)
		r.shared = true
		return r, v
	}
	k.crowded++
	return Reservation{}, Verdict{Reason: refusal, RetryAfter: wait}
}

// Cancel is Limiter.Cancel for one key: the one that was reserved for.
func (k *Keyed[K]) Cancel(now patterns.Instant, key K, r *Reservation) int64 {
	now = k.clock(now)
	n := int64(0)
	switch i, ok := k.places[key]; {
	case r.era != k.era:
	case r.shared:
		n = k.each.cancel(&k.overflow, now, *r)
	case ok:
		a := &k.entries[i].account
		if n = k.each.cancel(a, now, *r); n > 0 {
			k.queue.earlier(i, k.each.idle(a))
		}
	}
	k.counts.noteCancelled(r, n)
	*r = Reservation{}
	return n
}

// Drain is Limiter.Drain for one key. A key without a place is given one if there
// is one; if not, what the overflow limiter has is taken, unless the rule is refuse.
func (k *Keyed[K]) Drain(now patterns.Instant, key K) int64 {
	now = k.clock(now)
	i, ok := k.places[key]
	if !ok {
		i, _ = k.place(now, key)
	}
	n := int64(0)
	switch {
	case i >= 0:
		a := &k.entries[i].account
		n = k.each.drain(a, now)
		if !ok {
			k.queue.set(i, k.each.idle(a))
		}
	case k.settings.shared:
		n = k.each.drain(&k.overflow, now)
	}
	k.counts.drained += n
	return n
}

// NextFree is Limiter.NextFree for one key. It changes nothing, and does not tell
// whether a key without a place would get one.
func (k *Keyed[K]) NextFree(now patterns.Instant, key K, n int) patterns.Instant {
	var a account
	if i, ok := k.places[key]; ok {
		a = k.entries[i].account
	}
	return k.each.nextFree(&a, k.clock(now), int64(n))
}

// Change is Limiter.Change for every key at once. O(keys). The bound on the number
// of keys and the overflow rule stay.
func (k *Keyed[K]) Change(now patterns.Instant, s *Settings) {
	now = k.clock(now)
	for i := range k.entries {
		a := &k.entries[i].account
		*a = s.takeOver(k.each, *a, now)
	}
	k.overflow = s.takeOver(k.each, k.overflow, now)
	k.each = s
	k.era++
	for i := range k.entries {
		k.queue.set(int32(i), s.idle(&k.entries[i].account))
	}
}

// KeyedSnapshot is what a limiter with keys shows.
type KeyedSnapshot struct {
	// Keys that have a place.
	Keys int
	// Evicted places; Crowded calls found none.
	Evicted, Crowded int64
	// Granted, Waited, Rejected and Cancelled calls, Restored and Drained permits of
	// all keys, as in Snapshot.
	Granted, Waited, Rejected, Cancelled, Restored, Drained int64
}

// Snapshot returns all counters.
func (k *Keyed[K]) Snapshot() KeyedSnapshot {
	c := k.counts
	return KeyedSnapshot{
		Keys: len(k.entries), Evicted: k.evicted, Crowded: k.crowded,
		Granted: c.granted, Waited: c.waited, Rejected: c.rejected, Cancelled: c.cancelled,
		Restored: c.restored, Drained: c.drained,
	}
}

// place gives a new key the place of its own that it needs, with an account that
// nobody has asked. If there is none it returns -1 and the time until there is.
func (k *Keyed[K]) place(now patterns.Instant, key K) (int32, time.Duration) {
	if !same(key, key) {
		return -1, never // a NaN could never be found again
	}
	if len(k.entries) < k.settings.maxKeys {
		i := int32(len(k.entries))
		k.entries = append(k.entries, entry[K]{key: key})
		k.queue.add(i)
		k.places[key] = i
		return i, 0
	}
	for {
		i, due := k.queue.first()
		if idle := k.each.idle(&k.entries[i].account); idle > due {
			k.queue.set(i, idle)
			continue
		}
		if due > now {
			return -1, due.Sub(now)
		}
		delete(k.places, k.entries[i].key)
		k.evicted++
		k.entries[i] = entry[K]{key: key}
		k.places[key] = i
		return i, 0
	}
}

func same[K comparable](a, b K) bool { return a == b }

func (k *Keyed[K]) clock(now patterns.Instant) patterns.Instant {
	k.seen = max(k.seen, min(now, patterns.Never-1))
	return k.seen
}
