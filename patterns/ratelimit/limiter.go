package ratelimit

import (
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// Limiter hands out permits at a bounded rate. It is a plain value without memory
// of its own, and not safe for concurrent use: a driver with goroutines holds a
// lock around each method.
type Limiter struct {
	settings *Settings
	account  account
	seen     patterns.Instant
	era      uint32 // changes of the settings so far
	counts   counts
}

// counts are the calls that have asked, by answer, and permits that went otherwise.
type counts struct {
	granted, waited, rejected, cancelled, restored, drained int64
}

// Verdict is the answer to a call that asks for permits.
type Verdict struct {
	OK bool
	// Reason says who refused it; None if OK.
	Reason patterns.Reason
	// RetryAfter is how long it takes at least until the same question would be
	// answered with yes, if nobody else asks in between. Below 0: never.
	RetryAfter time.Duration
}

// refusal is the reason of every refusal.
const refusal = patterns.RateLimited

// Reservation is n permits that are there from the instant At on. The zero value
// reserves nothing. A copy is the same reservation: cancel only one of them.
type Reservation struct {
	// At is when the call may go on. It is not before the instant of asking.
	At      patterns.Instant
	permits int64
	mark    int64            // the account's issued, this reservation included
	before  patterns.Instant // the account's last before it
	returns int64
	era     uint32
	shared  bool // of the overflow limiter of a Keyed
}

// Permits returns how many permits are reserved.
func (r Reservation) Permits() int64 { return r.permits }

// New returns a limiter that nobody has asked yet.
func New(s *Settings) Limiter { return Limiter{settings: s} }

// MaxWait returns timeoutDuration, which callers give to Reserve.
func (l *Limiter) MaxWait() time.Duration { return l.settings.maxWait }

// Try takes n permits if they are there now. If not, nothing changes. n below 1
// asks for nothing and gets it; n above the burst of a bucket, or 2^31 - 1, never
// gets it. O(1).
func (l *Limiter) Try(now patterns.Instant, n int) Verdict {
	v := l.settings.try(&l.account, l.clock(now), int64(n))
	l.counts.noteTry(v)
	return v
}

// Reserve takes n permits that are there within maxWait, and tells when: until
// then the call waits. If there are none in that time it is refused at once and
// nothing changes. O(1).
func (l *Limiter) Reserve(now patterns.Instant, n int, maxWait time.Duration) (Reservation, Verdict) {
	now = l.clock(now)
	r, v := l.settings.reserve(&l.account, now, int64(n), maxWait)
	r.era = l.era
	l.counts.note(now, r, v)
	return r, v
}

// try is reserve without waiting. Most calls ask no more, and there is no
// reservation to be copied.
func (s *Settings) try(a *account, now patterns.Instant, n int64) Verdict {
	if n < 1 {
		return Verdict{OK: true}
	}
	o, ok := s.ask(a, now, n)
	switch {
	case !ok:
		return Verdict{Reason: refusal, RetryAfter: never}
	case o.at > now:
		return Verdict{Reason: refusal, RetryAfter: s.retryAfter(a, now, o.at, n, 0)}
	}
	a.accept(o, n)
	return Verdict{OK: true}
}

// reserve is what limiters with and without keys do.
func (s *Settings) reserve(a *account, now patterns.Instant, n int64, maxWait time.Duration) (Reservation, Verdict) {
	if n < 1 {
		return Reservation{At: now}, Verdict{OK: true}
	}
	o, ok := s.ask(a, now, n)
	if !ok {
		return Reservation{}, Verdict{Reason: refusal, RetryAfter: never}
	}
	maxWait = max(maxWait, 0)
	if o.at.Sub(now) > maxWait {
		return Reservation{}, Verdict{Reason: refusal, RetryAfter: s.retryAfter(a, now, o.at, n, maxWait)}
	}
	r := Reservation{At: o.at, permits: n, before: a.last, returns: o.returns}
	a.accept(o, n)
	r.mark = a.issued
	return r, Verdict{OK: true}
}

// Cancel gives back what a waiting call has reserved, and returns how many permits
// that brings: all of them but those that would let new calls collide with the
// ones which reserved later and keep their instants. If nobody did, all. If none
// of those has a later instant, all that belong to this instant. Otherwise a
// bucket gives back what is above the number that was reserved later, and the
// other types nothing. After At, and after a Change, nothing comes back either:
// the permits count as used.
//
// The reservation is void afterwards: a second Cancel does nothing.
func (l *Limiter) Cancel(now patterns.Instant, r *Reservation) int64 {
	n := int64(0)
	if r.era == l.era {
		n = l.settings.cancel(&l.account, l.clock(now), *r)
	}
	l.counts.noteCancelled(r, n)
	*r = Reservation{}
	return n
}

func (s *Settings) cancel(a *account, now patterns.Instant, r Reservation) int64 {
	later := a.issued - r.mark
	if r.permits == 0 || r.At < now || later < 0 {
		return 0
	}
	n := int64(0)
	switch {
	case later == 0:
		n = r.permits
		a.issued -= n
		a.last = r.before
	case a.last <= r.At:
		n = r.returns
	case s.bucket:
		n = max(r.permits-later, 0)
	}
	s.restore(a, n)
	return n
}

// Drain takes all permits that are there now, as when an answer says that the
// limit is reached, and returns how many. What is reserved stays so.
func (l *Limiter) Drain(now patterns.Instant) int64 {
	n := l.settings.drain(&l.account, l.clock(now))
	l.counts.drained += n
	return n
}

// NextFree returns when n permits will be there if nobody else asks: now at the
// earliest, Never if they never will. It changes nothing.
func (l *Limiter) NextFree(now patterns.Instant, n int) patterns.Instant {
	return l.settings.nextFree(&l.account, l.clock(now), int64(n))
}

func (s *Settings) nextFree(a *account, now patterns.Instant, n int64) patterns.Instant {
	if n < 1 {
		return now
	}
	if o, ok := s.ask(a, now, n); ok {
		return o.at
	}
	return patterns.Never
}

// Change replaces the settings, also those of another type. Whoever waits keeps
// their instant, and no new call is let in before the last of them. If nobody
// waits, the permits that are there stay, as far as the new settings have room for
// them; a bucket that becomes a bucket keeps the part of the next one as well. What
// was full is full again.
func (l *Limiter) Change(now patterns.Instant, s *Settings) {
	l.account = s.takeOver(l.settings, l.account, l.clock(now))
	l.settings = s
	l.era++
}

func (s *Settings) takeOver(old *Settings, a account, now patterns.Instant) account {
	var b account
	switch n := old.available(&a, now); {
	case old.idle(&a) <= now: // it was full and stays so, like one that nobody asked
	case a.last > now:
		b = s.empty(a.last)
	case s.bucket && old.bucket:
		b = s.rebucket(old, &a, now)
	default:
		// As nobody waits, n is not below 0.
		b = s.empty(now)
		s.restore(&b, min(n, s.available(&account{}, now)))
	}
	b.issued, b.last = a.issued, a.last
	return b
}

// Snapshot is what a limiter shows.
type Snapshot struct {
	// Permits that are there now; below 0: so many are reserved ahead.
	Permits int64
	// Free is when the next permit is there.
	Free patterns.Instant
	// Granted and Rejected calls; Waited of the granted had to wait, Cancelled of
	// them gave up.
	Granted, Waited, Rejected, Cancelled int64
	// Restored and Drained are permits.
	Restored, Drained int64
}

// Snapshot returns the state at the given instant.
func (l *Limiter) Snapshot(now patterns.Instant) Snapshot {
	now = l.clock(now)
	c := l.counts
	return Snapshot{
		Permits: l.settings.available(&l.account, now), Free: l.settings.nextFree(&l.account, now, 1),
		Granted: c.granted, Waited: c.waited, Rejected: c.rejected, Cancelled: c.cancelled,
		Restored: c.restored, Drained: c.drained,
	}
}

func (c *counts) note(now patterns.Instant, r Reservation, v Verdict) {
	switch {
	case !v.OK:
		c.rejected++
	case r.At > now:
		c.waited++
		c.granted++
	default:
		c.granted++
	}
}

func (c *counts) noteTry(v Verdict) {
	if v.OK {
		c.granted++
	} else {
		c.rejected++
	}
}

func (c *counts) noteCancelled(r *Reservation, restored int64) {
	if r.permits > 0 {
		c.cancelled++
	}
	c.restored += restored
}

// clock never goes back, nor does it reach Never.
func (l *Limiter) clock(now patterns.Instant) patterns.Instant {
	l.seen = max(l.seen, min(now, patterns.Never-1))
	return l.seen
}
