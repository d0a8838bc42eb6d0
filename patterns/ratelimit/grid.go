package ratelimit

import (
	"math"
	"math/bits"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// cell returns the number of the cell that holds the instant.
func (s *Settings) cell(at patterns.Instant) int64 {
	if s.den == 1 {
		return int64(at) / s.period
	}
	n, _, _ := scale(int64(at), s.den, s.period) // den is at most period
	return n
}

// start returns the first instant of a cell, or Never if there is none.
func (s *Settings) start(cell int64) patterns.Instant {
	whole, rest, ok := scale(cell, s.period, s.den)
	if !ok {
		return patterns.Never
	}
	return roundUp(whole, rest)
}

// askGrid: permits are sold one after the other, those of the cells that have
// passed expire but for the slack. The last one says when all are there.
func (s *Settings) askGrid(a *account, now patterns.Instant, n int64) (offer, bool) {
	if n > permitsMax {
		return offer{}, false
	}
	running := s.cell(now)
	cell, sold := a.whole, a.part
	if least := running - s.slack; cell < least {
		cell, sold = least, 0
	}
	if sold += n; sold > s.per {
		beyond := (sold - 1) / s.per
		if beyond >= math.MaxInt64-cell {
			return offer{}, false
		}
		cell, sold = cell+beyond, sold-beyond*s.per
	}
	o := offer{whole: cell, part: sold, at: now, returns: min(n, sold)}
	if cell > running {
		o.at = s.start(cell)
	}
	if sold == s.per {
		o.whole, o.part = cell+1, 0
	}
	return o, o.at < patterns.Never
}

// unsold: the permits from the mark to the end of the running cell.
func (s *Settings) unsold(a *account, now patterns.Instant) int64 {
	running := s.cell(now)
	cell, sold := a.whole, a.part
	if least := running - s.slack; cell < least {
		cell, sold = least, 0
	}
	if cell <= running {
		return (running+1-cell)*s.per - sold
	}
	high, low := bits.Mul64(uint64(cell-running-1), uint64(s.per))
	if high > 0 || low > math.MaxInt64-uint64(sold) {
		return math.MinInt64
	}
	return -int64(low) - sold
}

// unsell moves the mark back by n permits.
func (s *Settings) unsell(a *account, n int64) {
	if n <= a.part {
		a.part -= n
		return
	}
	n -= a.part
	a.whole -= n / s.per
	a.part = 0
	if odd := n % s.per; odd > 0 {
		a.whole--
		a.part = s.per - odd
	}
}

// hopeless reports whether n permits take longer than maxWait even at the best
// moment, which is the last nanosecond of a cell when nobody has asked for long.
func (s *Settings) hopeless(n int64, maxWait time.Duration) bool {
	beyond := (n-1)/s.per - s.slack
	if beyond <= 0 {
		return false
	}
	least, _, ok := scale(beyond-1, s.period, s.den)
	return !ok || least >= int64(maxWait)
}
