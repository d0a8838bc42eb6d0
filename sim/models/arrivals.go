package models

import (
	"math"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/sim/engine"
)

// curve is a rate over time as straight pieces, with the number of arrivals
// that is expected up to each (the cumulative rate). The n-th arrival comes when
// the cumulative rate reaches the sum of n unit exponentials (or n itself), so a
// changed rate moves arrivals in time and shifts no draw.
type curve struct {
	pieces []piece
	cursor int // pieces before it end before every arrival to come
}

// piece runs from at to the beginning of the next: rate at its beginning in 1/s,
// slope in 1/s², expected arrivals before it.
type piece struct {
	at          time.Duration
	rate, slope float64
	before      float64
}

// never is beyond every run.
const never = time.Duration(math.MaxInt64)

// newCurve makes the base curve of the points.
func newCurve(points []RatePoint) curve {
	var c curve
	rate := 0.0
	for i, p := range points {
		end := never
		if i+1 < len(points) {
			end = points[i+1].At
		}
		if p.Ramp > 0 {
			slope := (p.Rate - rate) / p.Ramp.Seconds()
			c.add(piece{at: p.At, rate: rate, slope: slope})
			full := p.At + p.Ramp
			if full >= end {
				rate = c.rateAt(end)
				continue
			}
			c.add(piece{at: full, rate: p.Rate})
		} else {
			c.add(piece{at: p.At, rate: p.Rate})
		}
		rate = p.Rate
	}
	return c
}

// add appends a piece and counts what is expected before it.
func (c *curve) add(p piece) {
	if len(c.pieces) > 0 {
		p.before = c.expected(p.at)
	}
	c.pieces = append(c.pieces, p)
}

// last returns the piece in force at an instant.
func (c *curve) last(t time.Duration) *piece {
	i := len(c.pieces) - 1
	for i > 0 && c.pieces[i].at > t {
		i--
	}
	return &c.pieces[i]
}

func (c *curve) rateAt(t time.Duration) float64 {
	p := c.last(t)
	return p.rate + float64(p.slope*(t-p.at).Seconds())
}

// expected is the cumulative rate up to t.
func (c *curve) expected(t time.Duration) float64 {
	p := c.last(t)
	s := (t - p.at).Seconds()
	return p.before + float64(s*(p.rate+float64(p.slope*s)/2))
}

// reach returns the instant at which the cumulative rate reaches x, never if it
// does not. x does not fall from call to call.
func (c *curve) reach(x float64) time.Duration {
	for c.cursor+1 < len(c.pieces) && c.pieces[c.cursor+1].before < x {
		c.cursor++
	}
	return c.pieces[c.cursor].reach(x)
}

// reach solves before + rate s + slope s²/2 = x for s in the form that does not
// cancel: s = 2y / (rate + sqrt(rate² + 2 slope y)), y = x - before.
func (p *piece) reach(x float64) time.Duration {
	y := max(x-p.before, 0)
	root := float64(p.rate*p.rate) + float64(2*p.slope*y)
	sum := p.rate + math.Sqrt(max(root, 0))
	if sum <= 0 {
		return never
	}
	ns := 2 * y / sum * 1e9
	if ns >= float64(never-p.at) {
		return never
	}
	return p.at + time.Duration(math.RoundToEven(ns))
}

// from returns the curve that is c until now and then the base's rates, changed
// by the function.
func (c *curve) from(now time.Duration, base *curve, change func(piece) piece) curve {
	next := curve{pieces: []piece{change(piece{at: now, rate: base.rateAt(now), slope: base.last(now).slope})}}
	next.pieces[0].before = c.expected(now)
	for _, p := range base.pieces {
		if p.at > now {
			next.add(change(piece{at: p.at, rate: p.rate, slope: p.slope}))
		}
	}
	return next
}

// generator makes the arrivals of a fleet, one pending at a time.
type generator struct {
	base, curve curve
	uniform     bool
	batch       int     // how many arrive together
	n           uint64  // number of the pending arrival, from 1
	target      float64 // cumulative rate at which it comes
	key         engine.Key
	instance    int32
	shape       uint64 // how often the curve has changed
	surges      []*surge
}

// surge is a fault at the door: a rate instead of the curve's (rate above 0), or
// the curve times a factor.
type surge struct{ times, rate float64 }

// change applies the surges: of several absolute rates the latest holds.
func (a *generator) change(p piece) piece {
	factor, absolute := 1.0, 0.0
	for _, s := range a.surges {
		if s.rate > 0 {
			absolute = s.rate
		} else {
			factor *= s.times
		}
	}
	if absolute > 0 {
		p.rate, p.slope = absolute, 0
	}
	p.rate *= factor
	p.slope *= factor
	return p
}

// draw takes the chance of the next arrival: its gap, and whose request it is.
func (a *generator) draw(seed engine.Seed, fleet uint64, instances int) {
	a.n++
	a.key = seed.Key(drawRequest, fleet, a.n, 0)
	s := a.key.Stream()
	gap := -exact.Log(s.Open())
	if a.uniform {
		gap = 1
	}
	a.target += float64(gap * float64(max(a.batch, 1)))
	a.instance = 0
	if instances > 1 {
		a.instance = below(instances, s.Uint64())
	}
}
