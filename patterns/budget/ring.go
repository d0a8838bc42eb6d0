package budget

import "github.com/resilsim/resilsim/patterns"

// parts is the number of slices in which a window moves on.
const parts = 10

// countMax is where a slice stops counting: so far that no service gets there,
// and low enough that neither parts x countMax x the largest ratio nor the sum of
// all slices in 32 bits overflows.
const countMax = 1 << 28

// ring is what a window remembers, by slices aligned to the driver's origin.
type ring struct {
	running int64 // number of the running slice
	slices  [parts]slice
}

// slice holds deposits and withdrawals, or attempts and failures of failure_rate.
type slice struct{ in, out uint32 }

func (r *ring) now() *slice { return &r.slices[r.running%parts] }

// expire makes the slice of now the running one. It costs at most all slices,
// however long nothing happened.
func (b *Budget) expire(now patterns.Instant) {
	r := b.ring
	running := int64(now) / b.settings.slice
	if running-r.running >= parts {
		*r = ring{running: running}
		b.account = 0
	}
	for r.running < running {
		r.running++
		sl := r.now()
		if b.settings.rule == window {
			b.account -= int64(sl.in)*b.settings.deposit - int64(sl.out)*micro
		} else {
			b.count(-int64(sl.in), -int64(sl.out))
		}
		*sl = slice{}
	}
}

func (b *Budget) depositInWindow() {
	if sl := b.ring.now(); sl.in < countMax {
		sl.in++
		b.account += b.settings.deposit
	}
}

func (b *Budget) payInWindow() bool {
	sl := b.ring.now()
	if b.account+b.settings.reserve < micro || sl.out == countMax {
		return false
	}
	sl.out++
	b.account -= micro
	return true
}

func (b *Budget) returnToWindow() {
	for i := int64(1); i <= parts; i++ {
		sl := &b.ring.slices[(b.ring.running+i)%parts]
		if sl.out > 0 {
			sl.out--
			b.account += micro
			return
		}
	}
}

// note counts the end of one attempt for failure_rate.
func (b *Budget) note(now patterns.Instant, failed bool) {
	b.expire(now)
	sl := b.ring.now()
	if sl.in == countMax {
		return
	}
	sl.in++
	b.count(1, 0)
	if failed {
		sl.out++
		b.count(0, 1)
	}
}

// shut reports whether the failures in the window are above the threshold.
func (b *Budget) shut() bool {
	calls, failed := b.high(), b.low()
	whole := int64(patterns.PercentOf(100))
	return calls >= b.settings.least && failed*whole > int64(b.settings.threshold)*calls
}
