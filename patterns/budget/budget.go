package budget

import "github.com/resilsim/resilsim/patterns"

// Budget is the account from which retries are paid. It is not safe for
// concurrent use: a driver with goroutines holds a lock around each method. A
// copy of a window shares its slices with the original: keep one.
type Budget struct {
	settings *Settings
	// account is micro-tokens (a window's without its reserve), or two counts of 32
	// bits: calls and retries in flight, or attempts and failures in the window.
	account int64
	ring    *ring // nil for the kinds without a window
}

// Deposited is what a deposit is made for.
type Deposited uint8

const (
	// Call: a call was begun (its first attempt, not its retries).
	Call Deposited = iota + 1
	// Success: a call was answered.
	Success
)

// New returns a budget with its initial balance.
func New(s *Settings) Budget {
	b := Budget{settings: s, account: s.initial}
	if s.slice != 0 {
		b.ring = new(ring)
	}
	return b
}

// NewFleet returns n budgets whose windows lie in one slab.
func NewFleet(s *Settings, n int) []Budget {
	fleet := make([]Budget, n)
	var slab []ring
	if s.slice != 0 {
		slab = make([]ring, n)
	}
	for i := range fleet {
		fleet[i] = Budget{settings: s, account: s.initial}
		if slab != nil {
			fleet[i].ring = &slab[i]
		}
	}
	return fleet
}

// Deposit adds what one call or success earns in a window or bucket; the one
// that the settings do not name earns nothing. Begin and Ended do it for whoever
// uses them.
func (b *Budget) Deposit(now patterns.Instant, what Deposited) {
	if what != b.settings.earns {
		return
	}
	switch b.settings.rule {
	case window:
		b.expire(now)
		b.depositInWindow()
	case bucket:
		b.add(b.settings.deposit)
	}
}

// Withdraw pays for one retry, when it is scheduled, and reports whether it was
// granted. If not, nothing changes. Schedule does it for whoever uses stakes.
func (b *Budget) Withdraw(now patterns.Instant) bool { return b.pay(now, b.settings.cost) }

// Return takes back one withdrawal whose retry was not made. A window takes back
// the oldest it still holds: which one it was is not known, and the oldest would
// have come back soonest by itself, so that never too much is lent. If none is
// left, it has come back already. Cancel does it for whoever uses stakes.
func (b *Budget) Return(now patterns.Instant) { b.giveBack(now, b.settings.cost) }

// Balance returns what there is, in parts of a retry or token. A window's may be
// below 0: deposits expire before the withdrawals that they paid. By kind: window,
// bucket: the retries that could be paid for now; concurrency: those that could be
// scheduled; tokens, quota: the tokens; failure_rate: 1 if retries pass, else 0.
func (b *Budget) Balance(now patterns.Instant) float64 {
	s := b.settings
	switch s.rule {
	case window:
		b.expire(now)
		return float64(b.account+s.reserve) / micro
	case concurrency:
		return float64(b.room() - b.low())
	case failureRate:
		b.expire(now)
		if b.shut() {
			return 0
		}
		return 1
	}
	return float64(b.account) / micro
}

// pay grants one retry or changes nothing. cost is in the tokens of a quota.
func (b *Budget) pay(now patterns.Instant, cost int32) bool {
	switch b.settings.rule {
	case window:
		b.expire(now)
		return b.payInWindow()
	case bucket:
		return b.take(micro)
	case concurrency:
		if b.low() >= b.room() {
			return false
		}
		b.count(0, 1)
		return true
	case tokens:
		return 2*b.account > b.settings.capacity
	case quota:
		return b.take(int64(cost) * micro)
	}
	b.expire(now)
	return !b.shut()
}

// giveBack undoes a payment.
func (b *Budget) giveBack(now patterns.Instant, cost int32) {
	switch b.settings.rule {
	case window:
		b.expire(now)
		b.returnToWindow()
	case bucket:
		b.add(micro)
	case concurrency:
		if b.low() > 0 {
			b.count(0, -1)
		}
	case quota:
		b.add(int64(cost) * micro)
	}
}

func (b *Budget) take(sum int64) bool {
	if b.account < sum {
		return false
	}
	b.account -= sum
	return true
}

// add never lets the account rise above the capacity nor fall below 0.
func (b *Budget) add(sum int64) {
	b.account = max(min(b.account+sum, b.settings.capacity), 0)
}

// high and low are the two counts of an account that is not one of tokens.
func (b *Budget) high() int64 { return int64(uint64(b.account) >> 32) }

func (b *Budget) low() int64 { return int64(uint32(b.account)) }

func (b *Budget) count(high, low int64) { b.account += high<<32 + low }

// room is how many retries may be scheduled or in flight: the ratio of the calls
// in flight, cut to an integer as Envoy does, but never less than the minimum.
func (b *Budget) room() int64 {
	return max(b.high()*b.settings.deposit/micro, b.settings.least)
}
