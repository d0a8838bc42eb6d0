package ratelimit

import (
	"math"
	"math/big"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// twin keeps everything that was asked for ever. To answer it counts all of it
// again from the first call on, in numbers without bounds.
type twin struct {
	c       Config
	seen    patterns.Instant
	history []event
}

// event is a reservation, a drain (n < 0), or permits that came back (n of them,
// with no instant).
type event struct {
	n       int64
	now, at patterns.Instant
	back    bool
	undone  bool // a reservation whose cancel left no trace
	void    bool // a reservation that was cancelled in time, with or without trace
}

func (w *twin) clock(now patterns.Instant) patterns.Instant {
	w.seen = max(w.seen, min(now, patterns.Never-1))
	return w.seen
}

func integer(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

func times(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

func plus(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }

func minus(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

func larger(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

// floor rounds down, also below 0.
func floor(a *big.Rat) *big.Rat {
	q, m := new(big.Int), new(big.Int)
	q.DivMod(a.Num(), a.Denom(), m)
	return new(big.Rat).SetInt(q)
}

func ceil(a *big.Rat) *big.Rat { return new(big.Rat).Neg(floor(new(big.Rat).Neg(a))) }

// each is the time in ns from one permit (bucket, smooth) or cycle to the next.
func (w *twin) each() *big.Rat {
	p := integer(int64(w.c.LimitRefreshPeriod))
	if w.c.Type == Cycle {
		return p
	}
	return p.Quo(p, integer(int64(w.c.LimitForPeriod)))
}

func (w *twin) per() *big.Rat {
	if w.c.Type == Cycle {
		return integer(int64(w.c.LimitForPeriod))
	}
	return integer(1)
}

func (w *twin) burst() *big.Rat {
	if w.c.Burst == 0 {
		return integer(int64(w.c.LimitForPeriod))
	}
	return integer(int64(w.c.Burst))
}

// running is the number of the cell that an instant lies in.
func (w *twin) running(now patterns.Instant) *big.Rat {
	return floor(new(big.Rat).Quo(integer(int64(now)), w.each()))
}

// sold counts in permits, from the origin, up to where everything is sold: of a
// bucket those which it would have brought by the instant at which it is full.
func (w *twin) sold() *big.Rat {
	s := new(big.Rat)
	for _, e := range w.history {
		switch {
		case e.back:
			s = minus(s, integer(e.n))
		case e.n < 0:
			s = larger(s, plus(w.expired(e.now), w.room()))
			if w.c.Type == TokenBucket && times(s, w.each()).Cmp(integer(math.MaxInt64)) > 0 {
				s = new(big.Rat).Quo(integer(math.MaxInt64), w.each())
			}
		default:
			s = plus(larger(s, w.expired(e.now)), integer(e.n))
		}
	}
	return s
}

// expired is how far the permits are gone at an instant, whoever has them, and room
// how many more there are then at most.
func (w *twin) expired(now patterns.Instant) *big.Rat {
	if w.c.Type == TokenBucket {
		return new(big.Rat).Quo(integer(int64(now)), w.each())
	}
	return times(minus(w.running(now), integer(int64(w.c.Slack))), w.per())
}

func (w *twin) room() *big.Rat {
	if w.c.Type == TokenBucket {
		return w.burst()
	}
	return times(integer(int64(w.c.Slack)+1), w.per())
}

// when is the instant at which n permits are there, nil if there is none.
func (w *twin) when(now patterns.Instant, n int64) *big.Rat {
	if n > permitsMax {
		return nil
	}
	end := plus(larger(w.sold(), w.expired(now)), integer(n))
	var at *big.Rat
	if w.c.Type == TokenBucket {
		full := floor(times(end, w.each()))
		if integer(n).Cmp(w.burst()) > 0 || full.Cmp(integer(math.MaxInt64)) > 0 {
			return nil // too many at once, or full again only after the end of time
		}
		at = times(minus(end, w.burst()), w.each())
	} else {
		cell := floor(new(big.Rat).Quo(minus(end, integer(1)), w.per()))
		at = times(cell, w.each())
	}
	at = larger(ceil(at), integer(int64(now)))
	if at.Cmp(integer(int64(patterns.Never))) >= 0 {
		return nil
	}
	return at
}

// permits that are there, rounded down.
func (w *twin) permits(now patterns.Instant) *big.Rat {
	gone := larger(w.sold(), w.expired(now))
	return floor(minus(plus(w.expired(now), w.room()), gone))
}

// reserve returns when, and whether, n permits are there within most.
func (w *twin) reserve(now patterns.Instant, n int64, most time.Duration) (patterns.Instant, bool) {
	at := w.when(now, n)
	if at == nil || minus(at, integer(int64(now))).Cmp(integer(int64(most))) > 0 {
		return 0, false
	}
	t := patterns.Instant(at.Num().Int64())
	w.history = append(w.history, event{n: n, now: now, at: t})
	return t, true
}

func (w *twin) drain(now patterns.Instant) int64 {
	n := w.permits(now).Num().Int64()
	if n < 0 || n == 0 && w.c.Type != TokenBucket {
		return 0
	}
	w.history = append(w.history, event{n: -1 - n, now: now, at: now})
	return n
}

// cancel cancels the reservation at place i of the history.
func (w *twin) cancel(now patterns.Instant, i int) int64 {
	e := &w.history[i]
	if e.at < now || e.void {
		return 0
	}
	e.void = true
	later, last := int64(0), patterns.Instant(0)
	for k, o := range w.history {
		if o.back || o.undone || k == i {
			continue
		}
		last = max(last, o.at)
		if k > i && o.n > 0 {
			later += o.n
		} else if k > i {
			later += -1 - o.n
		}
	}
	n := int64(0)
	switch {
	case later == 0:
		n, e.undone = e.n, true
	case last <= e.at && w.c.Type == TokenBucket:
		n = e.n
	case last <= e.at:
		n = w.inLastCell(i)
	case w.c.Type == TokenBucket:
		n = max(e.n-later, 0)
	}
	if n > 0 {
		w.history = append(w.history, event{n: n, back: true})
	}
	return n
}

// inLastCell is how many of a reservation's permits lie in the cell of the last.
func (w *twin) inLastCell(i int) int64 {
	upTo := twin{c: w.c, history: w.history[:i+1]}
	end := upTo.sold()
	first := times(floor(new(big.Rat).Quo(minus(end, integer(1)), w.per())), w.per())
	return min(w.history[i].n, minus(end, first).Num().Int64())
}
