package ratelimit

import (
	"math"
	"math/bits"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// account is all that one limiter remembers, whatever its type: where the next
// permit is. The zero account is that of a limiter that nobody has asked.
//
// For a bucket the mark is the instant at which it is full again, whole + part/den
// ns. For a grid it is the next permit: cell whole, and part permits of it are sold.
type account struct {
	whole, part int64
	// issued counts the permits that were reserved. It wraps around.
	issued int64
	// last is the latest instant for which somebody has a permit.
	last patterns.Instant
}

// offer is what an account would become, and when the permits would be there.
type offer struct {
	whole, part int64
	at          patterns.Instant
	// returns is how many permits may come back while others have permits for the
	// same instant, but none for a later one.
	returns int64
}

// ask works out what n permits would cost now. It is false if they can never be
// had together, or not before the end of time. n is at least 1.
func (s *Settings) ask(a *account, now patterns.Instant, n int64) (offer, bool) {
	if s.bucket {
		return s.askBucket(a, now, n)
	}
	return s.askGrid(a, now, n)
}

// accept makes the offer the account's state.
func (a *account) accept(o offer, n int64) {
	a.whole, a.part = o.whole, o.part
	a.issued += n
	a.last = max(a.last, o.at)
}

// available returns the whole permits that there are now; below 0: as many are
// reserved beyond those there are.
func (s *Settings) available(a *account, now patterns.Instant) int64 {
	if s.bucket {
		return s.tokens(a, now)
	}
	return s.unsold(a, now)
}

// empty returns the account of a limiter with no permit left at the instant.
func (s *Settings) empty(at patterns.Instant) account {
	if s.bucket {
		whole := int64(at)
		if whole > math.MaxInt64-s.fill {
			return account{whole: math.MaxInt64}
		}
		return account{whole: whole + s.fill, part: s.fillPart}
	}
	return account{whole: s.cell(at) + 1}
}

// drain takes what there is and returns the whole permits among it.
func (s *Settings) drain(a *account, now patterns.Instant) int64 {
	n := s.available(a, now)
	if n < 0 || n == 0 && !s.bucket {
		return 0
	}
	e := s.empty(now)
	a.whole, a.part = e.whole, e.part
	a.issued += n
	a.last = max(a.last, now)
	return n
}

// restore moves the mark back by n permits.
func (s *Settings) restore(a *account, n int64) {
	if s.bucket {
		s.refund(a, n)
		return
	}
	s.unsell(a, n)
}

// idle returns the instant from which on the account is as good as the zero one.
func (s *Settings) idle(a *account) patterns.Instant {
	if a.whole == 0 && a.part == 0 {
		return 0
	}
	if s.bucket {
		return roundUp(a.whole, a.part)
	}
	cell := a.whole
	if a.part > 0 {
		cell++
	}
	if cell > math.MaxInt64-s.slack {
		return patterns.Never
	}
	return s.start(cell + s.slack)
}

// retryAfter returns the time after which n permits could be had within maxWait,
// if nobody asks in between; below 0: never. at is when they could be had now.
func (s *Settings) retryAfter(a *account, now, at patterns.Instant, n int64, maxWait time.Duration) time.Duration {
	then := at - patterns.Instant(maxWait)
	if s.bucket || n == 1 {
		return then.Sub(now)
	}
	if s.hopeless(n, maxWait) {
		return never
	}
	// More permits than a cell holds move on with the clock, at most once more.
	o, ok := s.ask(a, then, n)
	if !ok {
		return never
	}
	return max(then, o.at-patterns.Instant(maxWait)).Sub(now)
}

const never time.Duration = -1

// scale returns x num/den, rounded down, and what remains of the division. It is
// false if the result is too large. x is at least 0, num and den are above 0.
func scale(x, num, den int64) (whole, rest int64, ok bool) {
	high, low := bits.Mul64(uint64(x), uint64(num))
	if high >= uint64(den) {
		return 0, 0, false
	}
	q, r := bits.Div64(high, low, uint64(den))
	return int64(q), int64(r), q <= math.MaxInt64
}

// roundUp returns the first whole instant that is not before whole + part/den,
// for part below den.
func roundUp(whole, part int64) patterns.Instant {
	if part > 0 && whole < math.MaxInt64 {
		whole++
	}
	return patterns.Instant(whole)
}
