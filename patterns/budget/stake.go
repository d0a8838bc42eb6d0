package budget

import "github.com/resilsim/resilsim/patterns"

// Stake is what one call has in its budget: whether it is counted as in flight,
// and the retry that it has paid for. The zero Stake is a call that has not begun.
// Its owner hands it to the five methods below, in this order:
//
//	Begin, { Ended, Schedule, [Cancel] }, Ended, End
type Stake struct {
	cost     int32 // tokens paid for the latest retry
	begun    bool
	retrying bool // a retry is scheduled or in flight
}

// Begin reports that a call begins, before its first attempt.
func (b *Budget) Begin(now patterns.Instant, s *Stake) {
	if b.settings.rule == concurrency && !s.begun {
		b.count(1, 0)
	}
	s.begun = true
	b.Deposit(now, Call)
}

// Schedule asks for one retry after an attempt that ended like this, at the
// instant when the retry is scheduled, not when it is sent. False: it may not be
// made, and nothing has changed.
func (b *Budget) Schedule(now patterns.Instant, s *Stake, after patterns.Result) bool {
	cost := b.settings.cost
	if after.Reason == patterns.Rejected {
		cost = b.settings.rejected
	}
	if s.retrying || !b.pay(now, cost) {
		return false
	}
	s.cost, s.retrying = cost, true
	return true
}

// Cancel gives back what a scheduled retry had paid, because it is not made after
// all: its caller gave up, or its wait was overtaken by a deadline.
func (b *Budget) Cancel(now patterns.Instant, s *Stake) {
	if s.retrying {
		s.retrying = false
		b.giveBack(now, s.cost)
	}
}

// Ended reports how an attempt of the call ended, the first and every retry. A
// retry that was not made gives back what it had paid.
func (b *Budget) Ended(now patterns.Instant, s *Stake, r patterns.Result) {
	if r.Outcome == patterns.NotMade {
		b.Cancel(now, s)
		return
	}
	retry := s.retrying
	s.retrying = false
	failed, ok := r.Outcome == patterns.Failure, r.Outcome == patterns.Success
	switch b.settings.rule {
	case window, bucket:
		if ok {
			b.Deposit(now, Success)
		}
	case concurrency:
		if retry {
			b.giveBack(now, s.cost)
		}
	case tokens:
		if failed {
			b.add(-micro)
		} else if ok {
			b.add(b.settings.deposit)
		}
	case quota:
		if ok && retry {
			b.add(int64(s.cost) * micro)
		} else if ok {
			b.add(b.settings.clean)
		}
	case failureRate:
		if ok || failed {
			b.note(now, failed)
		}
	}
}

// End reports that the call is over, whatever became of it. A retry that is still
// in flight, because it was abandoned, is no longer counted as such; what it paid
// stays paid. A stake that has ended is zero and may begin again.
func (b *Budget) End(now patterns.Instant, s *Stake) {
	if b.settings.rule == concurrency {
		if s.retrying {
			b.giveBack(now, s.cost)
		}
		if s.begun {
			b.count(-1, 0)
		}
	}
	*s = Stake{}
}
