package patterns_test

import (
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/budget"
)

// budgetSettings are those of the kinds that need stakes.
type budgetSettings struct {
	Ratio          float64
	MinConcurrency int `json:"min_concurrency"`
	Capacity       float64
	Cost           int
	ThrottleCost   int     `json:"throttle_cost"`
	Increment      float64 `json:"no_retry_increment"`
}

// stakes plays a case in which calls are begun and their retries stay scheduled.
type stakes struct {
	b     budget.Budget
	calls []*budget.Stake
	paid  map[string][]*budget.Stake // by the kind of the failure
}

var budgetFailures = map[string]patterns.Result{
	"":          {Outcome: patterns.Failure, Reason: patterns.Failed},
	"transient": {Outcome: patterns.Failure, Reason: patterns.Failed},
	"throttle":  {Outcome: patterns.Failure, Reason: patterns.Rejected},
}

func newStakes(t *testing.T, c peerCase, k budget.Kind) *stakes {
	t.Helper()
	p := decode[budgetSettings](t, c.Config)
	compiled, err := budget.Compile(budget.Config{
		Kind: k, Ratio: p.Ratio, MinConcurrency: p.MinConcurrency, Capacity: p.Capacity,
		Cost: p.Cost, RejectedCost: p.ThrottleCost, NoRetryIncrement: p.Increment,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &stakes{b: budget.New(compiled), paid: map[string][]*budget.Stake{}}
}

// active begins or ends calls until n are in flight.
func (s *stakes) active(n int) {
	for len(s.calls) < n {
		k := new(budget.Stake)
		s.b.Begin(0, k)
		s.calls = append(s.calls, k)
	}
	for len(s.calls) > n {
		s.b.End(0, s.calls[len(s.calls)-1])
		s.calls = s.calls[:len(s.calls)-1]
	}
}

// retry asks n times, each time with a stake of its own, and returns how many
// were granted.
func (s *stakes) retry(n int64, kind string) int64 {
	granted := int64(0)
	for range n {
		k := new(budget.Stake)
		if s.b.Schedule(0, k, budgetFailures[kind]) {
			s.paid[kind] = append(s.paid[kind], k)
			granted++
		}
	}
	return granted
}

// answered reports a success of a call that was retried after a failure of the
// kind, or (first) of one that was not.
func (s *stakes) answered(after, kind string) {
	k := new(budget.Stake)
	if after == "retry" {
		last := len(s.paid[kind]) - 1
		k, s.paid[kind] = s.paid[kind][last], s.paid[kind][:last]
	}
	s.b.Ended(0, k, patterns.Result{Outcome: patterns.Success})
}

func runStakesCase(k budget.Kind) func(*testing.T, peerCase) {
	return func(t *testing.T, c peerCase) {
		s := newStakes(t, c, k)
		for i, step := range c.Steps {
			n := int64(1)
			if step.N != nil {
				n = *step.N
			}
			switch step.Op {
			case "active":
				s.active(int(n))
			case "withdraw_n", "retry_n":
				want := decode[int64](t, step.Granted)
				same(t, i, "granted", s.retry(n, step.Kind), &want)
			case "return_n":
				for range n {
					last := len(s.paid[""]) - 1
					s.b.Cancel(0, s.paid[""][last])
					s.paid[""] = s.paid[""][:last]
				}
			case "ok", "ok_n":
				for range n {
					s.answered(step.After, step.Kind)
				}
			default:
				t.Fatalf("step %d: unknown op %s", i, step.Op)
			}
			same(t, i, "tokens", s.b.Balance(0), step.Tokens)
		}
	}
}
