package budget

import "github.com/resilsim/resilsim/patterns"

// Deposited is what a deposit is made for.
type Deposited uint8

const (
	// Call: a call was begun (its first attempt, not its retries).
	Call Deposited = iota + 1
	// Success: a call was answered.
	Success
)

// Budget is the account from which retries are paid. It is not safe for
// concurrent use: a driver with goroutines holds a lock around each method. A
// copy of a window shares its slices with the original: keep one.
type Budget struct {
	settings *Settings
	balance  int64 // micro-tokens; without the reserve of a window
	ring     *ring // nil for a token bucket
}

// slices is the number of parts in which a window moves on.
const slices = 10

// countMax is where a slice stops counting: so far that no service gets there,
// and low enough that slices x countMax x the largest ratio does not overflow.
const countMax = 1 << 28

// ring is what a window remembers, by slices aligned to the driver's origin.
type ring struct {
	running int64 // number of the running slice
	slices  [slices]slice
}

type slice struct{ deposits, withdrawals uint32 }

// New returns a budget with its initial balance.
func New(s *Settings) Budget {
	if s.slice == 0 {
		return Budget{settings: s, balance: s.initial}
	}
	return Budget{settings: s, ring: new(ring)}
}

// NewFleet returns n budgets whose windows lie in one slab.
func NewFleet(s *Settings, n int) []Budget {
	fleet := make([]Budget, n)
	if s.slice == 0 {
		for i := range fleet {
			fleet[i] = New(s)
		}
		return fleet
	}
	slab := make([]ring, n)
	for i := range fleet {
		fleet[i] = Budget{settings: s, ring: &slab[i]}
	}
	return fleet
}

// Deposit adds what one call or success earns; the one that the settings do not
// name earns nothing.
func (b *Budget) Deposit(now patterns.Instant, what Deposited) {
	if what != b.settings.earns {
		return
	}
	if b.ring == nil {
		b.balance = min(b.balance+b.settings.deposit, b.settings.capacity)
		return
	}
	sl := b.expire(now)
	if sl.deposits < countMax {
		sl.deposits++
		b.balance += b.settings.deposit
	}
}

// Withdraw pays for one retry, when it is scheduled, and reports whether the
// balance was enough. If not, nothing changes.
func (b *Budget) Withdraw(now patterns.Instant) bool {
	if b.ring == nil {
		if b.balance < micro {
			return false
		}
		b.balance -= micro
		return true
	}
	sl := b.expire(now)
	if b.balance+b.settings.reserve < micro || sl.withdrawals == countMax {
		return false
	}
	sl.withdrawals++
	b.balance -= micro
	return true
}

// Return takes back one withdrawal whose retry was not made. A window takes back
// the oldest it still holds: which one it was is not known, and the oldest would
// have come back soonest by itself, so that never too much is lent. If none is
// left, it has come back already.
func (b *Budget) Return(now patterns.Instant) {
	if b.ring == nil {
		b.balance = min(b.balance+micro, b.settings.capacity)
		return
	}
	b.expire(now)
	for i := int64(1); i <= slices; i++ {
		sl := &b.ring.slices[(b.ring.running+i)%slices]
		if sl.withdrawals > 0 {
			sl.withdrawals--
			b.balance += micro
			return
		}
	}
}

// Balance returns how many retries could be paid for now, in parts of a retry. A
// window's may be below 0: deposits expire before the withdrawals that they paid.
func (b *Budget) Balance(now patterns.Instant) float64 {
	if b.ring != nil {
		b.expire(now)
	}
	return float64(b.balance+b.settings.reserve) / micro
}

// expire makes the slice of now the running one and returns it. It costs at most
// all slices, however long nothing happened.
func (b *Budget) expire(now patterns.Instant) *slice {
	r := b.ring
	running := int64(now) / b.settings.slice
	if running-r.running >= slices {
		*r = ring{running: running}
		b.balance = 0
	}
	for r.running < running {
		r.running++
		sl := &r.slices[r.running%slices]
		b.balance -= int64(sl.deposits)*b.settings.deposit - int64(sl.withdrawals)*micro
		*sl = slice{}
	}
	return &r.slices[r.running%slices]
}
