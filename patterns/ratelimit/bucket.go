package ratelimit

import (
	"math"
	"math/bits"

	"github.com/resilsim/resilsim/patterns"
)

// askBucket: a permit lasts period/den ns of refilling. The mark moves on by n of
// them from where it is, or from now if the bucket is full; the permits are there
// when the bucket, from then on, is full at the mark.
func (s *Settings) askBucket(a *account, now patterns.Instant, n int64) (offer, bool) {
	if n > s.burst {
		return offer{}, false
	}
	cost, rest := s.oneWhole, s.onePart
	if n > 1 {
		cost, rest, _ = scale(n, s.period, s.den)
	}
	o := offer{whole: a.whole, part: a.part, returns: n}
	if o.whole < int64(now) {
		o.whole, o.part = int64(now), 0
	}
	if o.part += rest; o.part >= s.den {
		o.part -= s.den
		cost++
	}
	if o.whole > math.MaxInt64-cost {
		return offer{}, false
	}
	o.whole += cost
	// The parts' difference lies between -den and den, so this rounds up as well.
	o.at = max(now, roundUp(o.whole-s.fill, o.part-s.fillPart))
	return o, o.at < patterns.Never
}

// tokens: what is missing of a full bucket is the time up to the mark.
func (s *Settings) tokens(a *account, now patterns.Instant) int64 {
	if a.whole < int64(now) {
		return s.burst
	}
	whole, part := a.whole-int64(now), a.part
	missing, rest := s.permits(whole, part)
	if rest > 0 {
		missing++
	}
	return s.burst - missing
}

// permits returns how many permits come in whole + part/den ns, and what remains
// in den-ths of a ns.
func (s *Settings) permits(whole, part int64) (n, rest int64) {
	high, low := bits.Mul64(uint64(whole), uint64(s.den))
	low, carry := bits.Add64(low, uint64(part), 0)
	// den is at most period, so that the quotient is at most whole.
	q, r := bits.Div64(high+carry, low, uint64(s.period))
	return int64(q), int64(r)
}

// refund moves the mark back by what n permits cost, at most n of one reservation.
func (s *Settings) refund(a *account, n int64) {
	cost, rest, _ := scale(n, s.period, s.den)
	if a.part -= rest; a.part < 0 {
		a.part += s.den
		cost++
	}
	a.whole -= cost
}

// rebucket turns the account of a bucket from which nobody waits into one of a
// bucket with other settings that holds as many permits, and the same part of the
// next one, as far as there is room for them.
func (s *Settings) rebucket(old *Settings, a *account, now patterns.Instant) account {
	if a.whole < int64(now) {
		a.whole, a.part = int64(now), 0
	}
	missing, rest := old.permits(a.whole-int64(now), a.part)
	missing += s.burst - old.burst
	if missing < 0 {
		return account{}
	}
	// The rest is a share of a permit; rounded up it costs under a den-th of a ns.
	share, odd, _ := scale(rest, s.period, old.period)
	if odd > 0 {
		share++
	}
	whole, part, _ := scale(missing, s.period, s.den)
	whole += share / s.den
	if part += share % s.den; part >= s.den {
		part -= s.den
		whole++
	}
	if int64(now) > math.MaxInt64-whole {
		return account{whole: math.MaxInt64}
	}
	return account{whole: int64(now) + whole, part: part}
}
